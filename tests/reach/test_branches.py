"""What tests tell of values: branches that are not taken, and values that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program
from tests.reach.paths import Case, analysis_of, paths, row

ROWS = [
    row(
        "what the opposite branch of the same test has set",
        """
        import argparse
        args = argparse.ArgumentParser().parse_args()
        fast = len(args.columns) == 2
        if fast:
            data = Keep(1)
        else:
            data = Keep(lambda x: x)
        if not fast:
            pass
        if fast:
            DataLoader(data, num_workers=2)
        else:
            DataLoader(data)
        """,
    ),
    row(
        "what is made where there are no rounds of the loop that starts workers",
        """
        import argparse
        from multiprocessing import Process
        args = argparse.ArgumentParser().parse_args()
        data = Keep(1) if args.workers else Keep(lambda x: x)
        started = [Process(target=print, args=(data,)) for _ in range(args.workers)]
        for _ in range(args.workers):
            Process(target=print, args=(data,))
        """,
    ),
    row(
        "what is made where there are rounds of the loop that starts workers",
        """
        import argparse
        from multiprocessing import Process
        args = argparse.ArgumentParser().parse_args()
        data = Keep(lambda x: x) if args.workers else Keep(1)
        started = [Process(target=print, args=(data,)) for _ in range(args.workers)]
        """,
        "args[0].kept lambda",
    ),
    row(
        "what the same branch of the same test has set",
        """
        import argparse
        args = argparse.ArgumentParser().parse_args()
        if not args.slow:
            data = Keep(lambda x: x)
        else:
            data = Keep(1)
        if not args.slow:
            DataLoader(data, num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "what the opposite branch has set while the test changes",
        """
        def main(rows):
            data = None
            for row in rows:
                fast = row.fast
                if fast:
                    DataLoader(data, num_workers=2)
                else:
                    data = Keep(lambda x: x)
        main([])
        """,
        "dataset.kept lambda",
    ),
    row(
        "a table by members of an enumeration",
        """
        import enum
        class Mode(enum.Enum):
            A = enum.auto()
            B = enum.auto()

        TABLE = {Mode.A: None, Mode.B: lambda b: b}
        def make(mode): return DataLoader([], collate_fn=TABLE[mode], num_workers=2)
        make(Mode.B)
        """,
        "collate_fn lambda",
    ),
    row(
        "another row of a table by members of an enumeration",
        """
        import enum
        class Mode(enum.Enum):
            A = enum.auto()
            B = enum.auto()

        TABLE = {Mode.A: None, Mode.B: lambda b: b}
        def make(mode): return DataLoader([], collate_fn=TABLE[mode], num_workers=2)
        make(Mode.A)
        """,
    ),
    row(
        "a member of another module's enumeration that no call passes",
        """
# file: modes.py
import enum
class Mode(enum.Enum):
    A = "a"
    B = "b"
# file: main.py
import modes
from torch.utils.data import DataLoader
def make(mode):
    f = (lambda b: b) if mode is modes.Mode.A else None
    return DataLoader([], collate_fn=f, num_workers=2)
make(modes.Mode.B)
        """,
    ),
    row(
        "a member of another module's enumeration that a call passes",
        """
# file: modes.py
import enum
class Mode(enum.Enum):
    A = "a"
    B = "b"
# file: main.py
import modes
from torch.utils.data import DataLoader
def make(mode):
    f = (lambda b: b) if mode is modes.Mode.B else None
    return DataLoader([], collate_fn=f, num_workers=2)
make(modes.Mode.B)
        """,
        "collate_fn lambda",
    ),
    row(
        "a branch of a constructor that an attribute chooses",
        """
        class Data:
            def __init__(self):
                self.kind = "a"
                if self.kind == "a":
                    self.f = lambda x: x
                else:
                    self.g = lambda x: x
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.f lambda",
        "dataset.g lambda",
    ),
    row(
        "a branch of a constructor that an attribute with its argument chooses",
        """
        class Data:
            def __init__(self, kind):
                self.kind = kind
                if self.kind == "a":
                    self.f = lambda x: x
                else:
                    self.g = lambda x: x
        DataLoader(Data("a"), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a branch of a constructor that an argument chooses",
        """
        class Data:
            def __init__(self, kind):
                if kind == "a":
                    self.f = lambda x: x
                else:
                    self.g = lambda x: x
        DataLoader(Data("a"), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a default that nobody passes another value for",
        """
        def make(kind="a"):
            f = (lambda b: b) if kind == "b" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make()
        """,
        "collate_fn lambda",
    ),
    row(
        "an object of a library that isinstance asks for is replaced",
        """
        import collections
        def plain(x):
            if isinstance(x, collections.defaultdict):
                x = {k: plain(v) for k, v in x.items()}
            return x
        DataLoader([], collate_fn=plain(collections.defaultdict(lambda: 1)), num_workers=2)
        """,
    ),
    row(
        "an object of a library that isinstance does not ask for is not",
        """
        import collections
        def plain(x):
            if isinstance(x, (list, collections.OrderedDict)):
                x = {k: plain(v) for k, v in x.items()}
            return x
        DataLoader([], collate_fn=plain(collections.defaultdict(lambda: 1)), num_workers=2)
        """,
        "collate_fn.default_factory lambda",
    ),
    row(
        "the else of isinstance holds what is no such object",
        """
        class A: pass
        def make(x):
            if isinstance(x, A):
                k = Keep(None)
            else:
                k = Keep(x)
            return DataLoader(k, num_workers=2)
        make(lambda b: b)
        """,
        "dataset.kept lambda",
    ),
    row(
        "the else of isinstance holds no such object",
        """
        class A:
            def __init__(self): self.f = lambda b: b
        def make(x):
            if isinstance(x, A):
                return None
            else:
                return DataLoader(Keep(x), num_workers=2)
        make(A())
        """,
    ),
    row(
        "what is packed by value where its name says that it is found by none",
        """
        import marshal, types
        def pack(x):
            if isinstance(x, types.FunctionType) and "<" in x.__qualname__:
                return "code", marshal.dumps(x.__code__)
            return "value", x
        class ByValue:
            def __init__(self, f):
                self.f = f
            def __reduce__(self):
                return unpack, (pack(self.f),)
        def unpack(packed):
            return ByValue(packed[1])
        DataLoader(ByValue(lambda x: x), num_workers=2)
        """,
        "dataset.state def unpack",
    ),
    row(
        "what is packed by value only where it is no lambda",
        """
        import marshal, types
        def pack(x):
            if isinstance(x, types.FunctionType) and x.__name__ != "<lambda>":
                return "code", marshal.dumps(x.__code__)
            return "value", x
        class ByValue:
            def __init__(self, f):
                self.f = f
            def __reduce__(self):
                return unpack, (pack(self.f),)
        def unpack(packed):
            return ByValue(packed[1])
        DataLoader(ByValue(lambda x: x), num_workers=2)
        """,
        "dataset.state def unpack",
        "dataset.state[1] lambda",
    ),
    row(
        "what is put into a list in a branch that no caller takes",
        """
        def steps(size=None):
            found = [str]
            if size is None:
                found.append(int)
            else:
                found.append(lambda x: x)
            return found
        DataLoader(Keep(steps()), num_workers=2)
        """,
    ),
    row(
        "what is put into a list in a branch that a caller takes",
        """
        def steps(size=None):
            found = [str]
            if size is None:
                found.append(int)
            else:
                found.append(lambda x: x)
            return found
        DataLoader(Keep(steps(3)), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "an attribute after an isinstance that left",
        """
        class A:
            def __init__(self): self.f = lambda b: b
        class M:
            def __init__(self, x): self.x = x
            def loader(self):
                if isinstance(self.x, A):
                    return None
                return DataLoader(self.x, num_workers=2)
        M(A()).loader()
        """,
    ),
    row(
        "an attribute after a negated isinstance that left",
        """
        class A:
            def __init__(self): self.f = lambda b: b
        class M:
            def __init__(self, x): self.x = x
            def loader(self):
                if not isinstance(self.x, A):
                    return None
                return DataLoader(self.x, num_workers=2)
        M(A()).loader()
        """,
        "dataset.f lambda",
    ),
    row(
        "a loader after an isinstance that all calls leave by",
        """
        def make(x):
            f = lambda b: b
            if isinstance(x, str):
                return DataLoader(Keep(None), num_workers=2)
            return DataLoader(Keep(f), num_workers=2)
        make("a")
        """,
    ),
    row(
        "a function is no text",
        """
        def make(x):
            if isinstance(x, str):
                x = None
            return DataLoader([], collate_fn=x, num_workers=2)
        make(lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "what is passed takes the place of None",
        """
        def make(x=None):
            if x is None:
                x = len
            return DataLoader([], collate_fn=x, num_workers=2)
        make(lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "a branch for None holds nothing else",
        """
        def make(x=None):
            if x is None:
                return DataLoader([], collate_fn=x, num_workers=2)
            return DataLoader([], num_workers=2)
        make(lambda b: b)
        """,
    ),
    row(
        "a default that no call needs",
        """
        def make(x=None):
            if x is not None:
                f = x
            else:
                f = lambda b: b
            return DataLoader([], collate_fn=f, num_workers=2)
        make(len)
        """,
    ),
    row(
        "a default that the call needs",
        """
        def make(x=None):
            if x is not None:
                f = x
            else:
                f = lambda b: b
            return DataLoader([], collate_fn=f, num_workers=2)
        make()
        """,
        "collate_fn lambda",
    ),
    row(
        "a function is callable",
        """
        def make(x):
            if callable(x):
                return DataLoader([], collate_fn=x, num_workers=2)
            return DataLoader([], num_workers=2)
        make(lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "a branch for what cannot be called holds no function",
        """
        def make(x):
            if not callable(x):
                return DataLoader(Keep(x), num_workers=2)
            return DataLoader([], num_workers=2)
        make(lambda b: b)
        """,
    ),
    row(
        "an object without __call__ is not callable",
        """
        class A:
            def __init__(self): self.f = lambda b: b
        def make(x):
            if callable(x):
                return DataLoader([], collate_fn=x, num_workers=2)
        make(A())
        """,
    ),
    row(
        "an object with __call__ is callable",
        """
        class A:
            def __init__(self): self.f = lambda b: b
            def __call__(self, b): return b
        def make(x):
            if callable(x):
                return DataLoader([], collate_fn=x, num_workers=2)
        make(A())
        """,
        "collate_fn.f lambda",
    ),
    row(
        "an object that lacks what hasattr asks for",
        """
        class A:
            def __init__(self): self.f = lambda b: b
        def make(x):
            if hasattr(x, "collate"):
                return DataLoader(x, num_workers=2)
        make(A())
        """,
    ),
    row(
        "an object that has what hasattr asks for",
        """
        class A:
            def __init__(self): self.f = lambda b: b
            def collate(self): pass
        def make(x):
            if hasattr(x, "collate"):
                return DataLoader(x, num_workers=2)
        make(A())
        """,
        "dataset.f lambda",
    ),
    row(
        "a member of an enumeration that no call passes",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
        def make(mode):
            if mode == Mode.A:
                f = lambda b: b
            else:
                f = None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(Mode.B)
        """,
    ),
    row(
        "a member of an enumeration that a call passes",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
        def make(mode):
            if mode is Mode.B:
                f = lambda b: b
            else:
                f = None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(Mode.B)
        """,
        "collate_fn lambda",
    ),
    row(
        "another member's value",
        """
        from enum import Enum
        class Mode(Enum):
            A = "a"
            B = "b"
        def make(mode):
            if mode == Mode.A.value:
                f = lambda b: b
            else:
                f = None
            return DataLoader([], collate_fn=f, num_workers=2)
        make("b")
        """,
    ),
    row(
        "the value of another member",
        """
        from enum import Enum
        class Mode(Enum):
            A = "a"
            B = "b"
        def make(mode):
            if mode.value == "a":
                f = lambda b: b
            else:
                f = None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(Mode.B)
        """,
    ),
    row(
        "the value of the very member",
        """
        from enum import Enum
        class Mode(Enum):
            A = "a"
            B = "b"
        def make(mode):
            if mode.value == "b":
                f = lambda b: b
            else:
                f = None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(Mode.B)
        """,
        "collate_fn lambda",
    ),
    row(
        "a text that is in no tuple",
        """
        def make(kind):
            f = None
            if kind in ("a", "b"):
                f = lambda b: b
            return DataLoader([], collate_fn=f, num_workers=2)
        make("c")
        """,
    ),
    row(
        "a text that is in a tuple",
        """
        def make(kind):
            f = None
            if kind in ("a", "b"):
                f = lambda b: b
            return DataLoader([], collate_fn=f, num_workers=2)
        make("a")
        """,
        "collate_fn lambda",
    ),
    row(
        "a text that tells branches apart",
        """
        def good(b): return b
        def pick(kind):
            if kind == "x":
                return lambda b: b
            elif kind == "y":
                return good
            raise ValueError
        def make(kind): return DataLoader([], collate_fn=pick(kind), num_workers=2)
        make("y")
        """,
        "collate_fn def good",
    ),
    row(
        "an attribute that another text would tell",
        """
        class M:
            def __init__(self, kind): self.kind = kind
            def loader(self):
                f = None
                if self.kind == "x":
                    f = lambda b: b
                return DataLoader([], collate_fn=f, num_workers=2)
        M("y").loader()
        """,
    ),
    row(
        "an attribute that a text tells",
        """
        class M:
            def __init__(self, kind): self.kind = kind
            def loader(self):
                f = None
                if self.kind == "x":
                    f = lambda b: b
                return DataLoader([], collate_fn=f, num_workers=2)
        M("x").loader()
        """,
        "collate_fn lambda",
    ),
    row(
        "a case that no call comes to",
        """
        def make(kind):
            match kind:
                case "a":
                    f = lambda b: b
                case _:
                    f = None
            DataLoader([], collate_fn=f, num_workers=2)
        make("b")
        """,
    ),
    row(
        "a case that a call comes to",
        """
        def make(kind):
            match kind:
                case "a":
                    f = lambda b: b
                case _:
                    f = None
            DataLoader([], collate_fn=f, num_workers=2)
        make("a")
        """,
        "collate_fn lambda",
    ),
    row(
        "a tuple unpacked where it is one",
        """
        def make(tasks):
            if isinstance(tasks, tuple):
                tasks = tasks[0]
            return DataLoader([], collate_fn=tasks, num_workers=2)
        make((len, lambda b: b))
        """,
    ),
    row(
        "what a test let pass to a new value",
        """
        def make(tasks):
            if isinstance(tasks, tuple):
                tasks = tasks[1]
            return DataLoader([], collate_fn=tasks, num_workers=2)
        make((len, lambda b: b))
        """,
        "collate_fn lambda",
    ),
    row(
        "a name bound anew under the test that holds",
        """
        def make(f=None):
            if f is None:
                f = lambda b: b
                DataLoader([], collate_fn=f, num_workers=2)
        make()
        """,
        "collate_fn lambda",
    ),
    row(
        "a member looked up by its value",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
        def make(mode):
            f = (lambda b: b) if Mode(mode) == Mode.A else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make("b")
        """,
    ),
    row(
        "a member looked up by the value that is asked for",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
        def make(mode):
            f = (lambda b: b) if Mode(mode) is Mode["B"] else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make("b")
        """,
        "collate_fn lambda",
    ),
    row(
        "a member that is a text",
        """
        import enum
        class Mode(str, enum.Enum):
            A = "a"
            B = "b"
        def make(mode):
            f = (lambda b: b) if mode == "b" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(Mode.B)
        """,
        "collate_fn lambda",
    ),
    row(
        "a member that is no text",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
        def make(mode):
            f = (lambda b: b) if mode == "b" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(Mode.B)
        """,
    ),
    row(
        "a property of a member",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
            @property
            def collate(self): return (lambda b: b) if self is Mode.B else None
        DataLoader([], collate_fn=Mode.B.collate, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a property of another member",
        """
        import enum
        class Mode(enum.Enum):
            A = "a"
            B = "b"
            @property
            def collate(self): return (lambda b: b) if self is Mode.B else None
        DataLoader([], collate_fn=Mode.A.collate, num_workers=2)
        """,
    ),
    row(
        "a function that is handed on may be called with anything",
        """
        def make(kind):
            f = (lambda b: b) if kind == "a" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make("b")
        register(make)
        """,
        "collate_fn lambda",
    ),
    row(
        "a function that nobody calls may be called with anything",
        """
        def make(kind="b"):
            f = (lambda b: b) if kind == "a" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a function that two calls reach, one of them",
        """
        def make(kind):
            f = (lambda b: b) if kind == "a" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make("b")
        make("a")
        """,
        "collate_fn lambda",
    ),
    row(
        "a function that is called with what is not known",
        """
        import sys
        def make(kind):
            f = (lambda b: b) if kind == "a" else None
            return DataLoader([], collate_fn=f, num_workers=2)
        make(sys.argv[1])
        """,
        "collate_fn lambda",
    ),
    row(
        "a constant of the module that another scope sets",
        """
        KIND = "b"
        def setup():
            global KIND
            KIND = "a"
        f = (lambda b: b) if KIND == "a" else None
        DataLoader([], collate_fn=f, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a constant of the module",
        """
        KIND = "b"
        f = (lambda b: b) if KIND == "a" else None
        DataLoader([], collate_fn=f, num_workers=2)
        """,
    ),
    row(
        "a comprehension that keeps some",
        """
        DataLoader([f for f in (1, lambda b: b) if callable(f)], num_workers=2)
        """,
        "dataset[] lambda",
    ),
    row(
        "a comprehension that keeps others",
        """
        DataLoader([f for f in (1, lambda b: b) if not callable(f)], num_workers=2)
        """,
    ),
    row(
        "an assertion",
        """
        def make(f):
            assert callable(f)
            return DataLoader([], collate_fn=f, num_workers=2)
        make(lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "a store that is chosen by how its address begins",
        """
        def make(url):
            if url.startswith(("s3:", "gs:")): return lambda b: b
            if "://" in url and not url.endswith("/"): return threading.Lock()
            if url.startswith("file:"): return open("x")
            return len
        DataLoader([], collate_fn=make("file:///data/"), num_workers=2)
        """,
        "collate_fn open(...)",
        "collate_fn lambda",  # a tuple of beginnings is not asked
    ),
    row(
        "a store whose address is not known",
        """
        def make(url):
            if url.startswith("s3:"): return lambda b: b
            return len
        def load(url): DataLoader([], collate_fn=make(url), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "an assertion of something else",
        """
        def make(f):
            assert f is None or isinstance(f, str)
            return DataLoader([], collate_fn=f, num_workers=2)
        make(None)
        """,
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_past_tests(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)


OPTIONS = "from torch.utils.data import DataLoader\ndef main(rows, args):\n    options = {}\n"


@pytest.mark.parametrize(
    "text",
    [
        program(
            "a callable and no workers in one branch, workers in the other",
            OPTIONS + "    if args.debug:\n        options['collate_fn'] = lambda batch: batch\n"
            "        options['num_workers'] = 0\n    else:\n        options['num_workers'] = 4\n"
            "    return DataLoader(rows, **options)\n",
        ),
        program(
            "a callable and workers in the same branch",
            OPTIONS + "    if args.debug:\n        options['num_workers'] = 0\n    else:\n"
            "        options['collate_fn'] = lambda batch: batch  # !DLF101\n"
            "        options['num_workers'] = 4\n    return DataLoader(rows, **options)\n",
        ),
        program(
            "a callable in a branch of another test than the workers",
            OPTIONS + "    if args.first:\n"
            "        options['collate_fn'] = lambda batch: batch  # !DLF101\n"
            "    if args.fast:\n        options['num_workers'] = 4\n"
            "    return DataLoader(rows, **options)\n",
        ),
    ],
)
def test_options_put_in_by_branches(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
