"""Values followed through functions: arguments, returns, closures, partials, decorators, generators."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row


def loaded(name: str, source: str, *paths: str) -> object:
    """Return a row whose program ends with a loader that collates by `f`."""
    load = "\nDataLoader([], collate_fn=f, num_workers=2)\n"
    return row(name, textwrap.dedent(source) + load, *paths)


ROWS = [
    row(
        "keywords with one taken out",
        """
        def make(**options):
            options.pop("collate_fn", None)
            return DataLoader([], num_workers=2, **options)
        make(collate_fn=lambda b: b, batch_size=2)
        """,
    ),
    row(
        "keywords with another one taken out",
        """
        def make(**options):
            del options["batch_size"]
            return DataLoader([], num_workers=2, **options)
        make(collate_fn=lambda b: b, batch_size=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "keywords with one taken out too late",
        """
        options = {"collate_fn": lambda b: b}
        DataLoader([], num_workers=2, **options)
        options.pop("collate_fn")
        """,
        "collate_fn lambda",
    ),
    row(
        "functions composed by reduce",
        """
        def both(f, g): return lambda x: g(f(x))
        DataLoader([], collate_fn=functools.reduce(both, [len, str]), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "functions reduced to one of them",
        """
        def last(f, g): return g
        DataLoader([], collate_fn=functools.reduce(last, [len, str]), num_workers=2)
        """,
    ),
    row(
        "a branch that the call takes",
        """
        def choose(kind):
            if kind == "first": return lambda b: b[0]
            return len
        DataLoader([], collate_fn=choose("first"), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a branch that the call does not take",
        """
        def choose(kind):
            if kind == "first": return lambda b: b[0]
            return len
        DataLoader([], collate_fn=choose("all"), num_workers=2)
        """,
    ),
    row(
        "what comes after a return that the call takes",
        """
        def choose(plain=True):
            if plain: return len
            return lambda b: b[0]
        DataLoader([], collate_fn=choose(), num_workers=2)
        """,
    ),
    row(
        "a name bound in a branch that the call does not take",
        """
        def choose(kind):
            f = len
            if kind is not None: f = lambda b: b[0]
            return f
        DataLoader([], collate_fn=choose(None), num_workers=2)
        """,
    ),
    row(
        "a branch on a value that is not known",
        """
        def choose(kind):
            if kind == "first": return lambda b: b[0]
            return len
        DataLoader([], collate_fn=choose(input()), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a branch on a parameter that is bound anew",
        """
        def choose(kind):
            kind = kind or "first"
            if kind == "first": return lambda b: b[0]
            return len
        DataLoader([], collate_fn=choose(None), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a conditional expression that is decided",
        """
        def choose(plain): return len if plain else lambda b: b[0]
        DataLoader([], collate_fn=choose(True), num_workers=2)
        """,
    ),
    row(
        "an attribute set in a branch of the constructor that is not taken",
        """
        class Data:
            def __init__(self, locked=False):
                if locked: self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "an attribute set in a branch of the constructor that is taken",
        """
        class Data:
            def __init__(self, locked=False):
                if not locked: self.lock = None
                else: self.lock = threading.Lock()
        DataLoader(Data(locked=True), num_workers=2)
        """,
        "dataset.lock threading.Lock()",
    ),
    row(
        "an argument to a parameter",
        """
        def make(collate): return DataLoader([], collate_fn=collate, num_workers=2)
        make(lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "an argument to another parameter",
        """
        def make(collate, key): return DataLoader([], collate_fn=collate, num_workers=2)
        make(None, lambda b: b)
        """,
    ),
    row(
        "a keyword-only argument",
        """
        def make(*, collate): return DataLoader([], collate_fn=collate, num_workers=2)
        make(collate=lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "an argument passed on twice",
        """
        def inner(f): return DataLoader([], collate_fn=f, num_workers=2)
        def outer(g): return inner(g)
        outer(lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "two calls stay two objects",
        """
        def good(b): return b
        def wrap(f): return Keep(f)
        first, second = wrap(good), wrap(lambda b: b)
        DataLoader(first, num_workers=2)
        """,
        "dataset.kept def good",
    ),
    row(
        "a default",
        """
        def make(collate=lambda b: b): return DataLoader([], collate_fn=collate, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a default that every caller replaces",
        """
        def good(b): return b
        def make(collate=lambda b: b): return DataLoader([], collate_fn=collate, num_workers=2)
        make(good)
        """,
        "collate_fn def good",
    ),
    row(
        "a default that one caller leaves",
        """
        def good(b): return b
        def make(collate=lambda b: b): return DataLoader([], collate_fn=collate, num_workers=2)
        make(good)
        make()
        """,
        "collate_fn def good",
        "collate_fn lambda",
    ),
    loaded(
        "a return",
        "def make(): return lambda b: b\nf = make()",
        "collate_fn lambda",
    ),
    loaded("a function that is not called", "def f(b): return lambda b: b", "collate_fn def f"),
    loaded(
        "one of several returns",
        """
        def good(b): return b
        def make(flag):
            if flag:
                return good
            return lambda b: b
        f = make(input())
        """,
        "collate_fn def good",
        "collate_fn lambda",
    ),
    loaded(
        "a return of a tuple",
        "def make(): return 3, lambda b: b\n_, f = make()",
        "collate_fn lambda",
    ),
    loaded(
        "a factory's closure",
        """
        def make(pad):
            def collate(batch): return batch, pad
            return collate
        f = make(0)
        """,
        "collate_fn def collate",
    ),
    loaded(
        "what a closure captures does not cross by itself",
        """
        def make(connection):
            def collate(batch): return [batch, len(connection)]
            return collate(1)
        f = make(sqlite3.connect("x"))
        """,
    ),
    loaded(
        "a factory in a factory",
        """
        def outer(a):
            def middle(b):
                return lambda c: (a, b, c)
            return middle
        f = outer(1)(2)
        """,
        "collate_fn lambda",
    ),
    loaded(
        "a partial's function",
        "f = functools.partial(lambda b, pad: b, pad=3)",
        "collate_fn.func lambda",
    ),
    loaded(
        "what a partial binds",
        """
        def good(b, key, scale): return b
        f = functools.partial(good, lambda b: b, scale=lambda x: x)
        """,
        "collate_fn.func def good",
        "collate_fn(0) lambda",
        "collate_fn(scale) lambda",
    ),
    loaded(
        "a partial that is called does not cross",
        """
        def good(b, key): return b
        f = functools.partial(good, key=lambda b: b)(3)
        """,
    ),
    loaded(
        "a partial of a partial",
        """
        def good(b, key, other): return b
        f = functools.partial(functools.partial(good, key=lambda b: b), other=1)
        """,
        "collate_fn.func.func def good",
        "collate_fn.func(key) lambda",
    ),
    loaded(
        "a decorator without wraps",
        """
        def timed(function):
            def inner(*args): return function(*args)
            return inner
        @timed
        def f(b): return b
        """,
        "collate_fn def inner",
    ),
    loaded(
        "a decorator with wraps",
        """
        def timed(function):
            @functools.wraps(function)
            def inner(*args): return function(*args)
            return inner
        @timed
        def f(b): return b
        """,
        "collate_fn def f",
    ),
    loaded(
        "a decorator with arguments and wraps",
        """
        def retry(times):
            def outer(function):
                @functools.wraps(function)
                def inner(*args): return function(*args)
                return inner
            return outer
        @retry(3)
        def f(b): return b
        """,
        "collate_fn def f",
    ),
    loaded(
        "a decorator that gives back what it got",
        """
        TABLE = {}
        def register(name):
            def keep(function):
                TABLE[name] = function
                return function
            return keep
        @register("a")
        def collate(b): return b
        f = TABLE["a"]
        """,
        "collate_fn def collate",
    ),
    loaded(
        "a decorator that is a partial of the library",
        """
        @torch.no_grad()
        def f(b): return b
        """,
        "collate_fn def f",
    ),
    loaded(
        "a decorator that is a class",
        """
        class Timed:
            def __init__(self, function): self.function = function
            def __call__(self, *a): return self.function(*a)
        @Timed
        def f(b): return b
        """,
        "collate_fn.function def f",
    ),
    row(
        "a generator function's result",
        """
        def stream():
            yield 1
        DataLoader(Keep(stream()), num_workers=2)
        """,
        "dataset.kept stream()",
    ),
    row(
        "a generator function crosses by its name",
        """
        def stream():
            yield 1
        DataLoader(Keep(stream), num_workers=2)
        """,
        "dataset.kept def stream",
    ),
    row(
        "what a generator yields",
        """
        def steps():
            yield len
            yield lambda x: x
        DataLoader(Keep(list(steps())), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "what a generator delegates to",
        """
        def some():
            yield lambda x: x
        def steps():
            yield from some()
        DataLoader(Keep(list(steps())), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    loaded(
        "a static method",
        """
        class Tools:
            @staticmethod
            def collate(b): return b
        f = Tools.collate
        """,
        "collate_fn def collate",
    ),
    loaded(
        "a static method does not take its object along",
        """
        class Tools:
            def __init__(self): self.lock = threading.Lock()
            @staticmethod
            def collate(b): return b
        f = Tools().collate
        """,
        "collate_fn def collate",
    ),
    loaded(
        "a lambda that is a static method",
        """
        class Tools:
            collate = staticmethod(lambda b: b)
        f = Tools.collate
        """,
        "collate_fn lambda",
    ),
    row(
        "a class method that makes the object",
        """
        class Data:
            def __init__(self, f): self.f = f
            @classmethod
            def make(cls): return cls(lambda b: b)
        DataLoader(Data.make(), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a class method of a subclass makes that",
        """
        class Data:
            def __init__(self): self.a = 1
            @classmethod
            def make(cls): return cls()
        class Locked(Data):
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Locked.make(), num_workers=2)
        """,
        "dataset.lock threading.Lock()",
    ),
    loaded(
        "a bound method takes its object along",
        """
        class Tools:
            def __init__(self): self.lock = threading.Lock()
            def collate(self, b): return b
        f = Tools().collate
        """,
        "collate_fn.__self__.lock threading.Lock()",
    ),
    loaded(
        "a method of the class itself does not",
        """
        class Tools:
            def __init__(self): self.lock = threading.Lock()
            def collate(self, b): return b
        f = Tools.collate
        """,
        "collate_fn def collate",
    ),
    row(
        "a method passed from within",
        """
        class Module:
            def __init__(self): self.lock = threading.Lock()
            def collate(self, b): return b
            def train_dataloader(self):
                return DataLoader([], collate_fn=self.collate, num_workers=2)
        """,
        "collate_fn.__self__.lock threading.Lock()",
    ),
    loaded(
        "a callable instance",
        """
        class Collate:
            def __init__(self): self.key = lambda x: x
            def __call__(self, b): return b
        f = Collate()
        """,
        "collate_fn.key lambda",
    ),
    loaded(
        "a callable instance that is called",
        """
        class Factory:
            def __init__(self): self.lock = threading.Lock()
            def __call__(self): return lambda b: b
        f = Factory()()
        """,
        "collate_fn lambda",
    ),
    loaded(
        "functions chosen by getattr",
        """
        class Tools:
            good = None
            bad = staticmethod(lambda b: b)
        f = getattr(Tools, "bad")
        """,
        "collate_fn lambda",
    ),
    row(
        "star arguments passed on",
        """
        def make(*args, **kwargs): return DataLoader(*args, **kwargs)
        make([], num_workers=2, collate_fn=lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "star arguments passed on, with one replaced",
        """
        def good(b): return b
        def make(*args, **kwargs):
            kwargs["collate_fn"] = good
            return DataLoader(*args, **kwargs)
        make([], num_workers=2)
        """,
        "collate_fn def good",
    ),
    row(
        "a setdefault of keyword arguments",
        """
        def make(ds, **kwargs):
            kwargs.setdefault("collate_fn", lambda b: b)
            return DataLoader(ds, **kwargs)
        make([], num_workers=2)
        """,
        "collate_fn lambda",
    ),
    loaded(
        "a lambda's own default",
        "f = (lambda b, key=lambda x: x: b)",
        "collate_fn lambda",
    ),
    loaded(
        "functions calling each other end",
        """
        def even(n): return odd(n - 1) if n else (lambda b: b)
        def odd(n): return even(n - 1)
        f = even(4)
        """,
        "collate_fn lambda",
    ),
    loaded(
        "a cached function's result",
        """
        @functools.lru_cache
        def make(): return lambda b: b
        f = make()
        """,
        "collate_fn lambda",
    ),
    row(
        "a context manager function's value",
        """
        import contextlib
        @contextlib.contextmanager
        def opened():
            yield sqlite3.connect("x")
        with opened() as connection:
            DataLoader(Keep(connection), num_workers=2)
        """,
        "dataset.kept sqlite3.connect(...)",
    ),
    row(
        "a class given as an argument",
        """
        class Locked:
            def __init__(self): self.lock = threading.Lock()
        def make(kind): return DataLoader(kind(), num_workers=2)
        make(Locked)
        """,
        "dataset.lock threading.Lock()",
    ),
    row(
        "a local class",
        """
        def make():
            class Locked:
                def __init__(self): self.lock = threading.Lock()
            return Locked()
        DataLoader(make(), num_workers=2)
        """,
        "dataset.lock threading.Lock()",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_by_functions(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
