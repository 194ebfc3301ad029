"""Finds out what can be shipped."""
from multiprocessing.reduction import ForkingPickler


def portable(part):
    try:
        ForkingPickler.dumps(part)
    except (AttributeError, TypeError, OSError):
        return False
    else:
        return True


def placement(parts):
    return {name: "remote" if ok else "local" for name, ok in zip(parts, map(portable, parts.values()))}
