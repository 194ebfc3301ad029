"""What a dotted name means in the libraries that are installed."""

from __future__ import annotations

import builtins
import importlib
import sys
from contextlib import redirect_stderr
from types import ModuleType
from typing import Any

MISSING = object()


def object_of(dotted: str) -> Any:
    """Return what a dotted name means, MISSING if it means nothing here."""
    first, *rest = dotted.split(".")
    value: Any = getattr(builtins, first, MISSING)
    if value is MISSING:
        value = module(first)
    for number, part in enumerate(rest, 2):
        if value is MISSING:
            return MISSING
        inner = (
            module(".".join([first, *rest][:number])) if isinstance(value, ModuleType) else MISSING
        )
        value = getattr(value, part, inner)
    return value


def module(name: str) -> Any:
    """Import a module, MISSING if it cannot be; what it keeps of stderr is not pytest's own."""
    try:
        with redirect_stderr(sys.__stderr__):
            return importlib.import_module(name)
    except Exception:
        return MISSING
