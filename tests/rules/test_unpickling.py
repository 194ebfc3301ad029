"""Objects that cannot be unpickled, because `__getattr__` asks for what is not there yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

_PROGRAM = """
        from torch.utils.data import DataLoader, Dataset
        class Wrapped({base}):
            kind = "wrapped"
            def __init__(self, inner):
                self.inner = inner
            {body}
            def __getitem__(self, i):
                return i
        if __name__ == "__main__":
            DataLoader(Wrapped([1, 2]), num_workers=2)
"""


def _wrapped(what, *lines, base="Dataset", besides=()):
    body = [*besides, "def __getattr__(self, name):", *(f"    {line}" for line in lines)]
    return program(what, _PROGRAM.format(base=base, body=("\n" + " " * 12).join(body)))


ENDLESS = [
    _wrapped("an attribute is read", "return getattr(self.inner, name) # !DLF206"),
    _wrapped(
        "what pickle looks for is not among the names that are kept out",
        'if name == "shape":',
        "    raise AttributeError(name)",
        "return getattr(self.inner, name) # !DLF206",
    ),
    _wrapped(
        "only another error is handled",
        "try:",
        "    return self.inner[name] # !DLF206",
        "except KeyError:",
        "    raise AttributeError(name)",
    ),
    _wrapped(
        "two attributes ask for each other",
        'if name == "inner":',
        "    return self.outer",
        "return getattr(self.inner, name) # !DLF206",
    ),
    _wrapped(
        "a test reads it",
        "if self.inner is None: # !DLF206",
        "    raise AttributeError(name)",
        "return getattr(self.inner, name)",
    ),
]
ENDING = [
    _wrapped(
        "special names are kept out",
        'if name.startswith("__"):',
        "    raise AttributeError(name)",
        "return getattr(self.inner, name)",
    ),
    _wrapped(
        "the attribute itself is kept out",
        'if name == "inner":',
        "    raise AttributeError(name)",
        "return getattr(self.inner, name)",
    ),
    _wrapped(
        "several names are kept out",
        'if name in ("inner", "outer"):',
        "    raise AttributeError(name)",
        "return getattr(self.inner, name)",
    ),
    _wrapped(
        "an object without the attribute has no others",
        'if "inner" not in self.__dict__:',
        "    raise AttributeError(name)",
        "return getattr(self.inner, name)",
    ),
    _wrapped("the class has the attribute", "return getattr(self.kind, name)"),
    _wrapped("object looks it up", 'return getattr(object.__getattribute__(self, "inner"), name)'),
    _wrapped(
        "every error is handled",
        "try:",
        "    return getattr(self.inner, name)",
        "except Exception:",
        "    raise AttributeError(name)",
    ),
    _wrapped(
        "a test of something else comes first",
        "if known(name):",
        "    return getattr(self.inner, name)",
        "raise AttributeError(name)",
    ),
    _wrapped(
        "the class restores its state",
        "return getattr(self.inner, name)",
        besides=("def __setstate__(self, state):", "    self.__dict__.update(state)"),
    ),
    _wrapped(
        "the class says how it is made again",
        "return getattr(self.inner, name)",
        besides=("def __reduce__(self):", "    return Wrapped, (self.inner,)"),
    ),
    _wrapped(
        "a base out of view may restore it", "return getattr(self.inner, name)", base="unknown.Base"
    ),
]


@pytest.mark.parametrize("text", [*ENDLESS, *ENDING])
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
