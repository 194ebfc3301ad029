"""The walk beside the real object: what hangs in it, and what the walk says hangs in it."""

from __future__ import annotations

import textwrap
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlfix.reach.values import Class
from tests.reach.paths import analysis_of, place

# A program makes `made`; the paths that the walk lacks (known holes) are listed with it.
PROGRAMS = {
    "attributes, bases and helpers": (
        """
        class Base:
            def __init__(self, f): self.f = f
        class Data(Base):
            def __init__(self, f, n):
                super().__init__(f)
                self._make(n)
                if len(str(n)) > 3: self.big = len
                else: self.small = Base(sorted)
            def _make(self, n): self.steps = [len, sorted, {"k": f}]
        def f(x): return x
        made = Data(f, 2)
        """,
        set(),
    ),
    "dataclasses": (
        """
        from dataclasses import dataclass, field
        @dataclass
        class Inner:
            f: object = len
        @dataclass
        class Data:
            inner: Inner
            extra: list = field(default_factory=list)
            def __post_init__(self): self.more = Inner(sorted)
        made = Data(Inner())
        """,
        set(),
    ),
    "partials and methods": (
        """
        import functools
        class Tools:
            def __init__(self): self.g = len
            def collate(self, b): return b
        def run(b, key, tools): return b
        made = functools.partial(run, len, tools=[Tools().collate])
        """,
        set(),
    ),
    "containers that grow": (
        """
        class Data:
            def __init__(self):
                self.all = []
                for f in (len, sorted): self.all.append(f)
                self.named = {}
                self.named["a"] = len
                self.named.update(b=sorted)
                self.cut = [len, sorted, print][1:]
        made = Data()
        """,
        set(),
    ),
    "state that is replaced": (
        """
        class Data:
            def __init__(self):
                self.a = len
                self.a = None
                self.b = sorted
                del self.b
                setattr(self, "c", print)
                me = self
                me.d = len
        made = Data()
        made.late = sorted
        """,
        set(),
    ),
    "attributes by names that are worked out": (
        """
        class Data:
            def __init__(self):
                for name in ("a", "b"): setattr(self, name, len)
                for name, f in {"c": sorted, "d": None}.items(): setattr(self, name, f)
                self.__dict__.update({"e": len}, f=print)
        made = Data()
        setattr(made, "g", print)
        """,
        set(),
    ),
}
PLAIN = (int, float, str, bytes, bool, type(None), type)


def real(value: object, path: str = "", above: tuple[int, ...] = ()) -> Iterator[str]:
    """Yield the paths of all that hangs from an object, keys and places left out."""
    if isinstance(value, PLAIN) or id(value) in above:
        return
    yield path
    for edge, child in hanging(value):
        yield from real(child, path + edge, (*above, id(value)))


def hanging(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif hasattr(value, "func") and hasattr(value, "keywords"):
        yield ".func", value.func
        yield from ((f"({i})", one) for i, one in enumerate(value.args))
        yield from ((f"({name})", one) for name, one in value.keywords.items())
    elif isinstance(value, dict):
        yield from (("[]", one) for one in value.values())
    elif isinstance(value, (list, tuple, set)):
        yield from (("[]", one) for one in value)
    elif not isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
        yield from ((f".{name}", one) for name, one in vars(value).items())


def walked(folder: Path, source: str) -> set[str]:
    """Return the paths the walk has below the dataset."""
    load = "from torch.utils.data import DataLoader\n"
    analysis = analysis_of(folder, f"{load}{source}\nDataLoader(made, num_workers=2)", prelude="")
    return {
        without_keys(place(crossing).removeprefix("dataset"))
        for crossing in analysis.crossings
        if not isinstance(crossing.value, Class)
    }


def without_keys(path: str) -> str:
    parts = path.split("[")
    return parts[0] + "".join("[]" + part.partition("]")[2] for part in parts[1:])


@pytest.mark.parametrize(("source", "holes"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_walk_has_what_the_object_has(source: str, holes: set[str], tmp_path: Path) -> None:
    source = textwrap.dedent(source)
    names: dict[str, object] = {"__name__": "program"}
    exec(compile(source, "program", "exec", dont_inherit=True), names)
    seen, there = walked(tmp_path, source), set(real(names["made"]))
    assert there - seen == holes
    assert seen - there == branches_not_taken(source)


def branches_not_taken(source: str) -> set[str]:
    """Return what a run cannot show: the other side of a branch."""
    return {".big"} if "self.big" in source else set()
