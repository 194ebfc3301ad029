"""Options of a loader that travel in a dict: whatever is done to it, the boundary is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

FOUND = "collate_fn lambda"

ROWS = [
    row(name, text, FOUND)
    for name, text in {
        "a copy of a parameter that is updated": """
        def make(ds, p):
            p = dict(p)
            p.update(collate_fn=lambda b: b)
            return DataLoader(ds, **p)
        """,
        "the rest of the keywords, with a default set": """
        def make(ds, **kw):
            kw.setdefault("collate_fn", lambda b: b)
            kw.pop("name", None)
            return DataLoader(ds, **kw)
        """,
        "a copy kept on self, an item set": """
        class Trainer:
            def __init__(self, ds, **kw):
                self.ds, self.kw = ds, kw.copy()
                self.kw["collate_fn"] = lambda b: b
            def loader(self):
                return DataLoader(self.ds, **self.kw)
        """,
        "the attributes of a namespace": """
        def make(ds, args):
            kw = vars(args)
            kw["collate_fn"] = lambda b: b
            return DataLoader(ds, **kw)
        """,
        "popped, rebound under its own name, filled by items": """
        def make(ds, options, name):
            p = options.pop(name, {})
            n = p.pop("num_workers", 0)
            p = {"num_workers": n, **p}
            p["dataset"] = ds
            if "collate_fn" not in p:
                p["collate_fn"] = lambda b: b
            return DataLoader(**p)
        """,
        "merged with what is not known": """
        def make(ds, options):
            kw = {"collate_fn": lambda b: b} | options
            return DataLoader(ds, **kw)
        """,
        "a display around a display": """
        def make(ds, options):
            return DataLoader(ds, **{**options, **{"collate_fn": lambda b: b}})
        """,
        "a field whose default is none, where the constructor is given a number": """
        @dataclasses.dataclass
        class Options:
            workers: int = 0

            def loader(self, ds):
                return DataLoader(ds, collate_fn=lambda b: b, num_workers=self.workers)

        def main(ds, args):
            return Options(workers=args.workers).loader(ds)
        """,
    }.items()
] + [
    row(
        "a field whose default is none, where another class is given a number",
        """
        @dataclasses.dataclass
        class Options:
            workers: int = 0

            def loader(self, ds):
                return DataLoader(ds, collate_fn=lambda b: b, num_workers=self.workers)

        def main(ds, args):
            Other(workers=args.workers)
            return Options(workers=0).loader(ds)
        """,
    ),
    row(
        "a dict that is known whole, without workers",
        'kw = {"collate_fn": lambda b: b}\nDataLoader([], **dict(kw))',
    ),
    row(
        "a copy that is filled, where the original is spread",
        """
        kw = {"num_workers": 2}
        other = kw.copy()
        other["collate_fn"] = lambda b: b
        DataLoader([], **kw)
        """,
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_of_options_in_a_dict(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
