"""`python -m dlfix` and the command `dlfix`."""

import os
import sys

from dlfix.safe_path import leave_working_folder

# Before anything else is imported: a `signal.py` in the working directory is not ours to run.
leave_working_folder()


def main() -> None:
    """Run the command line; whatever goes wrong is one line and status 2."""
    try:
        from dlfix.start import main as run

        try:
            run()
        finally:
            if not sys.stdout.closed:  # the language server closes it
                sys.stdout.flush()
    except Exception as error:
        if os.environ.get("DLFIX_TRACEBACK"):
            raise
        _give_up(error)


def _give_up(error: Exception) -> None:
    """Say what went wrong, and end; what could not be printed is not tried again."""
    from dlfix.ending import discard, failed, words

    failed(words(error))
    discard(1)
    sys.exit(2)


if __name__ == "__main__":
    main()
