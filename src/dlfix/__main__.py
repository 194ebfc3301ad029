"""`python -m dlfix` and the command `dlfix`."""

import os
import sys

from dlfix.safe_path import leave_working_folder

# Before anything else is imported: a `signal.py` in the working directory is not ours to run.
leave_working_folder()


def main() -> None:
    """Run the command line; what the system refuses is one line and status 2."""
    from dlfix.start import main as run

    try:
        try:
            run()
        finally:
            if not sys.stdout.closed:  # the language server closes it
                sys.stdout.flush()
    except OSError as error:
        if os.environ.get("DLFIX_TRACEBACK"):
            raise
        _give_up(error)


def _give_up(error: OSError) -> None:
    """Say what was refused, and end; what could not be printed is not tried again."""
    from dlfix.ending import failed, refusal

    failed(refusal(error))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(2)


if __name__ == "__main__":
    main()
