"""What is put into a container that another container holds: `options["data"]["f"] = f`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

FOUND = "dataset.kept lambda"

FOUND_IN = [
    row(name, text, FOUND)
    for name, text in {
        "an item set in a part": """
        def make():
            cfg = {"data": {"other": 1}, "loader": {}}
            cfg["data"]["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2, **cfg["loader"])
        """,
        "a part that is a copy, updated from what a function of a table returns": """
        COMMON = {"other": 1, "kept": None}
        def plain(n):
            return dict(kept=lambda x: x + n)
        CHOICES = {"base": lambda n: {}, "plain": plain}
        def config(name, n):
            cfg = {"data": dict(COMMON)}
            cfg["data"].update(CHOICES[name](n))
            return cfg
        def make(name):
            cfg = config(name, 3)
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a part of a part": """
        def make():
            cfg = {"train": {"data": {"other": 1}}}
            cfg["train"]["data"].update(kept=lambda x: x)
            return DataLoader(Keep(**cfg["train"]["data"]), num_workers=2)
        """,
        "a part under a local name": """
        def make():
            cfg = {"data": {"other": 1}}
            data = cfg["data"]
            data["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "each part in a loop": """
        def make():
            cfg = {"train": {"other": 1}, "test": {"other": 2}}
            for part in cfg.values():
                part["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["train"]), num_workers=2)
        """,
        "each of several dicts in a loop": """
        def make():
            train, test = {"other": 1}, {"other": 2}
            for part in (train, test):
                part["kept"] = lambda x: x
            return DataLoader(Keep(**train), num_workers=2)
        """,
        "a part that a function is passed": """
        def extend(options):
            options["kept"] = lambda x: x
        def make():
            cfg = {"data": {"other": 1}}
            extend(cfg["data"])
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a part of what a function is passed": """
        def extend(options):
            options["data"]["kept"] = lambda x: x
        def make():
            cfg = {"data": {"other": 1}}
            extend(cfg)
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a part that is not known": """
        def make(path):
            cfg = json.load(open(path))
            cfg["data"]["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a part that setdefault makes": """
        def make():
            cfg = {}
            cfg.setdefault("data", {})["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a part of what a method keeps": """
        class Setup:
            def __init__(self):
                self.cfg = {"data": {"other": 1}}
                self.add()
            def add(self):
                self.cfg["data"]["kept"] = lambda x: x
            def loader(self):
                return DataLoader(Keep(**self.cfg["data"]), num_workers=2)
        """,
    }.items()
]

NOT_SENT = [
    row(name, text)
    for name, text in {
        "an item set in another part": """
        def make():
            cfg = {"data": {"other": 1}, "metrics": {}}
            cfg["metrics"]["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "an item that is taken out again": """
        def make():
            cfg = {"data": {"other": 1}}
            cfg["data"]["kept"] = lambda x: x
            print(cfg["data"].pop("kept")(1))
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a copy of a part": """
        def make():
            cfg = {"data": {"other": 1}}
            shown = dict(cfg["data"])
            shown["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "the other of two dicts in a loop": """
        def make():
            train, test, shown = {"other": 1}, {"other": 2}, {}
            for part in (test, shown):
                part["kept"] = lambda x: x
            return DataLoader(Keep(**train), num_workers=2)
        """,
        "a local name that stands for another part later": """
        def make():
            cfg = {"data": {"other": 1}, "metrics": {}}
            part = cfg["data"]
            part["other"] = 2
            part = cfg["metrics"]
            part["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
        "a method called like one of a container, of each object in a loop": """
        class Meter:
            def update(self, hook):
                hook(self)
        def make():
            meters = [Meter(), Meter()]
            for meter in meters:
                meter.update(lambda m: m)
            return DataLoader(Keep(meters), num_workers=2)
        """,
        "another function's local of the same name": """
        def shown(cfg):
            data = cfg["data"]
            return data
        def make():
            cfg, data = {"data": {"other": 1}}, {}
            data["kept"] = lambda x: x
            return DataLoader(Keep(**cfg["data"]), num_workers=2)
        """,
    }.items()
]


@pytest.mark.parametrize("case", [*FOUND_IN, *NOT_SENT])
def test_what_is_put_into_a_part_of_a_container_is_sent_with_that_part(
    case: Case, tmp_path: Path
) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
