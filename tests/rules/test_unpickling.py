"""Objects that cannot be unpickled: `__getattr__` asks for what is not there yet, `__new__` for arguments."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.fixing.plans import Fix
from dlfix.session import Session
from tests.reach.marked import check, program

_PROGRAM = """
        import copyreg
        from torch.utils.data import DataLoader, Dataset
        class Wrapped({base}):
            kind = "wrapped"
            def __init__(self, inner):
                self.inner = inner
            {body}
            def __getitem__(self, i):
                return i
        {after}
        if __name__ == "__main__":
            DataLoader(Wrapped([1, 2]), num_workers=2)
"""


def _wrapped(what, *lines, base="Dataset", besides=(), after=()):
    body = [*besides, "def __getattr__(self, name):", *(f"    {line}" for line in lines)]
    text = _PROGRAM.format(
        base=base, body=("\n" + " " * 12).join(body), after=("\n" + " " * 8).join(after)
    )
    return program(what, text)


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
    _wrapped("the name itself is given", "return name # !DLF206"),
    _wrapped("a function is given for any name", "return lambda *args: None # !DLF206"),
    _wrapped(
        "a value is given for special names alone",
        'if name.startswith("__"):',
        "    return None # !DLF206",
        "raise AttributeError(name)",
    ),
    program(
        "a generator function gives a generator for any name",
        _PROGRAM.format(
            base="Dataset",
            body="def __getattr__(self, name): # !DLF206\n                yield getattr(self.inner, name)",
            after="",
        ),
    ),
]
ENDING = [
    _wrapped(
        "a value is given for one name",
        'if name == "size":',
        "    return 3",
        "raise AttributeError(name)",
    ),
    _wrapped(
        "a generator in it is not its own",
        "raise AttributeError(next(each for each in [name]))",
    ),
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
        "the class is registered with copyreg",
        "return getattr(self.inner, name)",
        after=("copyreg.pickle(Wrapped, lambda each: (Wrapped, (each.inner,)))",),
    ),
    _wrapped(
        "a base out of view may restore it", "return getattr(self.inner, name)", base="unknown.Base"
    ),
]


_MADE = """
        import copyreg
        from torch.utils.data import DataLoader, Dataset
        class Made(Dataset):
            def __new__(cls, path{default}):
                made = super().__new__(cls)
                made.path = path
                return made
            def __init__(self, path{default}):
                pass
            {other}
            def __getitem__(self, i):
                return i
        {after}
        if __name__ == "__main__":
            made = Made("a"){found}
            DataLoader(made, num_workers=2)
"""


def _made(what, default="", other="kind = 1", after="", found=""):
    return program(what, _MADE.format(default=default, other=other, after=after, found=found))


MADE = [
    _made("`__new__` needs an argument", found="  # !DLF206"),
    _made("the argument has a default", default='="b"'),
    _made(
        "the class says which arguments",
        other="def __getnewargs__(self):\n                return (self.path,)",
    ),
    _made(
        "the class is registered with copyreg",
        after="copyreg.pickle(Made, lambda each: (Made, (each.path,)))",
    ),
]

_SAMPLED = """
        from torch.utils.data import DataLoader, Sampler
        class Box(tuple):
            def __new__(cls, left, right):
                return tuple.__new__(cls, (left, right))
        class Boxes(Sampler):
            def __init__(self):
                self.boxes = [Box(0, 1), Box(1, 2)]{kept}
            def __iter__(self):
                {body}
        if __name__ == "__main__":
            loader = DataLoader(Tiles(), {how}=Boxes(), num_workers={workers})
"""


def _sampled(what, body, kept="", how="sampler", workers=2):
    return program(what, _SAMPLED.format(body=body, kept=kept, how=how, workers=workers))


SAMPLED = [
    _sampled("a sampler yields them", "yield Box(2, 3)  # !DLF206"),
    _sampled("a sampler returns an iterator", "return iter(self.boxes)", "  # !DLF206"),
    _sampled("a sampler goes on", "yield from self.boxes", "  # !DLF206"),
    _sampled("in batches", "yield [Box(2, 3)]  # !DLF206", how="batch_sampler"),
    _sampled("they only count", "yield len(self.boxes)"),
    _sampled("without workers", "yield Box(2, 3)", workers=0),
]


_REDUCED = """
        import copyreg
        from torch.utils.data import DataLoader, Dataset
        class Mapping{base}:
            def __init__(self, size, block=1{more}):
                self.size, self.block = size, block
            {reduce}
        class Data(Dataset):
            def __init__(self):
                self.mapping = Mapping(3){found}
            def __getitem__(self, i):
                return i
        {after}
        if __name__ == "__main__":
            DataLoader(Data(), num_workers={workers})
"""


def _reduced(what, *reduce, base="", more="", after="", workers=2, found=False):
    lines = ("\n" + " " * 12).join(reduce)
    marked = "  # !DLF206" if found else ""
    text = _REDUCED.format(
        base=base, more=more, reduce=lines, after=after, workers=workers, found=marked
    )
    return program(what, text)


_THREE = "def __reduce__(self): return self.__class__, (self.size, self.block, 1)"
REDUCED = [
    _reduced("`__reduce__` gives one argument too many", _THREE, found=True),
    _reduced(
        "`__reduce__` gives none, and a state",
        "def __reduce__(self):",
        '    """How it is pickled."""',
        "    return (type(self), (), self.__dict__)",
        found=True,
    ),
    _reduced(
        "the class by its name, and what asks it",
        "def __reduce__(self): return (Mapping, (self.size, self.block, 1))",
        "def __reduce_ex__(self, protocol): return self.__reduce__()",
        found=True,
    ),
    _reduced(
        "as many as it takes", "def __reduce__(self): return Mapping, (self.size, self.block)"
    ),
    _reduced("the default is left out", "def __reduce__(self): return Mapping, (self.size,)"),
    _reduced("any number of arguments", _THREE, more=", *rest"),
    _reduced(
        "some are unpacked", "def __reduce__(self): return Mapping, (*self.all(), self.size, 1, 2)"
    ),
    _reduced(
        "another way for some objects",
        "def __reduce__(self):",
        "    if self.size: return made, (1,)",
        "    return Mapping, (1, 2, 3)",
    ),
    _reduced("a function makes it", "def __reduce__(self): return made, (1, 2, 3)"),
    _reduced(
        "the other method is asked",
        _THREE,
        "def __reduce_ex__(self, protocol): return Mapping, (self.size,)",
    ),
    _reduced("`__new__` takes them", _THREE, "def __new__(cls, *a): return object.__new__(cls)"),
    _reduced("a base out of view", _THREE, base="(unknown.Base)"),
    _reduced(
        "the class is registered with copyreg",
        _THREE,
        after="copyreg.pickle(Mapping, lambda each: (Mapping, (each.size,)))",
    ),
    _reduced("without workers", _THREE, workers=0),
]


_ASKED = """
--- {file}
{declares}
--- main.py
from torch.utils.data import DataLoader, Dataset
class Options({base}):
    {hook}
class Rows(Dataset):
    def __init__(self, options):
        self.options = options
    def __getitem__(self, i):
        return i
if __name__ == "__main__":
    DataLoader(Rows(Options(rate=1)), num_workers=2){found}
"""
_ITEMS = "__getattr__ = dict.__getitem__"


def _asked(
    what, hook=_ITEMS, declares='python_requires=">=3.8"', file="setup.py", base="dict", found=True
):
    marked = "  # !DLF206" if found else ""
    text = _ASKED.format(hook=hook, declares=declares, file=file, base=base, found=marked)
    return program(what, text)


ASKED = [
    _asked("a dict gives its items as attributes before Python 3.11"),
    _asked("no default is given by `get`", "__getattr__ = dict.get"),
    _asked("a method looks the item up", "def __getattr__(self, name): return self[name]"),
    _asked(
        "a release of torch for older Python",
        declares="numpy\ntorch==1.7.1",
        file="requirements.txt",
    ),
    _asked("a newer torch", declares="torch==1.13.1", file="requirements.txt", found=False),
    _asked("Python 3.11 and newer", declares='python_requires=">=3.11"', found=False),
    _asked("no version is declared", declares="", found=False),
    _asked("it has a state", f"{_ITEMS}\n    def __getstate__(self): return {{}}", found=False),
    _asked("its base may have a state", base="unknown.Base", found=False),
]


@pytest.mark.parametrize("text", [*ENDLESS, *ENDING, *MADE, *SAMPLED, *REDUCED, *ASKED])
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    ("declares", "added"),
    [
        ("", "Add `__getstate__` and `__setstate__` to `Wrapped`"),
        ('python_requires=">=3.11"', "Add `__setstate__` to `Wrapped`"),
    ],
)
def test_what_looks_names_up_in_a_mapping_gets_both_state_methods_before_python_3_11(
    declares: str, added: str, tmp_path: Path
) -> None:
    body = "def __getattr__(self, name): return self.inner[name]"
    text = textwrap.dedent(_PROGRAM.format(base="Dataset", body=body, after=""))
    (tmp_path / "main.py").write_text(text)
    (tmp_path / "setup.py").write_text(f"dict({declares})\n")
    (diagnosis,) = Session.open([tmp_path], Settings()).diagnoses()
    assert isinstance(diagnosis.outcome, Fix)
    assert diagnosis.outcome.message == added
