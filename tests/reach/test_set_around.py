"""Tests of loaders that an heir's attributes reach, of what a method puts around what it was, and of tables of loaders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

AROUND = """
        from functools import partial
        from torch.utils.data import DataLoader
        def plain(batch, size=1): return batch
        class Rows:
            def __init__(self): self.join = None
            def setup(self):
                self.join = lambda batch, size=1: batch{mark}
                {again}
            def loader(self): return DataLoader(range(4), collate_fn=self.join, num_workers=2)
        def main():
            rows = Rows()
            rows.setup()
            for batch in rows.loader(): print(batch)
"""
HEIR = """
        from torch.utils.data import DataLoader
        class Base:
            def __init__(self): self.join = None
            def setup(self): raise NotImplementedError
            def loader(self, **options): return self._loader(self.join, **options)
            def _loader(self, join, **options):
                {more}
                return {callee}(range(4), collate_fn=join, **options)
        class Rows(Base):
            def setup(self): self.join = lambda batch: batch{mark}
        def main(kind):
            rows = Rows()
            rows.setup()
            for batch in rows.loader(num_workers=2): print(batch)
        class Own(DataLoader):
            pass
        class Words:
            def __init__(self, rows, **options): pass
        LOADERS = {{None: DataLoader, "own": Own}}
        OTHERS = {{None: Words}}
"""
BEFORE = """
        from torch.utils.data import DataLoader, Dataset
        def plain(row): return row
        class Rows(Dataset):
            def __init__(self, change=lambda row: row): self.change = change{mark}
            def __len__(self): return 4
            def __getitem__(self, index): return self.change(index)
        def main(rounds):
            rows = Rows()
            loader = DataLoader(rows, num_workers=2)
            print(len(loader), loader.batch_size)
            {between}
"""
FOUND = "  # !DLF101"
LOOP = "for batch in loader: print(batch)"
PROGRAMS = [
    program(
        "what is set on the dataset before its loader is used",
        BEFORE.format(between=f"rows.change = plain\n            {LOOP}", mark=""),
    ),
    program(
        "what is set through the loader before each use",
        BEFORE.format(
            between="for each in range(rounds):\n"
            f"                loader.dataset.change = plain\n                {LOOP}",
            mark="",
        ),
    ),
    program(
        "what is set in a branch before",
        BEFORE.format(between=f"if rounds: rows.change = plain\n            {LOOP}", mark=FOUND),
    ),
    program(
        "what is set after the first use",
        BEFORE.format(
            between=f"{LOOP}\n            rows.change = plain\n            {LOOP}", mark=FOUND
        ),
    ),
    program(
        "what is set after the loader is passed on",
        BEFORE.format(
            between=f"print(loader)\n            rows.change = plain\n            {LOOP}",
            mark=FOUND,
        ),
    ),
    program(
        "a partial of what it was",
        AROUND.format(again="self.join = partial(self.join, size=2)", mark=FOUND),
    ),
    program(
        "a partial of what it was, under another name",
        AROUND.format(again="made = partial(self.join, size=2); self.join = made", mark=FOUND),
    ),
    program(
        "a partial that another method puts around it",
        AROUND.format(
            again="self.sized()\n            def sized(self): self.join = partial(self.join, size=2)",
            mark=FOUND,
        ),
    ),
    program("another value", AROUND.format(again="self.join = plain", mark="")),
    program(
        "a partial of another value",
        AROUND.format(again="self.join = partial(plain, size=2)", mark=""),
    ),
    program(
        "what an heir sets, passed on by its base",
        HEIR.format(callee="DataLoader", more="", mark=FOUND),
    ),
    program(
        "a loader out of a table",
        HEIR.format(
            callee="loader", more='loader = LOADERS[options.pop("kind", None)]', mark=FOUND
        ),
    ),
    program(
        "a loader out of a table that has a default",
        HEIR.format(
            callee="loader", more='loader = LOADERS.get(options.pop("kind", None))', mark=FOUND
        ),
    ),
    program(
        "a loader out of a table, under the name of a class",
        HEIR.format(callee="cls", more='cls = LOADERS[options.pop("kind", None)]', mark=FOUND),
    ),
    program(
        "an entry of a table that is called there",
        HEIR.format(callee='LOADERS[options.pop("kind", None)]', more="", mark=FOUND),
    ),
    program(
        "an entry of a table without loaders",
        HEIR.format(callee='OTHERS[options.pop("kind", None)]', more="", mark=""),
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_exactly_the_marked_findings_are_there(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
