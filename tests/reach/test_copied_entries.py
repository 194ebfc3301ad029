"""Entries that move between containers: which of them a loader gets, and in which round of a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

FOUND = "collate_fn lambda"

MOVED = {
    "dicts that a loop merges, one of them with the number of workers": """
        def merge(*options):
            merged = {}
            for each in options:
                merged.update(each)
            return merged
        DataLoader([1], **merge({"num_workers": 2}, {"collate_fn": lambda b: b}))
        """,
    "a dict updated with a name": """
        def make(ds):
            extra = {"collate_fn": lambda b: b}
            kw = {"num_workers": 2}
            kw.update(extra)
            return DataLoader(ds, **kw)
        """,
    "updated with the keywords of a caller": """
        def make(ds, **extra):
            kw = {"num_workers": 2}
            kw.update(extra)
            return DataLoader(ds, **kw)
        make([1], collate_fn=lambda b: b)
        """,
    "updated with keywords that are spread": """
        def make(ds, **extra):
            kw = {"num_workers": 2}
            kw.update(batch_size=2, **extra)
            return DataLoader(ds, **kw)
        make([1], collate_fn=lambda b: b)
        """,
    "merged in place with what a function returns": """
        def extra(): return {"collate_fn": lambda b: b}
        def make(ds):
            kw = {"num_workers": 2}
            kw |= extra()
            return DataLoader(ds, **kw)
        """,
    "a dict on self updated with a parameter": """
        class Data:
            def __init__(self, **overrides):
                self.kw = {"num_workers": 2}
                self.kw.update(overrides)
            def loader(self): return DataLoader([1], **self.kw)
        Data(collate_fn=lambda b: b).loader()
        """,
    "picked by a comprehension over names": """
        def make(ds, options):
            return DataLoader(ds, **{k: options[k] for k in ("collate_fn", "num_workers")})
        make([1], {"collate_fn": lambda b: b, "num_workers": 2, "name": 1})
        """,
    "picked with `get`, of names kept in a constant": """
        NAMES = ["collate_fn", "num_workers"]
        def make(ds, options):
            kw = {k: options.get(k) for k in NAMES if k in options}
            return DataLoader(ds, **kw)
        make([1], {"collate_fn": lambda b: b, "num_workers": 2, "name": 1})
        """,
    "picked from the attributes of an object": """
        class Options:
            def __init__(self):
                self.collate_fn = lambda b: b
                self.num_workers = 2
        def make(ds, args):
            return DataLoader(ds, **{k: getattr(args, k) for k in ("collate_fn", "num_workers")})
        make([1], Options())
        """,
    "copied item by item": """
        def make(ds, options):
            kw = {"num_workers": 2}
            for key, value in options.items():
                if value is not None:
                    kw[key] = value
            return DataLoader(ds, **kw)
        make([1], {"collate_fn": lambda b: b})
        """,
    "moved by `pop` in a loop over names": """
        def make(ds, **options):
            kw = {"num_workers": 2}
            for key in ("collate_fn", "worker_init_fn"):
                if key in options:
                    kw[key] = options.pop(key)
            return DataLoader(ds, **kw)
        make([1], collate_fn=lambda b: b)
        """,
    "defaults set in a loop": """
        DEFAULTS = {"collate_fn": lambda b: b, "num_workers": 2}
        def make(ds, **kw):
            for key, value in DEFAULTS.items():
                kw.setdefault(key, value)
            return DataLoader(ds, **kw)
        make([1])
        """,
    "made from names and values": """
        def make(ds):
            kw = dict(zip(("collate_fn", "num_workers"), (lambda b: b, 2)))
            return DataLoader(ds, **kw)
        """,
    "made from a generator of pairs": """
        def make(ds, options):
            kw = dict((k, v) for k, v in options.items() if v is not None)
            return DataLoader(ds, **kw)
        make([1], {"collate_fn": lambda b: b, "num_workers": 2})
        """,
    "two dicts updated with each other": """
        def make(ds):
            one = {"num_workers": 2}
            other = {"collate_fn": lambda b: b}
            one.update(other)
            other.update(one)
            return DataLoader(ds, **one)
        """,
    "no workers only in a branch": """
        def make(ds, debug):
            kw = {"num_workers": 4, "collate_fn": lambda b: b}
            if debug:
                kw["num_workers"] = 0
            return DataLoader(ds, **kw)
        """,
    "replaced only in a branch, by an update": """
        FINE = {"collate_fn": None}
        def make(ds, debug):
            kw = {"num_workers": 4, "collate_fn": lambda b: b}
            if debug:
                kw.update(FINE)
            return DataLoader(ds, **kw)
        """,
    "a default for a number of workers that is given": """
        def make(ds):
            kw = {"num_workers": 4, "collate_fn": lambda b: b}
            kw.setdefault("num_workers", 0)
            return DataLoader(ds, **kw)
        """,
}

HELD = {
    "put in through an attribute, and handed on": """
        def build(ds, options): return DataLoader(ds, **options.copy())
        class Data:
            def __init__(self, **kw):
                self.kw = kw
                self.kw["collate_fn"] = lambda b: b
            def loader(self): return build([1], self.kw)
        Data(num_workers=2).loader()
        """,
    "put into what a function returns, and handed on": """
        def build(ds, options): return DataLoader(ds, **options)
        def options(): return {"num_workers": 2}
        def make():
            kw = options()
            kw["collate_fn"] = lambda b: b
            return build([1], kw)
        make()
        """,
    "put into what the base class returns": """
        class Base:
            def options(self): return {"num_workers": 2}
        class Own(Base):
            def options(self):
                kw = super().options()
                kw["collate_fn"] = lambda b: b
                return kw
            def loader(self): return DataLoader([1], **self.options())
        Own().loader()
        """,
}

NOT_MOVED = {
    "a dict that each round makes anew, of options that go with no workers": """
        for each in [{"num_workers": 2}, {"num_workers": 0, "collate_fn": lambda b: b}]:
            kw = {}
            kw.update(each)
            DataLoader([1], **kw)
        """,
    "filtered by names": """
        def make(ds, options):
            kw = {k: v for k, v in options.items() if k in ("batch_size", "num_workers")}
            return DataLoader(ds, **kw)
        make([1], {"collate_fn": lambda b: b, "num_workers": 2})
        """,
    "filtered by names that a constant holds": """
        NAMES = {"batch_size", "num_workers"}
        def make(ds, options):
            kw = {}
            for key, value in options.items():
                if key not in NAMES:
                    continue
                kw[key] = value
            return DataLoader(ds, **kw)
        make([1], {"collate_fn": lambda b: b, "num_workers": 2})
        """,
    "updated with no workers": """
        def make(ds, extra):
            kw = {"num_workers": 2, "collate_fn": lambda b: b}
            kw.update(extra)
            return DataLoader(ds, **kw)
        make([1], {"num_workers": 0})
        """,
    "a loader for each split, by its own options": """
        OPTIONS = {"train": {"num_workers": 4}, "val": {"num_workers": 0, "collate_fn": lambda b: b}}
        def make(ds):
            return {split: DataLoader(ds, **OPTIONS[split]) for split in ("train", "val")}
        """,
    "workers and a function for each split, by name": """
        WORKERS = {"train": 4, "val": 0}
        COLLATE = {"train": None, "val": lambda b: b}
        def make(ds):
            for split in ("train", "val"):
                yield DataLoader(ds, num_workers=WORKERS[split], collate_fn=COLLATE[split])
        """,
    "replaced by an update": """
        FINE = {"collate_fn": None}
        def make(ds):
            kw = {"num_workers": 4, "collate_fn": lambda b: b}
            kw.update(FINE)
            return DataLoader(ds, **kw)
        """,
    "put into a list of its own name in another function": """
        def other():
            steps = []
            steps.append(lambda x: x)
        class Data(Dataset):
            def __init__(self, steps): self.steps = steps
        DataLoader(Data([]), num_workers=2)
        """,
    "a default for what is given": """
        def make(ds):
            kw = {"num_workers": 4, "collate_fn": None}
            kw.setdefault("collate_fn", lambda b: b)
            return DataLoader(ds, **kw)
        """,
    "put in after the loader was made": """
        def make(ds):
            kw = {"num_workers": 4}
            loader = DataLoader(ds, **kw)
            kw.update(collate_fn=lambda b: b)
            return loader, kw
        """,
}

LISTS = {
    "a parameter kept on self and appended to": """
        class Data(Dataset):
            def __init__(self, steps):
                self.steps = steps
                self.steps.append(lambda x: x)
        DataLoader(Data([]), num_workers=2)
        """,
    "a list of another function, appended to under a name of its own": """
        def base(): return []
        class Data(Dataset):
            def __init__(self):
                steps = base()
                steps.append(lambda x: x)
                self.steps = steps
        DataLoader(Data(), num_workers=2)
        """,
    "a default list appended to": """
        class Data(Dataset):
            def __init__(self, steps=None):
                steps = steps or []
                steps.append(lambda x: x)
                self.steps = steps
        DataLoader(Data(), num_workers=2)
        """,
    "a list extended by a parameter": """
        class Data(Dataset):
            def __init__(self, steps):
                self.steps = []
                self.steps.extend(steps)
        DataLoader(Data([lambda x: x]), num_workers=2)
        """,
    "a list that a name is added to": """
        def steps(): return [lambda x: x]
        class Data(Dataset):
            def __init__(self):
                more = steps()
                self.steps = []
                self.steps += more
        DataLoader(Data(), num_workers=2)
        """,
}

ROWS = [
    *(row(name, text, FOUND) for name, text in (MOVED | HELD).items()),
    *(row(name, text) for name, text in NOT_MOVED.items()),
    *(row(name, text, "dataset.steps[] lambda") for name, text in LISTS.items()),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_of_entries_that_move(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)


def test_a_dict_updated_with_what_is_not_known_may_hold_more(tmp_path: Path) -> None:
    """`prefetch_factor` without workers is no finding: the file may name them."""
    (boundary,) = analysis_of(
        tmp_path,
        """
import json
kw = {"prefetch_factor": 4}
kw.update(json.load(open("loader.json")))
loader = DataLoader([1], **kw)
""",
    ).boundaries
    assert boundary.workers is None
