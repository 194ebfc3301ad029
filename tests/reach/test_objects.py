"""Values followed through objects: constructors, helpers, bases, fields, state."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

LOCK = "threading.Lock()"

ROWS = [
    row(
        "a constructor argument",
        "DataLoader(Keep(lambda x: x), num_workers=2)",
        "dataset.kept lambda",
    ),
    row(
        "an argument that only the constructor uses",
        """
        class Data:
            def __init__(self, key): self.rows = sorted([2, 1], key=key)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
    ),
    row(
        "an attribute set in a helper method",
        """
        class Data:
            def __init__(self): self._open()
            def _open(self): self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an attribute set in a method that a worker calls",
        """
        class Data(Dataset):
            def __init__(self): self.lock = None
            def _open(self): self.lock = threading.Lock()
            def __getitem__(self, i): self._open()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "an attribute set in a helper function",
        """
        def prepare(data): data.lock = threading.Lock()
        class Data:
            def __init__(self): prepare(self)
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an alias of self",
        """
        class Data:
            def __init__(self):
                me = self
                me.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an attribute of something else than self",
        """
        class Data:
            def __init__(self, other):
                other.lock = threading.Lock()
        DataLoader(Data(Keep()), num_workers=2)
        """,
    ),
    row(
        "a base class's constructor by super",
        """
        class Base:
            def __init__(self, f): self.f = f
        class Data(Base):
            def __init__(self, f): super().__init__(f)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a base class's constructor by name",
        """
        class Base:
            def __init__(self, f): self.f = f
        class Data(Base):
            def __init__(self, f): Base.__init__(self, f)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a base class's constructor that is not called",
        """
        class Base:
            def __init__(self): self.f = lambda x: x
        class Data(Base):
            def __init__(self): self.a = 1
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a constructor that is inherited",
        """
        class Base:
            def __init__(self, f): self.f = f
        class Data(Base): pass
        DataLoader(Data(f=lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a base that calls a method of the subclass",
        """
        class Base:
            def __init__(self): self.f = self.make()
            def make(self): return None
        class Data(Base):
            def make(self): return lambda x: x
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "star arguments to the base",
        """
        class Base:
            def __init__(self, a, f): self.f = f
        class Data(Base):
            def __init__(self, *args, **kwargs): super().__init__(*args, **kwargs)
        DataLoader(Data(1, f=lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "each call's keywords to the base of a dataset that no loader takes",
        """
        class Base(Dataset):
            def __init__(self, a, f=None): self.f = f
        class Data(Base):
            def __init__(self, *args, **kwargs): super().__init__(*args, **kwargs)
        def both():
            def first(x): return x
            def second(x): return x
            return Data(1, f=first), Data(2, f=second)
        """,
        "self.f def first",
        "self.f def second",
    ),
    row(
        "a dataclass field",
        """
        from dataclasses import dataclass
        @dataclass
        class Data:
            a: int
            f: object = None
        DataLoader(Data(1, lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a dataclass field of a base",
        """
        from dataclasses import dataclass
        @dataclass
        class Base:
            a: int
        @dataclass
        class Data(Base):
            f: object = None
        DataLoader(Data(1, lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a dataclass's default factory",
        """
        from dataclasses import dataclass, field
        @dataclass
        class Data:
            lock: object = field(default_factory=threading.Lock)
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.lock field(...)",
    ),
    row(
        "a dataclass's class variable",
        """
        from dataclasses import dataclass
        from typing import ClassVar
        @dataclass
        class Data:
            lock: ClassVar[object] = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "an init-only field",
        """
        from dataclasses import dataclass, InitVar
        @dataclass
        class Data:
            f: InitVar[object] = None
            a: int = 0
            def __post_init__(self, f): self.a = 3
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
    ),
    row(
        "an init-only field that is kept",
        """
        from dataclasses import dataclass, InitVar
        @dataclass
        class Data:
            f: InitVar[object] = None
            def __post_init__(self, f): self.kept = f
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "a dataclass's post init",
        """
        from dataclasses import dataclass
        @dataclass
        class Data:
            path: str
            def __post_init__(self): self.connection = sqlite3.connect(self.path)
        DataLoader(Data("x"), num_workers=2)
        """,
        "dataset.connection sqlite3.connect(...)",
    ),
    row(
        "attrs",
        """
        import attr
        @attr.s(auto_attribs=True)
        class Data:
            f: object = None
            lock: object = attr.ib(factory=threading.Lock)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
        "dataset.lock attr.ib(...)",
    ),
    row(
        "setattr with a literal",
        """
        class Data:
            def __init__(self): setattr(self, "lock", threading.Lock())
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a state with one attribute replaced",
        """
        class Data:
            def __init__(self): self.f = self.g = lambda x: x
            def __getstate__(self): return dict(self.__dict__, f=None)
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.g lambda",
    ),
    row(
        "a base's state with one attribute replaced",
        """
        class Base:
            def __getstate__(self): return self.__dict__ | {"g": None}
        class Data(Base):
            def __init__(self): self.f = self.g = lambda x: x
            def __getstate__(self): return dict(super().__getstate__(), f=None)
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a state inside a dict with its version",
        """
        class Data:
            def __init__(self): self.f = self.g = lambda x: x
            def __getstate__(self): return {"version": 2, "state": {**self.__dict__, "f": None}}
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.g lambda",
    ),
    row(
        "a state inside a tuple",
        """
        class Data:
            def __init__(self): self.f = lambda x: x
            def __getstate__(self): return 2, self.__dict__.copy()
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a state spelled out over another",
        """
        class Data:
            def __init__(self): self.f = self.g = lambda x: x
            def __getstate__(self):
                state = {**self.__dict__, "f": threading.Lock()}
                return {**state, "g": None}
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.state {LOCK}",
    ),
    row(
        "a property's setter that stores",
        """
        class Data:
            def __init__(self): self.hook = lambda x: x
            @property
            def hook(self): return self._hook
            @hook.setter
            def hook(self, value): self._hook = value
        DataLoader(Data(), num_workers=2)
        """,
        "dataset._hook lambda",
    ),
    row(
        "a property's setter that stores something else",
        """
        class Data:
            def __init__(self): self.hook = lambda x: x
            @property
            def hook(self): return None
            @hook.setter
            def hook(self, value): self._name = value.__name__
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a class that a function is registered for",
        """
        import copyreg
        class Guard:
            def __init__(self): self.lock = threading.Lock()
        class Other:
            def __init__(self): self.lock = threading.Lock()
        copyreg.pickle(Guard, lambda guard: (Guard, ()))
        DataLoader(Keep(Guard(), Other()), num_workers=2)
        """,
        f"dataset.other.lock {LOCK}",
    ),
    row(
        "a class that a registry's decorator takes in",
        """
        class Registry:
            def __init__(self): self._known = {}
            def register(self, cls):
                self._known[cls.__name__] = cls
                return cls
            def build(self, name, **options): return self._known[name](**options)
        KNOWN = Registry()
        @KNOWN.register
        class Data:
            def __init__(self, size): self.lock = threading.Lock()
        DataLoader(KNOWN.build("Data", size=3), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a class that a registry takes in under a name",
        """
        class Registry:
            def __init__(self): self._known = {}
            def register(self, name):
                def take(cls):
                    self._known[name] = cls
                    return cls
                return take
            def get(self, name): return self._known[name]
        KNOWN = Registry()
        @KNOWN.register("data")
        class Data:
            def __init__(self, size): self.lock = threading.Lock()
        DataLoader(KNOWN.get("data")(3), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a class that another registry takes in",
        """
        class Registry:
            def __init__(self): self._known = {}
            def register(self, cls):
                self._known[cls.__name__] = cls
                return cls
        KNOWN, OTHERS = Registry(), Registry()
        @OTHERS.register
        class Data:
            def __init__(self): self.lock = threading.Lock()
        DataLoader(KNOWN._known["Data"](), num_workers=2)
        """,
    ),
    row(
        "an attribute that is taken away by name",
        """
        class Data:
            def __init__(self):
                self.lock = self.f = threading.Lock()
                delattr(self, "lock")
                self.__dict__.pop("f")
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "an attribute of another object that is taken away by name",
        """
        class Data:
            def __init__(self, other):
                self.lock = threading.Lock()
                delattr(other, "lock")
        DataLoader(Data(Keep()), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    *(
        row(
            f"an attribute that code outside takes away: {written}",
            f"""
            data = Keep(threading.Lock())
            {written}
            DataLoader(data, num_workers=2)
            """,
        )
        for written in (
            "del data.kept",
            "delattr(data, 'kept')",
            "data.__dict__.pop('kept')",
            "lock = vars(data).pop('kept')",
            "del data.__dict__['kept']",
        )
    ),
    *(
        row(
            f"what code outside takes from `__dict__` and keeps: {written}",
            f"""
            data = Keep(threading.Lock())
            {written}
            DataLoader(data, num_workers=2)
            """,
            f"dataset.kept {LOCK}",
        )
        for written in (
            "data.kept = data.__dict__.pop('kept')",
            "vars(data)['kept'] = vars(data).pop('kept')",
            "lock = data.__dict__['kept']; data.__dict__.update(kept=lock)",
            "setattr(data, 'kept', vars(data).get('kept'))",
        )
    ),
    row(
        "what one of two branches stores, passed on with the whole `__dict__`",
        """
        class Data:
            def __init__(self):
                try:
                    self.kept = threading.Lock()
                except OSError:
                    self.kept = None
        data = Data()
        twin = Data.__new__(Data)
        twin.__dict__.update(data.__dict__)
        DataLoader(twin, num_workers=2)
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "an attribute of another name that code outside sets by a key",
        """
        data = Keep(None)
        data.__dict__["spare"] = threading.Lock()
        DataLoader(data, num_workers=2)
        """,
        f"dataset.spare {LOCK}",
    ),
    row(
        "an attribute that may be taken away",
        """
        import sys
        data = Keep(threading.Lock())
        data.__dict__.pop("kept") if len(sys.argv) > 1 else None
        DataLoader(data, num_workers=2)
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "what code outside puts in place of an attribute by a key",
        """
        data = Keep(threading.Lock())
        vars(data)["kept"] = None
        DataLoader(data, num_workers=2)
        """,
    ),
    row(
        "a store from outside in place of what was there",
        """
        data = Keep(threading.Lock())
        data.kept = None
        DataLoader(data, num_workers=2)
        """,
    ),
    row(
        "a store from outside on one of two objects",
        """
        data, other = Keep(threading.Lock()), Keep(threading.Lock())
        other.kept = None
        DataLoader(data, num_workers=2)
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "a store from outside once the loader is made",
        """
        data = Keep(threading.Lock())
        loader = DataLoader(data, num_workers=2)
        data.kept = None
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "a store from outside that may not run",
        """
        import sys
        data = Keep(threading.Lock())
        if len(sys.argv) > 1:
            data.kept = None
        DataLoader(data, num_workers=2)
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "a store through what a library's object keeps",
        """
        from torch.utils.data import Subset, random_split
        part = Subset(Keep(), [0])
        part.dataset.f = lambda x: x
        DataLoader(part, num_workers=2)
        """,
        "dataset.dataset.f lambda",
    ),
    row(
        "a store through another part",
        """
        from torch.utils.data import Subset
        part, other = Subset(Keep(), [0]), Subset(Keep(), [0])
        other.dataset.f = lambda x: x
        DataLoader(part, num_workers=2)
        """,
    ),
    row(
        "a dataclass with a field replaced",
        """
        import dataclasses
        @dataclasses.dataclass
        class Config:
            size: int = 0
            f: object = None
        DataLoader(Keep(dataclasses.replace(Config(3), f=lambda x: x)), num_workers=2)
        """,
        "dataset.kept.f lambda",
    ),
    row(
        "one of several dataclasses of a table with a field replaced",
        """
        import dataclasses
        @dataclasses.dataclass
        class Config:
            size: int = 0
            f: object = None
        TABLE = {c.size: c for c in (Config(1), Config(2, lambda x: x))}
        DataLoader(Keep(dataclasses.replace(TABLE[SIZE], size=3)), num_workers=2)
        """,
        "dataset.kept.f lambda",
    ),
    row(
        "a dataclass with a field replaced in turns",
        """
        import dataclasses
        @dataclasses.dataclass
        class Config:
            size: int = 0
            f: object = None
            def larger(self): return dataclasses.replace(self, size=self.size + 1).other()
            def other(self): return dataclasses.replace(self.larger() if SIZE else self, size=1)
        c = Config(1, lambda x: x)
        for _ in range(3):
            c = dataclasses.replace(c.larger(), size=c.other().size)
        DataLoader(Keep(c), num_workers=2)
        """,
        "dataset.kept.f lambda",
    ),
    row(
        "a dataclass with the culprit replaced",
        """
        import dataclasses
        @dataclasses.dataclass
        class Config:
            f: object = None
        DataLoader(Keep(dataclasses.replace(Config(lambda x: x), f=None)), num_workers=2)
        """,
    ),
    row(
        "an object that its class keeps once it is made",
        """
        class Single:
            made = None
            def __init__(self): self.lock = threading.Lock()
            @classmethod
            def get(cls):
                if cls.made is None:
                    cls.made = cls()
                return cls.made
        DataLoader(Keep(Single.get()), num_workers=2)
        """,
        f"dataset.kept.lock {LOCK}",
    ),
    row(
        "an object that another class keeps",
        """
        class Single:
            made = None
        class Other:
            made = None
            @classmethod
            def get(cls):
                cls.made = threading.Lock()
        Other.get()
        DataLoader(Keep(Single.made), num_workers=2)
        """,
    ),
    row(
        "a state less what begins so",
        """
        class Data:
            def __init__(self): self._f = self.lock = threading.Lock()
            def __getstate__(self):
                return {k: v for k, v in self.__dict__.items() if not k.startswith("_")}
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a state less what a loop names",
        """
        class Data:
            def __init__(self): self.f = self.g = self.lock = threading.Lock()
            def __getstate__(self):
                state = dict(self.__dict__)
                for name in ("f", "g"): state[name] = None
                return state
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a dataclass's list that a method fills",
        """
        from dataclasses import dataclass, field
        @dataclass
        class Data:
            steps: list = field(default_factory=list)
            others: list = field(default_factory=list)
            def __post_init__(self): self.steps.append(lambda x: x)
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.steps[] lambda",
    ),
    row(
        "a file that is set on what a parser returns",
        """
        def parse():
            options = argparse.ArgumentParser().parse_args()
            options.log = open("log.txt", "w")
            return options
        DataLoader(Keep(parse()), num_workers=2)
        """,
        "dataset.kept.log open(...)",
    ),
    row(
        "a file that is set on what a parser returns elsewhere",
        """
        def shown():
            options = argparse.ArgumentParser().parse_args()
            options.log = open("log.txt", "w")
            return options
        DataLoader(Keep(argparse.ArgumentParser().parse_args()), num_workers=2)
        """,
    ),
    row(
        "a list in a dict that a method fills",
        """
        class Data:
            def __init__(self): self.hooks, self.others = {}, {}
            def on(self, name, hook): self.hooks.setdefault(name, []).append(hook)
        data = Data()
        data.on("start", lambda x: x)
        DataLoader(data, num_workers=2)
        """,
        "dataset.hooks['start'][] lambda",
    ),
    row(
        "a list that a base's method fills, which the class's own runs",
        """
        class Base:
            def __init__(self): self.hooks = []
            def setup(self): self.hooks.append(lambda x: x)
        class Data(Base):
            def setup(self): super().setup()
        data = Data()
        data.setup()
        DataLoader(data, num_workers=2)
        """,
        "dataset.hooks[] lambda",
    ),
    row(
        "a list that a base's method would fill, were it not replaced",
        """
        class Base:
            def __init__(self): self.hooks = []
            def setup(self): self.hooks.append(lambda x: x)
        class Data(Base):
            def setup(self): pass
        data = Data()
        data.setup()
        DataLoader(data, num_workers=2)
        """,
    ),
    row(
        "a dict of defaults that is filled",
        """
        import collections
        hooks, others = collections.defaultdict(list), collections.defaultdict(list)
        hooks["start"].append(lambda x: x)
        DataLoader(Keep(hooks), num_workers=2)
        """,
        "dataset.kept[][] lambda",
    ),
    row(
        "another dict of defaults that is filled",
        """
        import collections
        hooks, others = collections.defaultdict(list), collections.defaultdict(list)
        others["start"].append(lambda x: x)
        DataLoader(Keep(hooks), num_workers=2)
        """,
    ),
    row(
        "what a dict of defaults holds under a key",
        """
        import collections
        hooks = collections.defaultdict(list)
        hooks["start"].append(lambda x: x)
        DataLoader(Keep(hooks["start"]), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "what a dict of defaults holds under another key",
        """
        import collections
        hooks = collections.defaultdict(list)
        hooks["start"].append(lambda x: x)
        hooks["end"].append(2)
        DataLoader(Keep(hooks["end"]), num_workers=2)
        """,
    ),
    row(
        "a registry of defaults that a decorator fills",
        """
        import collections
        hooks = collections.defaultdict(list)
        def register(kind):
            def add(f):
                hooks[kind].append(f)
                return f
            return add
        def main():
            @register("start")
            def one(x): return x
            DataLoader(Keep([*hooks.values()]), num_workers=2)
        main()
        """,
        "dataset.kept[][] def one",
    ),
    row(
        "what is taken out of a dict",
        """
        hooks = {"a": lambda x: x, "b": 1}
        kept = hooks.pop("a")
        DataLoader(Keep((kept, hooks)), num_workers=2)
        """,
        "dataset.kept[0] lambda",
    ),
    row(
        "another item than the one taken out of a dict",
        """
        hooks = {"a": lambda x: x, "b": 1}
        hooks.pop("a")
        DataLoader(Keep(hooks.pop("b")), num_workers=2)
        """,
    ),
    row(
        "lists chained",
        """
        import itertools
        DataLoader(Keep(list(itertools.chain.from_iterable([[1], [lambda x: x]]))), num_workers=2)
        """,
        "dataset.kept[] lambda",
    ),
    row(
        "an item of a mapping of the library",
        """
        from types import MappingProxyType
        hooks = MappingProxyType({"a": lambda x: x, "b": 1})
        DataLoader(Keep((hooks["a"], hooks["b"])), num_workers=2)
        """,
        "dataset.kept[0] lambda",
    ),
    row(
        "another item of a mapping of the library",
        """
        from types import MappingProxyType
        hooks = MappingProxyType({"a": lambda x: x, "b": 1})
        DataLoader(Keep(hooks["b"]), num_workers=2)
        """,
    ),
    row(
        "one value for many keys",
        """
        DataLoader(Keep(dict.fromkeys(["a", "b"], lambda x: x)["a"]), num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "keys without a value",
        """
        DataLoader(Keep([*dict.fromkeys([lambda x: x]).values()]), num_workers=2)
        """,
    ),
    row(
        "an object made to read a property of it, which makes a loader",
        """
        class Trainer:
            def __init__(self, data): self.data = data
            @property
            def loader(self): return DataLoader(self.data, num_workers=2)
        Trainer(Keep(threading.Lock())).loader
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "what an item opens, where the parent goes through the items",
        """
        class Rows:
            def __init__(self): self.db = None
            def __len__(self): return 1
            def __getitem__(self, i):
                if self.db is None:
                    self.db = sqlite3.connect("x")
                return i

        rows = Rows()
        for one in rows: print(one)
        DataLoader(rows, num_workers=2)
        """,
        "dataset.db sqlite3.connect(...)",
    ),
    row(
        "what an item opens, where the parent lists the items",
        """
        class Rows:
            def __init__(self): self.db = None
            def __len__(self): return 1
            def __getitem__(self, i):
                if self.db is None:
                    self.db = sqlite3.connect("x")
                return i

        rows = Rows()
        print(list(rows))
        DataLoader(rows, num_workers=2)
        """,
        "dataset.db sqlite3.connect(...)",
    ),
    row(
        "what an item opens, where the parent goes through another object's",
        """
        class Rows:
            def __init__(self): self.db = None
            def __len__(self): return 1
            def __getitem__(self, i):
                if self.db is None:
                    self.db = sqlite3.connect("x")
                return i

        def look():
            other = Rows()
            for one in other: print(one)
        DataLoader(Rows(), num_workers=2)
        """,
    ),
    row(
        "attrs without annotations",
        """
        import attr
        @attr.s
        class Data:
            size = attr.ib()
            f = attr.ib(default=None)
            g = attr.ib(default=None, converter=lambda value: None)
        DataLoader(Data(3, lambda x: x, lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "what __new__ stores",
        """
        class Data:
            def __new__(cls):
                data = super().__new__(cls)
                data.lock = threading.Lock()
                return data
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "what __new__ stores on another object",
        """
        class Data:
            def __new__(cls):
                other = Keep()
                other.lock = threading.Lock()
                return super().__new__(cls)
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a class that its base takes in",
        """
        class Base:
            known = {}
            def __init_subclass__(cls, name=None): Base.known[name] = cls
        class Data(Base, name="data"):
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Base.known["data"](), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a class that its base does not take in",
        """
        class Base:
            known = {}
        class Data(Base):
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Base.known.get("data"), num_workers=2)
        """,
    ),
    row(
        "what a method clears before the loader is made",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def close(self):
                if self.lock is not None:
                    self.lock = None
            def rest(self): print(self.lock)

        data = Data()
        data.close()
        DataLoader(data, num_workers=2)
        """,
    ),
    row(
        "what a method leaves",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def close(self):
                if self.lock is not None:
                    self.lock = None
            def rest(self): print(self.lock)

        data = Data()
        data.rest()
        DataLoader(data, num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "what a method clears once the loader is made",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def close(self):
                if self.lock is not None:
                    self.lock = None
            def rest(self): print(self.lock)

        data = Data()
        loader = DataLoader(data, num_workers=2)
        data.close()
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "what a method clears of another object",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def close(self):
                if self.lock is not None:
                    self.lock = None
            def rest(self): print(self.lock)

        data, other = Data(), Data()
        other.close()
        DataLoader(data, num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "setattr with names that a loop spells out",
        """
        class Data:
            def __init__(self):
                for name in ("first", "second"): setattr(self, name, threading.Lock())
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.first {LOCK}",
        f"dataset.second {LOCK}",
    ),
    row(
        "setattr with names and values that a loop spells out",
        """
        class Data:
            def __init__(self, **given):
                for name, value in given.items(): setattr(self, name, value)
        DataLoader(Data(size=3, lock=threading.Lock()), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "setattr with names of which a part is known, in the constructor of a base class",
        """
        class Base:
            def __init__(self, table):
                for column in table.columns:
                    name = f"lock_{column}"
                    if not hasattr(self, name): setattr(self, name, threading.Lock())
        class Data(Base):
            def __init__(self, table): super().__init__(table)
        DataLoader(Data(open("t")), num_workers=2)
        """,
        f"dataset.lock_{{column}} {LOCK}",
    ),
    row(
        "setattr with names of which nothing is known",
        """
        class Data:
            def __init__(self, table):
                for column in table.columns: setattr(self, f"{column}", threading.Lock())
                setattr(self, table.name, threading.Lock())
        DataLoader(Data(open("t")), num_workers=2)
        """,
    ),
    row(
        "setattr with names of which a part is known, and a state that leaves some out",
        """
        class Data:
            def __init__(self, table):
                for column in table.columns: setattr(self, f"lock_{column}", threading.Lock())
            def __getstate__(self):
                return {k: v for k, v in self.__dict__.items() if not k.endswith("_lock")}
        DataLoader(Data(open("t")), num_workers=2)
        """,
    ),
    row(
        "setattr with names of which a part is known, taken away again",
        """
        class Data:
            def __init__(self, table):
                for column in table.columns: setattr(self, f"lock_{column}", threading.Lock())
                for column in table.columns: delattr(self, f"lock_{column}")
        DataLoader(Data(open("t")), num_workers=2)
        """,
    ),
    row(
        "setattr on another object",
        """
        class Data:
            def __init__(self, other):
                for name in ("first", "second"): setattr(other, name, threading.Lock())
        DataLoader(Data(object()), num_workers=2)
        """,
    ),
    row(
        "setattr from outside",
        "data = Keep()\nsetattr(data, 'f', lambda x: x)\nDataLoader(data, num_workers=2)",
        "dataset.f lambda",
    ),
    row(
        "setattr from outside, on another object",
        "data, other = Keep(), Keep()\nsetattr(other, 'f', lambda x: x)\n"
        "DataLoader(data, num_workers=2)",
    ),
    row(
        "a dict of attributes that is passed",
        """
        class Data:
            def __init__(self, given): vars(self).update(given)
        DataLoader(Data({"lock": threading.Lock()}), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a dict that is no object's",
        """
        class Data:
            def __init__(self, given): {}.update(given)
        DataLoader(Data({"lock": threading.Lock()}), num_workers=2)
        """,
    ),
    row(
        "super() into a dataclass",
        """
        from dataclasses import dataclass
        @dataclass
        class Base:
            size: int = 0
            f: object = None
            def __post_init__(self): self.lock = threading.Lock()
        class Data(Base):
            def __init__(self, f): super().__init__(3, f)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
        f"dataset.lock {LOCK}",
    ),
    row(
        "super() into a dataclass, of something else",
        """
        from dataclasses import dataclass
        @dataclass
        class Base:
            size: int = 0
            f: object = None
        class Data(Base):
            def __init__(self, f): super().__init__(3)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
    ),
    row(
        "an object made to call its method, which makes a loader",
        """
        class Trainer:
            def __init__(self, data): self.data = data
            def fit(self): return self._loader()
            def _loader(self): return DataLoader(self.data, num_workers=2)
        Trainer(Keep(threading.Lock())).fit()
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "an object whose constructor's helper makes a loader",
        """
        class Trainer:
            def __init__(self, data):
                self.data = data
                self._prepare()
            def _prepare(self): self.loader = DataLoader(self.data, num_workers=2)
            def fit(self): return list(self.loader)
        Trainer(Keep(threading.Lock())).fit()
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "a dataset that is only looked at",
        """
        class Data(Dataset):
            def __init__(self, f=None): self.f = f
        def test_data():
            data = Data(lambda x: x)
            assert len(data) == 3 and data[0] == 1
            for one in data: print(one)
        """,
    ),
    row(
        "a dataset that is looked at and handed on",
        """
        class Data(Dataset):
            def __init__(self, f=None): self.f = f
        def test_data():
            data = Data(lambda x: x)
            assert len(data) == 3 and data[0] == 1
            train(data)
        """,
        "self.f lambda",
    ),
    row(
        "a dataset that is looked at and returned",
        """
        class Data(Dataset):
            def __init__(self, f=None): self.f = f
        def make():
            data = Data(lambda x: x)
            print(data[0])
            return data
        """,
        "self.f lambda",
    ),
    row(
        "an object made to call its method, which keeps its parts to itself",
        """
        class Cuts:
            def __init__(self, cuts): self.cuts = cuts
            def to_list(self): return list(self.cuts)
        class Data(Dataset):
            def __init__(self, cuts: Cuts): self.cuts = cuts
        Cuts(threading.Lock()).to_list()
        """,
    ),
    row(
        "a dict of attributes",
        """
        class Data:
            def __init__(self): self.__dict__.update(lock=threading.Lock())
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a store from outside",
        "data = Keep()\ndata.transform = lambda x: x\nDataLoader(data, num_workers=2)",
        "dataset.transform lambda",
    ),
    row(
        "a store on another object",
        """
        data, other = Keep(), Keep()
        other.transform = lambda x: x
        DataLoader(data, num_workers=2)
        """,
    ),
    row(
        "a store from outside through another object",
        """
        data = Keep(Keep())
        data.kept.transform = lambda x: x
        DataLoader(data, num_workers=2)
        """,
        "dataset.kept.transform lambda",
    ),
    row(
        "a store by a function that gets it",
        """
        def equip(ds): ds.transform = lambda x: x
        data = Keep()
        equip(data)
        DataLoader(data, num_workers=2)
        """,
        "dataset.transform lambda",
    ),
    row(
        "a class attribute is not in the state",
        """
        class Data:
            lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a class attribute that is stored on the object",
        """
        class Data:
            make = staticmethod(lambda x: x)
            def __init__(self): self.f = self.make
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "slots",
        """
        class Data:
            __slots__ = ("lock", "n")
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a property is not in the state",
        """
        class Data(Dataset):
            @property
            def lock(self): return threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a property that is stored elsewhere",
        """
        class Data(Dataset):
            def __init__(self): self.kept = self.lock
            @property
            def lock(self): return threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.kept {LOCK}",
    ),
    row(
        "nested objects",
        "DataLoader(Keep(Keep(Keep(lambda x: x))), num_workers=2)",
        "dataset.kept.kept.kept lambda",
    ),
    row(
        "an attribute of a nested object alone",
        "DataLoader(Keep(Keep(3, lambda x: x).kept), num_workers=2)",
    ),
    row(
        "containers of handles",
        """
        class Data:
            def __init__(self, paths): self.all = {p: sqlite3.connect(p) for p in paths}
        DataLoader(Data(["x"]), num_workers=2)
        """,
        "dataset.all[] sqlite3.connect(...)",
    ),
    row(
        "handles appended in the constructor",
        """
        class Data:
            def __init__(self, paths):
                self.all = []
                for p in paths:
                    self.all.append(sqlite3.connect(p))
        DataLoader(Data(["x"]), num_workers=2)
        """,
        "dataset.all[] sqlite3.connect(...)",
    ),
    row(
        "handles put into a dict in a helper",
        """
        class Data(Dataset):
            def __init__(self, paths):
                self.all = {}
                self._open("x")
            def _open(self, p): self.all[p] = sqlite3.connect(p)
        DataLoader(Data(["x"]), num_workers=2)
        """,
        "dataset.all[] sqlite3.connect(...)",
    ),
    row(
        "handles put into a dict in the worker",
        """
        class Data(Dataset):
            def __init__(self, paths): self.all = {}
            def __getitem__(self, i): self.all[i] = sqlite3.connect("x")
        DataLoader(Data(["x"]), num_workers=2)
        """,
    ),
    row(
        "a handle that is closed and replaced",
        """
        class Data:
            def __init__(self):
                self.connection = sqlite3.connect("x")
                self.connection.close()
                self.connection = None
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "an attribute that is deleted",
        """
        class Data:
            def __init__(self):
                self.connection = sqlite3.connect("x")
                del self.connection
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a local handle",
        """
        class Data:
            def __init__(self):
                connection = sqlite3.connect("x")
                self.rows = connection.execute("select 1").fetchall()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "stores in a match",
        """
        class Data:
            def __init__(self, mode):
                match mode:
                    case "a":
                        self.lock = None
                    case _:
                        match mode:
                            case "b":
                                self.lock = threading.Lock()
        DataLoader(Data("b"), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a store unpacked",
        """
        class Data:
            def __init__(self): self.a, self.lock = 1, threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a getstate that drops it",
        """
        class Data:
            def __init__(self): self.lock, self.other = threading.Lock(), threading.Lock()
            def __getstate__(self):
                state = self.__dict__.copy()
                del state["lock"]
                return state
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.other {LOCK}",
    ),
    row(
        "a getstate that replaces it",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __getstate__(self): return {**self.__dict__, "lock": None}
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a getstate that keeps it",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __getstate__(self): return dict(self.__dict__)
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a getstate that filters",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __getstate__(self):
                return {k: v for k, v in self.__dict__.items() if k != "lock"}
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a getstate that is inherited",
        """
        class Base:
            def __getstate__(self):
                state = dict(self.__dict__)
                state.pop("lock", None)
                return state
        class Data(Base):
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a getstate that builds on a base's",
        """
        class Base:
            def __getstate__(self):
                state = dict(self.__dict__)
                state.pop("lock", None)
                return state
        class Data(Base):
            def __init__(self): self.lock, self.other = threading.Lock(), threading.Lock()
            def __getstate__(self):
                state = super().__getstate__()
                state["other"] = None
                return state
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a reduce that makes it anew",
        """
        class Data:
            def __init__(self, path): self.path, self.lock = path, threading.Lock()
            def __reduce__(self): return Data, (self.path,)
        DataLoader(Data("x"), num_workers=2)
        """,
    ),
    row(
        "a reduce that hands it over",
        """
        class Data:
            def __init__(self, f): self.f = f
            def __reduce__(self): return Data, (self.f,)
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.state lambda",
    ),
    row(
        "a reduce with all attributes as the state",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __reduce__(self): return object.__new__, (type(self),), self.__dict__
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a reduce with all attributes for a function",
        """
        class Data:
            def __init__(self): self.lock, self.other = threading.Lock(), threading.Lock()
            def __reduce__(self):
                state = vars(self).copy()
                state.pop("lock")
                return rebuild, (type(self), state)
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.other {LOCK}",
    ),
    row(
        "a reduce that filters",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __reduce__(self):
                state = {k: v for k, v in self.__dict__.items() if k != "lock"}
                return object.__new__, (type(self),), state
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a reduce_ex that leaves it to object",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __reduce_ex__(self, protocol): return super().__reduce_ex__(protocol)
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a reduce that asks getstate",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __getstate__(self): return {**self.__dict__, "lock": None}
            def __reduce__(self): return object.__new__, (type(self),), self.__getstate__()
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a `__reduce_ex__` that asks the class's own `__reduce__`",
        """
        class Data:
            def __init__(self, size): self.size, self.lock = size, threading.Lock()
            def __reduce__(self): return self.__class__, (self.size,)
            def __reduce_ex__(self, protocol): return self.__reduce__()
        DataLoader(Data(3), num_workers=2)
        """,
    ),
    row(
        "a reduce_ex that makes it anew",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
            def __reduce_ex__(self, protocol): return (Data, ())
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "new arguments besides the state",
        """
        class Data:
            def __new__(cls, *a): return super().__new__(cls)
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a class that nobody makes, its parameter",
        """
        class Wrapped(Dataset):
            def __init__(self, fn): self.fn = fn
        def make(): return Wrapped(lambda x: x)
        """,
        "self.fn lambda",
    ),
    row(
        "an object that a worker makes to iterate it there",
        """
        class Stream(IterableDataset):
            def __init__(self, fn): self.fn = fn
            def __iter__(self): yield from Stream(lambda x: x)
        """,
    ),
    row(
        "what a subclass's worker method calls by super()",
        """
        class Base(Dataset):
            def __init__(self): self.lock = None
            def fetch(self): self.lock = threading.Lock()
        class Data(Base):
            def __getitem__(self, i): return super().fetch()
        DataLoader(Base(), num_workers=2)
        """,
    ),
    row(
        "what is set on the class, not on its objects",
        """
        def wrap(cls): cls.go = lambda self: 1
        class Data(Dataset):
            def __init_subclass__(cls): wrap(cls)
        class More(Data): pass
        Data.__init_subclass__()
        DataLoader(More(), num_workers=2)
        """,
    ),
    row(
        "an item taken by the parent, which opens",
        """
        class Data(Dataset):
            def __init__(self): self.lock = None
            def __getitem__(self, i): self.lock = threading.Lock()
        data = Data()
        first = data[0]
        DataLoader(data, num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an item taken by a function that is passed the object",
        """
        class Data(Dataset):
            def __init__(self): self.lock = None
            def __getitem__(self, i): self.lock = threading.Lock()
        def show(data): print(data[0])
        data = Data()
        show(data)
        DataLoader(data, num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an item of something else",
        """
        class Data(Dataset):
            def __init__(self): self.lock = None
            def __getitem__(self, i): self.lock = threading.Lock()
        rows = list(range(3))
        print(rows[0])
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a handle closed where it is not None",
        """
        class Data(Dataset):
            def __init__(self):
                self.lock = threading.Lock()
                self._close()
            def _close(self):
                if self.lock is not None:
                    self.lock = None
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a handle deleted where there is one",
        """
        class Data(Dataset):
            def __init__(self):
                self.lock = threading.Lock()
                if hasattr(self, "lock"):
                    del self.lock
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a handle closed where something else is not None",
        """
        class Data(Dataset):
            def __init__(self, other):
                self.other = other
                self.lock = threading.Lock()
                if self.other is not None:
                    self.lock = None
        DataLoader(Data(input()), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a handle made where there is none yet",
        """
        class Data(Dataset):
            def __init__(self):
                self.lock = None
                if self.lock is None:
                    self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a mixin",
        """
        class Locking:
            def __init__(self): self.lock = threading.Lock()
        class Plain:
            def describe(self): return 1
        class Data(Plain, Locking): pass
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "the constructor that comes first",
        """
        class Locking:
            def __init__(self): self.lock = threading.Lock()
        class Plain:
            def __init__(self): self.a = 1
        class Data(Plain, Locking): pass
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "super leads along the line of bases",
        """
        class Base:
            def __init__(self): self.a = 1
        class Locking(Base):
            def __init__(self):
                super().__init__()
                self.lock = threading.Lock()
        class Plain(Base):
            def __init__(self):
                super().__init__()
        class Data(Plain, Locking): pass
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a generic dataset",
        """
        class Data(Dataset[int]):
            def __init__(self): self.lock = threading.Lock()
        """,
        f"self.lock {LOCK}",
    ),
    row(
        "a generic of one's own",
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Base(Dataset[T], Generic[T]):
            def __init__(self): self.lock = threading.Lock()
        class Data(Base[int]): pass
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an annotated parameter",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
        def make(data: Data): return DataLoader(data, num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "an annotated parameter whose callers pass something else",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
        def make(data: Data): return DataLoader(data, num_workers=2)
        make(Keep())
        """,
    ),
    row(
        "an object that holds itself ends",
        """
        class Data:
            def __init__(self):
                self.me = self
                self.lock = threading.Lock()
        DataLoader(Data(), num_workers=2)
        """,
        f"dataset.lock {LOCK}",
    ),
    row(
        "a lambda in the constructor",
        """
        class Data:
            def __init__(self, n): self.scale = lambda x: x * n
        DataLoader(Data(3), num_workers=2)
        """,
        "dataset.scale lambda",
    ),
    row(
        "a cached bound method",
        """
        class Data:
            def __init__(self, n): self.read = functools.lru_cache(maxsize=n)(self._read)
            def _read(self, i): return i
        DataLoader(Data(3), num_workers=2)
        """,
        "dataset.read functools.lru_cache(maxsize=n)(...)",
    ),
    row(
        "a method with a cache around it",
        """
        class Data:
            def __init__(self, n): self.read = functools.lru_cache(maxsize=n)(self.read)
            def read(self, i): return i
        DataLoader(Data(3), num_workers=2)
        """,
        "dataset.read functools.lru_cache(maxsize=n)(...)",
    ),
    row(
        "what a cached method returns",
        """
        class Reader:
            def __init__(self, n): self.read = functools.lru_cache(maxsize=n)(self.read)
            def read(self, i): return lambda x: x
        DataLoader(Keep(Reader(3).read(0)), num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "what a cache that is called with its function returns",
        """
        def read(i): return lambda x: x
        DataLoader(Keep(functools.cache(read)(0), functools.lru_cache(8)(read)(0)), num_workers=2)
        """,
        "dataset.kept lambda",
        "dataset.other lambda",
    ),
    row(
        "an attribute set to what is made of it",
        """
        class Data:
            def __init__(self, f):
                self.f = f
                self.f = [self.f]
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f[0] lambda",
    ),
    row(
        "an attribute set to what is made of it, in each round",
        """
        class Data:
            def __init__(self, fs):
                self.f = None
                for f in fs: self.f = Keep(f, self.f)
        DataLoader(Data([lambda x: x]), num_workers=2)
        """,
        "dataset.f.kept lambda",
    ),
    row(
        "a conditional attribute",
        """
        class Data:
            def __init__(self, f=None):
                if f is None:
                    f = lambda x: x
                self.f = f
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a replaced default",
        """
        def good(x): return x
        class Data:
            def __init__(self, f=None):
                if f is None:
                    f = good
                self.f = f
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a named tuple's field",
        """
        from typing import NamedTuple
        class Data(NamedTuple):
            f: object
        DataLoader(Data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_by_objects(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
