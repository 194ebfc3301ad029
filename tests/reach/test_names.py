"""Values followed across names, containers and control flow of one module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

ROWS = [
    row(
        "items put in place of a slice",
        """
        def good(b): return b
        items = [good]
        items[1:2] = [lambda b: b]
        DataLoader(items, num_workers=2)
        """,
        "dataset[0] def good",
        "dataset[] lambda",
    ),
    row(
        "an item put into an item of a slice, and a slice of a slice",
        """
        def good(b): return b
        items = [[good], [good]]
        items[0:1][0].append(lambda b: b)
        items[1:][:1] = [[good]]
        DataLoader(Keep(items), num_workers=2)
        """,
        "dataset.kept[0][0] def good",
        "dataset.kept[1][0] def good",
        "dataset.kept[][][0] def good",
        "dataset.kept[][0][] lambda",
    ),
    row(
        "a name",
        "f = lambda b: b\nDataLoader([], collate_fn=f, num_workers=2)",
        "collate_fn lambda",
    ),
    row(
        "a name that is bound again holds the last",
        """
        def good(b): return b
        f = lambda b: b
        f = good
        DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn def good",
    ),
    row(
        "a name that is bound after the use is not seen in straight code",
        """
        def good(b): return b
        def make():
            f = good
            loader = DataLoader([], collate_fn=f, num_workers=2)
            f = lambda b: b
            return loader
        """,
        "collate_fn def good",
    ),
    row(
        "a name bound in both branches holds either",
        """
        import random
        def good(b): return b
        if random.random() > 0.5:
            f = good
        else:
            f = lambda b: b
        DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn def good",
        "collate_fn lambda",
    ),
    row(
        "a name bound in the other branch is not seen",
        """
        def make(flag, good):
            if flag:
                f = lambda b: b
            else:
                f = None
                DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "a name deleted and bound anew holds the new",
        """
        def make():
            f = lambda b: b
            del f
            f = None
            DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "a tuple unpacked",
        """
        good, bad = None, lambda b: b
        DataLoader([], collate_fn=bad, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "the other half of a tuple unpacked",
        """
        good, bad = None, lambda b: b
        DataLoader([], collate_fn=good, num_workers=2)
        """,
    ),
    row(
        "nested unpacking",
        """
        (a, [b, c]), d = (1, [2, lambda x: x]), 4
        DataLoader([], collate_fn=c, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "what stands after a starred target",
        """
        first, *rest, last = [1, 2, 3, lambda b: b]
        DataLoader([], collate_fn=last, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "what stands before a starred target",
        """
        first, *rest = [None, lambda b: b]
        DataLoader([], collate_fn=first, num_workers=2)
        """,
    ),
    row(
        "a starred target is a list of the rest",
        """
        first, *rest = [None, lambda b: b]
        DataLoader([], collate_fn=rest[0], num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "two names of one assignment",
        "f = g = lambda b: b\nDataLoader([], collate_fn=f, num_workers=2)",
        "collate_fn lambda",
    ),
    row(
        "an annotated name",
        "f: object = lambda b: b\nDataLoader([], collate_fn=f, num_workers=2)",
        "collate_fn lambda",
    ),
    row(
        "a walrus",
        """
        if (f := lambda b: b):
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a walrus in the call itself",
        "DataLoader([], collate_fn=(f := lambda b: b), num_workers=2)",
        "collate_fn lambda",
    ),
    row(
        "a walrus of a comprehension is bound outside",
        """
        def make():
            found = [last := (lambda b: b) for _ in range(3)]
            DataLoader([], collate_fn=last, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a handle bound by with",
        """
        with sqlite3.connect("x") as connection:
            DataLoader(Keep(connection), num_workers=2)
        """,
        "dataset.kept sqlite3.connect(...)",
    ),
    row(
        "what with enters is not what it binds",
        """
        class Pack:
            def __enter__(self): return 3
            def __exit__(self, *a): pass
            def __init__(self): self.lock = threading.Lock()
        with Pack() as pack:
            DataLoader(Keep(pack), num_workers=2)
        """,
    ),
    row(
        "an object that enters itself",
        """
        class Pack:
            def __enter__(self): return self
            def __exit__(self, *a): pass
            def __init__(self): self.lock = threading.Lock()
        with Pack() as pack:
            DataLoader(Keep(pack), num_workers=2)
        """,
        "dataset.kept.lock threading.Lock()",
    ),
    row(
        "augmented assignment of a list",
        """
        steps = [len]
        steps += [lambda x: x]
        DataLoader(Keep(steps), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "a sum is no list",
        """
        total = 0
        total += (lambda: 3)()
        DataLoader(Keep(total), num_workers=2)
        """,
    ),
    row(
        "a list comprehension's items",
        "DataLoader(Keep([lambda x: x for _ in range(3)]), num_workers=2)",
        "dataset.kept[] lambda",
    ),
    row(
        "a dict comprehension's values",
        "DataLoader(Keep({k: (lambda x: x) for k in 'ab'}), num_workers=2)",
        "dataset.kept[] lambda",
    ),
    row(
        "a comprehension over functions",
        "DataLoader(Keep([f for f in (lambda x: x, len)]), num_workers=2)",
        "dataset.kept[] lambda",
    ),
    row(
        "a comprehension that calls its functions",
        "DataLoader(Keep([f(1) for f in (lambda x: x, len)]), num_workers=2)",
    ),
    row(
        "a comprehension over objects that are made of its item",
        "DataLoader(Keep([Keep(k) for k in (lambda x: x,)]), num_workers=2)",
        "dataset.kept[].kept lambda",
    ),
    row(
        "a generator expression",
        "DataLoader(Keep(x for x in range(3)), num_workers=2)",
        "dataset.kept (x for x in range(3))",
    ),
    row(
        "a list of a generator is a list",
        "DataLoader(Keep(list(x for x in range(3))), num_workers=2)",
    ),
    row(
        "a conditional expression",
        "import sys\nDataLoader([], collate_fn=None if sys.argv else lambda b: b, num_workers=2)",
        "collate_fn lambda",
    ),
    row(
        "the test of a conditional expression does not cross",
        "DataLoader([], collate_fn=1 if (lambda b: b) else None, num_workers=2)",
    ),
    row(
        "an `or` default",
        """
        def make(collate=None):
            return DataLoader([], collate_fn=collate or (lambda b: b), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "the right of an `or` whose left is always true",
        """
        def good(b): return b
        DataLoader([], collate_fn=good or (lambda b: b), num_workers=2)
        """,
        "collate_fn def good",
    ),
    row(
        "an `and` gives its last part",
        """
        def make(flag):
            return DataLoader([], collate_fn=flag and (lambda b: b), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loop's item",
        """
        for f in (None, lambda b: b):
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loop over pairs",
        """
        for name, f in [("a", len), ("b", lambda b: b)]:
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "the other name of a loop over pairs",
        """
        for name, f in [("a", len), ("b", lambda b: b)]:
            DataLoader(Keep(name), num_workers=2)
        """,
    ),
    row(
        "a loop over enumerate and zip",
        """
        for i, (name, f) in enumerate(zip("ab", [lambda b: b])):
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loop over the values of a dict",
        """
        table = {"a": lambda b: b}
        for name, f in table.items():
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loop over the keys of a dict",
        """
        table = {"a": lambda b: b}
        for name in table:
            DataLoader(Keep(name), num_workers=2)
        """,
    ),
    row(
        "a name bound later in the loop is seen round it",
        """
        def make(items):
            f = None
            for item in items:
                DataLoader([], collate_fn=f, num_workers=2)
                f = lambda b: b
        """,
        "collate_fn lambda",
    ),
    row(
        "a name set by global",
        """
        collate = None
        def choose():
            global collate
            collate = lambda b: b
        choose()
        DataLoader([], collate_fn=collate, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a local name is not the global one",
        """
        collate = None
        def choose():
            collate = lambda b: b
        choose()
        DataLoader([], collate_fn=collate, num_workers=2)
        """,
    ),
    row(
        "a name set by nonlocal",
        """
        def make():
            collate = None
            def choose():
                nonlocal collate
                collate = lambda b: b
            def load():
                return DataLoader([], collate_fn=collate, num_workers=2)
            choose()
            return load()
        make()
        """,
        "collate_fn lambda",
    ),
    row(
        "star arguments spelled out",
        """
        given = ([], 4)
        more = (False, None, None, 2, lambda b: b)
        DataLoader(*given, *more)
        """,
        "collate_fn lambda",
    ),
    row(
        "star arguments that hold a sampler",
        """
        given = ([], 4, False, lambda b: b)
        DataLoader(*given, num_workers=2)
        """,
    ),
    row(
        "a keyword dict",
        """
        kwargs = dict(collate_fn=lambda b: b, num_workers=2)
        DataLoader([], **kwargs)
        """,
        "collate_fn lambda",
    ),
    row(
        "a keyword dict, filled in later",
        """
        kwargs = {"num_workers": 2}
        kwargs["collate_fn"] = lambda b: b
        DataLoader([], **kwargs)
        """,
        "collate_fn lambda",
    ),
    row(
        "a keyword dict, updated",
        """
        kwargs = {"num_workers": 2}
        kwargs.update(collate_fn=lambda b: b)
        DataLoader([], **kwargs)
        """,
        "collate_fn lambda",
    ),
    row(
        "a keyword dict made of another",
        """
        common = {"collate_fn": lambda b: b}
        kwargs = {**common, "num_workers": 2}
        DataLoader([], **kwargs)
        """,
        "collate_fn lambda",
    ),
    row(
        "a keyword dict made by |",
        """
        kwargs = {"num_workers": 2} | {"collate_fn": lambda b: b}
        DataLoader([], **kwargs)
        """,
        "collate_fn lambda",
    ),
    row(
        "a keyword dict's sampler",
        """
        kwargs = dict(sampler=lambda b: b, num_workers=2)
        DataLoader([], **kwargs)
        """,
    ),
    row(
        "a later key of a keyword dict replaces an earlier",
        """
        def good(b): return b
        common = {"collate_fn": lambda b: b}
        DataLoader([], **{**common, "collate_fn": good}, num_workers=2)
        """,
        "collate_fn def good",
    ),
    row(
        "a list literal and its index",
        "DataLoader([], collate_fn=[None, lambda b: b][1], num_workers=2)",
        "collate_fn lambda",
    ),
    row("another index", "DataLoader([], collate_fn=[None, lambda b: b][0], num_workers=2)"),
    row(
        "an index from the end",
        "DataLoader([], collate_fn=[None, lambda b: b][-1], num_workers=2)",
        "collate_fn lambda",
    ),
    row(
        "another index from the end",
        "DataLoader([], collate_fn=[None, lambda b: b][-2], num_workers=2)",
    ),
    row(
        "a slice is a list",
        "DataLoader(Keep([None, lambda b: b][1:]), num_workers=2)",
        "dataset.kept[0] lambda",
    ),
    row(
        "a dispatch table with an unknown key",
        """
        def good(b): return b
        COLLATES = {"a": good, "b": lambda b: b}
        def make(name):
            return DataLoader([], collate_fn=COLLATES[name], num_workers=2)
        """,
        "collate_fn def good",
        "collate_fn lambda",
    ),
    row(
        "a dispatch table with a known key",
        """
        def good(b): return b
        COLLATES = {"a": good, "b": lambda b: b}
        DataLoader([], collate_fn=COLLATES["a"], num_workers=2)
        """,
        "collate_fn def good",
    ),
    row(
        "a dispatch table filled by a subscript",
        """
        COLLATES = {}
        COLLATES["b"] = lambda b: b
        DataLoader([], collate_fn=COLLATES.get("b"), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a dispatch table filled by a decorator",
        """
        COLLATES = {}
        def register(function):
            COLLATES[function.__name__] = function
            return function
        @register
        def pad(b): return b
        def make(name):
            return DataLoader([], collate_fn=COLLATES[name], num_workers=2)
        """,
        "collate_fn def pad",
    ),
    row(
        "a key passed as an argument",
        """
        COLLATES = {"a": len, "b": lambda b: b}
        def make(name):
            return DataLoader([], collate_fn=COLLATES[name], num_workers=2)
        make("a")
        """,
    ),
    row(
        "lists joined",
        "DataLoader(Keep([1] + [lambda b: b]), num_workers=2)",
        "dataset.kept[1] lambda",
    ),
    row(
        "appended in a loop",
        """
        steps = []
        for n in range(3):
            steps.append(lambda x: x + n)
        DataLoader(Keep(steps), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "appended to another list",
        """
        steps, others = [], []
        others.append(lambda x: x)
        DataLoader(Keep(steps), num_workers=2)
        """,
    ),
    row(
        "a lambda that is called does not cross",
        "DataLoader(Keep((lambda x: x)(3)), num_workers=2)",
    ),
    row(
        "a sort key does not cross",
        "DataLoader(Keep(sorted([3, 1], key=lambda x: -x)), num_workers=2)",
    ),
    row(
        "what try binds and what except binds",
        """
        def good(b): return b
        try:
            from fast import collate
        except ImportError:
            collate = lambda b: b
        DataLoader([], collate_fn=collate, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a name captured by match",
        """
        def make(value):
            match (1, lambda b: b):
                case (1, f):
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a name that an inner function rebinds, once it is called",
        """
        def make():
            f = None
            def choose():
                nonlocal f
                f = lambda b: b
            choose()
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a name that an inner function rebinds later",
        """
        def make():
            f = None
            def choose():
                nonlocal f
                f = lambda b: b
            DataLoader([], collate_fn=f, num_workers=2)
            choose()
        """,
    ),
    row(
        "a name that an inner function rebinds later on the same line",
        """
        def make():
            f = None
            def choose():
                nonlocal f
                f = lambda b: b
            DataLoader([], collate_fn=f, num_workers=2); choose()
        """,
    ),
    row(
        "a name that an inner function rebinds before on the same line",
        """
        def make():
            f = None
            def choose():
                nonlocal f
                f = lambda b: b
            choose(); DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a global that a call sets in a branch it takes",
        """
        f = None
        def setup(flag):
            global f
            if flag:
                f = lambda b: b
        setup(True)
        DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a global that a call sets in a branch it does not take",
        """
        f = None
        def setup(flag):
            global f
            if flag:
                f = lambda b: b
        setup(False)
        DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "a key of a dict that is given another value at once",
        """
        COLLATES = {"a": lambda b: b}
        COLLATES["a"] = None
        DataLoader([], collate_fn=COLLATES["a"], num_workers=2)
        """,
    ),
    row(
        "a key of a dict that is read before it is given another value",
        """
        COLLATES = {"a": lambda b: b}
        DataLoader([], collate_fn=COLLATES["a"], num_workers=2)
        COLLATES["a"] = None
        """,
        "collate_fn lambda",
    ),
    row(
        "a global looked up by its text",
        """
        def good(b): return b
        bad = lambda b: b
        DataLoader([], collate_fn=globals()["bad"], num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "another global looked up by its text",
        """
        def good(b): return b
        bad = lambda b: b
        DataLoader([], collate_fn=globals()["good"], num_workers=2)
        """,
        "collate_fn def good",
    ),
    row(
        "the next of a generator",
        """
        def parts():
            yield lambda b: b
        DataLoader([], collate_fn=next(parts()), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "the next of another generator",
        """
        def parts():
            yield lambda b: b
        def others():
            yield None
        DataLoader([], collate_fn=next(others()), num_workers=2)
        """,
    ),
    row(
        "pairs of two lists",
        """
        for keep, f in zip([0, 1], [len, lambda b: b]):
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "the other of each pair of two lists",
        """
        for f, key in zip([None, None], [len, lambda b: b]):
            DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "a name captured by match at another place",
        """
        def make(value):
            match (len, lambda b: b):
                case (f, _):
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "the rest of a sequence captured by match",
        """
        def make(value):
            match [len, lambda b: b]:
                case [_, *rest]:
                    DataLoader([], collate_fn=rest[0], num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "the whole of what a pattern takes",
        """
        def make(value=lambda b: b):
            match value:
                case None:
                    return
                case other:
                    DataLoader([], collate_fn=other, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "what a pattern takes of a mapping",
        """
        def make():
            match {"each": lambda b: b, "good": len}:
                case {"each": f, "good": _}:
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "what a pattern takes of another key",
        """
        def make():
            match {"bad": lambda b: b, "good": len}:
                case {"good": f}:
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "what a pattern takes of an object",
        """
        def make():
            match Keep(lambda b: b, len):
                case Keep(kept=f):
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "another attribute that a pattern takes",
        """
        def make():
            match Keep(lambda b: b, len):
                case Keep(other=f):
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "a key that a function is passed, taken by get",
        """
        COLLATES = {"good": None, "bad": lambda b: b}
        def make(name):
            return DataLoader([], collate_fn=COLLATES.get(name), num_workers=2)
        make("bad")
        """,
        "collate_fn lambda",
    ),
    row(
        "another key that a function is passed, taken by get",
        """
        COLLATES = {"good": None, "bad": lambda b: b}
        def make(name):
            return DataLoader([], collate_fn=COLLATES.get(name), num_workers=2)
        make("good")
        """,
    ),
    row(
        "bound in one case of a match",
        """
        def make(mode):
            match mode:
                case "a":
                    f = None
                case _:
                    f = lambda b: b
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "bound in another case of a match",
        """
        def make(mode):
            f = None
            match mode:
                case "a":
                    f = lambda b: b
                case _:
                    DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "names of a class body are not seen in a comprehension's items",
        """
        f = None
        class Config:
            f = lambda b: b
            found = [f for _ in range(2)]
        DataLoader(Keep(Config.found), num_workers=2)
        """,
    ),
    row(
        "names of a class body are seen in a comprehension's first iterable",
        """
        class Config:
            fs = [lambda b: b]
            found = [f for f in fs]
        DataLoader(Keep(Config.found), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "a name bound in the body of with",
        """
        def make(path):
            f = None
            with open(path):
                f = lambda b: b
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "while and its else",
        """
        def make():
            f = None
            while f is None:
                f = lambda b: b
            DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_by_names(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
