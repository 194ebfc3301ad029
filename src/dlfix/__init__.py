"""Finds what a PyTorch program sends to its worker processes, and fixes what cannot be sent."""

# Imports nothing: `python -m dlfix` runs this before the working directory is off `sys.path`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from dlfix.api import DlfixError, Finding, Fix, Fixed, Step, check, fix_text

__version__ = "0.1.0"
__all__ = ["DlfixError", "Finding", "Fix", "Fixed", "Step", "__version__", "check", "fix_text"]

if not TYPE_CHECKING:

    def __getattr__(name):
        """Import the API when it is first asked for: `import dlfix` alone loads nothing."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from dlfix import api

        return getattr(api, name)
