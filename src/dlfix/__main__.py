"""`python -m dlfix`."""

from dlfix.cli import main

if __name__ == "__main__":
    main()
