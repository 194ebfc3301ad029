"""Finds the handles that things keep."""
HANDLES = ("archive", "file", "db")


def backed(things):
    return [next((name for name in HANDLES if hasattr(thing, name)), "memory") for thing in things]
