"""`python -m dlfix` and the command `dlfix`."""

from dlfix.safe_path import leave_working_folder

# Before anything else is imported: a `signal.py` in the working directory is not ours to run.
leave_working_folder()


def main() -> None:
    """Run the command line."""
    from dlfix.cli import main as run

    run()


if __name__ == "__main__":
    main()
