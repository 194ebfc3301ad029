"""Shapes met in published packages that look like a fault and are none, each beside one that is."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.catalog import load
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules

HEAD = """
import tarfile, h5py
from concurrent.futures import ProcessPoolExecutor
from torch.utils.data import DataLoader, Dataset
"""


@pytest.fixture
def codes(tmp_path: Path):
    def run(source: str, **others: str) -> list[str]:
        files = {"main": HEAD + textwrap.dedent(source)}
        files |= {name: textwrap.dedent(text) for name, text in others.items()}
        for name, text in files.items():
            path = tmp_path / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        analysis = analyze(Project(sorted(tmp_path.rglob("*.py"))), load())
        found = [finding for rule in all_rules() for finding in rule().check(analysis)]
        return [code for code, _ in dict.fromkeys((f.rule.code, f.place) for f in found)]

    return run


def test_modules_that_import_from_one_another_in_a_circle_end(codes) -> None:
    found = codes(
        "from pkg import *\nDataLoader(thing, num_workers=2)",
        **{
            "pkg.__init__": "from pkg.a import *",
            "pkg.a": "from pkg import *\nfrom pkg import thing",
        },
    )
    assert found == []


TARS = """
class Tar:
    def __init__(self):
        self.file = None

class Images(Dataset):
    def __init__(self, path):
        self.path, self.tar = path, Tar()

    def __getitem__(self, i):
        {body}
        return i

{outside}
"""


@pytest.mark.parametrize(
    ("body", "outside", "found"),
    [
        ("tar = self.tar; tar.file = tarfile.open(self.path)", "", []),
        (
            "pass",
            "ds = Images('x')\nds.tar.file = tarfile.open('x')\nDataLoader(ds, num_workers=2)",
            ["DLF201"],
        ),
    ],
)
def test_a_handle_set_on_an_object_in_getitem_is_the_workers_own(
    codes, body: str, outside: str, found: list[str]
) -> None:
    assert codes(TARS.format(body=body, outside=outside)) == found


def test_an_executor_starts_nothing_before_something_is_submitted(codes) -> None:
    source = "pool = ProcessPoolExecutor(4)\ndef go():\n    pool.submit(print)\n"
    assert codes(source) == []
    assert codes(source + "go()\n") == ["DLF301"]


COUNTS = """
seen = {first}

class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        global seen
        {statement}
        return i

def show():
    print(seen)

def main():
    for x in DataLoader(Numbers(), num_workers=2):
        show()

if __name__ == '__main__':
    main()
"""


OPTIONS = """
options = Options()

class Numbers(Dataset):
    def __len__(self): return 6
    def __getitem__(self, i):
        options.cache[i] = i
        return i

def main():
    for x in DataLoader(Numbers(), num_workers=2): print(x, {read})

if __name__ == '__main__': main()
"""


@pytest.mark.parametrize(
    ("read", "found"),
    [("options.verbose", []), ("options.cache", ["DLF304"]), ("options", ["DLF304"])],
)
def test_a_read_of_another_attribute_sees_no_change(codes, read: str, found: list[str]) -> None:
    assert codes(OPTIONS.format(read=read)) == found


@pytest.mark.parametrize(
    ("first", "statement", "found"),
    [
        ("None", "if seen is None: seen = open", []),
        ("None", "if not seen: seen = open", []),
        ("{}", "if i not in seen: seen[i] = i", ["DLF304"]),
        ("{}", "seen[i] = i", ["DLF304"]),
        ("{}", "if i > 2: seen[i] = i", ["DLF304"]),
        ("{}", "seen[os.getpid(), i] = i", []),
        ("{}", "key = (i, os.getpid()); seen[key] = i", []),
        ("{}", "key = (i, os.getuid()); seen[key] = i", ["DLF304"]),
    ],
)
def test_a_cache_filled_where_it_is_empty_is_nobody_elses(
    codes, first: str, statement: str, found: list[str]
) -> None:
    assert codes(COUNTS.format(first=first, statement=statement)) == found


@pytest.mark.parametrize(
    ("read", "found"),
    [
        ("print(seen[0])", []),
        ("print(0 in seen)", []),
        ("print(seen.get(0))", []),
        ("print(len(seen))", ["DLF304"]),
        ("print(*seen.items())", ["DLF304"]),
        ("for number in seen: print(number)", ["DLF304"]),
    ],
)
def test_who_asks_a_cache_for_all_it_holds_looks_for_what_workers_put_there(
    codes, read: str, found: list[str]
) -> None:
    source = COUNTS.format(first="{}", statement="if i not in seen: seen[i] = i")
    assert codes(source.replace("print(seen)", read)) == found


ROWS = """
class Row:
    def __init__(self):
        self.ids = [1, 2, 3]

class Rows(Dataset):
    def __init__(self, n):
        self.n, self.rows = n, [Row(), Row()]

    def __len__(self):
        return 2

    def __getitem__(self, i):
        row = self.rows[i]
        {statement}
        return row.ids
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("row.ids = row.ids[: self.n]", []),
        ("row.ids = row.ids[: self.n + 1]", []),
        ("row.ids = tuple(row.ids)", []),
        ("row.seen = True", []),
        ("row.ids = row.ids[1:]", ["DLF502"]),
        ("row.ids = row.ids[:-1]", ["DLF502"]),
        ("row.ids = row.ids[: len(row.ids) // 2]", ["DLF502"]),
        ("row.ids = row.ids + [0]", ["DLF502"]),
    ],
)
def test_what_changes_nothing_the_second_time_is_no_mutation(
    codes, statement: str, found: list[str]
) -> None:
    assert codes(ROWS.format(statement=statement)) == found


KINDS = """
class Fine(Dataset):
    def __len__(self): return 2
    def __getitem__(self, i): return i

class Opened(Fine):
    def __init__(self):
        self.file = open("x")

def pick(name):
    if name == "fine":
        return Fine()
    return Opened()

def make(name):
    data = pick(name)
    {ask}
    return DataLoader(data, num_workers=2)

def other():
    return DataLoader(Opened(), num_workers=0)
"""


@pytest.mark.parametrize(
    ("ask", "found"),
    [
        ("if isinstance(data, Opened): return data", []),
        ("if not isinstance(data, Fine) or isinstance(data, (int, Opened)): return data", []),
        ("assert data", ["DLF201"]),
        ("if isinstance(data, str): return data", ["DLF201"]),
        ("if isinstance(data, Opened): print(data)", ["DLF201"]),
        ("if isinstance(data, Opened): return 1\n    data = pick(name)", ["DLF201"]),
    ],
)
def test_what_isinstance_has_sent_away_does_not_cross(codes, ask: str, found: list[str]) -> None:
    assert codes(KINDS.format(ask=ask)) == found


CUTS = """
class Cuts:
    def __init__(self, cuts):
        self.cuts = cuts

    def to_list(self):
        return list(self.cuts)

class Sounds(Dataset):
    def __init__(self, cuts: Cuts):
        self.cuts = cuts

def read(path):
    {statement}
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("return Cuts(open(path)).to_list()", []),
        ("return Cuts(open(path))", ["DLF205"]),
    ],
)
def test_an_object_made_only_to_call_its_method_goes_nowhere(
    codes, statement: str, found: list[str]
) -> None:
    assert codes(CUTS.format(statement=statement)) == found


SHARED = """
from torch.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __init__(self):
        self.transform = None

    def set_transform(self, transform):
        self.transform = transform

    def __len__(self): return 2
    def __getitem__(self, i): return self.transform(i)

def read():
    return Pictures()

def load(dataset):
    return DataLoader(dataset, num_workers=2)
"""
GUARDED = """
import shared
if __name__ == "__main__":
    def encode(x): return x
    data: shared.Pictures = shared.read()
    data.set_transform(encode)
    {use}
"""


@pytest.mark.parametrize(
    ("use", "found"),
    [("print(data[0])", []), ("for x in shared.load(data): print(x)", ["DLF302"])],
)
def test_what_one_script_defines_does_not_reach_the_loader_of_another(
    codes, use: str, found: list[str]
) -> None:
    other = "import shared\nif __name__ == '__main__':\n    list(shared.load(shared.read()))"
    assert codes("", shared=SHARED, other=other, script=GUARDED.format(use=use)) == found


LAUNCHERS = """
import multiprocessing, subprocess

class Shell:
    def __init__(self, strategy):
        self.strategy = strategy
        self.process = subprocess.Popen(["true"])

class Forks:
    def __init__(self, strategy):
        self.strategy = strategy

    def launch(self):
        multiprocessing.Process(target=self.run).start()

    def run(self):
        pass

class Strategy:
    def configure(self, shell):
        if shell:
            self.launcher = Shell(self)
        else:
            self.launcher = Forks(self)
        {more}
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [("pass", []), ("self.other = Shell(self)", ["DLF201"])],
)
def test_the_object_that_holds_its_maker_is_not_what_was_made_instead(
    codes, more: str, found: list[str]
) -> None:
    source = LAUNCHERS.format(more=more) + "\nStrategy().configure(False)\n"
    assert codes(source) == found


ROUNDS = """
class Locked:
    def __init__(self, rounds):
        self.rounds = {}

class Turns(Dataset):
    def __turns(self):
        while True:
            yield 1

    def __iter__(self):
        yield 1

    def __init__(self):
        self.turns = Locked(self.__turns())

    def __getitem__(self, i):
        return i

DataLoader(Turns(), num_workers=2)
"""


@pytest.mark.parametrize("kept", ["rounds.__iter__()", "iter(rounds)", "rounds", "iter(Turns())"])
def test_the_iterator_of_a_generator_is_the_generator(codes, kept: str) -> None:
    source = ROUNDS.format(kept)
    assert "DLF206" in codes(source)


@pytest.mark.parametrize("kept", ["list(rounds)", "iter([1])", "next(iter(rounds))"])
def test_what_a_generator_yields_is_not_the_generator(codes, kept: str) -> None:
    assert "DLF206" not in codes(ROUNDS.format(kept))


CONFIG = """
from dataclasses import dataclass, field
from omegaconf import OmegaConf
from torch.utils.data import DataLoader

@dataclass
class Config:
    num_workers: int = {}

class Model:
    def __init__(self, config):
        self.config = OmegaConf.merge(OmegaConf.structured(config), OmegaConf.load("a.yaml"))

    def fit(self):
        for batch in DataLoader([1, 2], num_workers=self.config.num_workers):
            print(batch)
"""


@pytest.mark.parametrize(
    ("default", "config", "expected"),
    [
        ("0", "", []),
        ("field(default=0)", "", []),
        ("4", "", ["DLF301"]),
        ("field(default_factory=count)", "", ["DLF301"]),
        ("0", "num_workers=2", ["DLF301"]),
    ],
)
def test_a_script_that_leaves_the_workers_at_none_needs_no_guard(
    codes, default: str, config: str, expected: list[str]
) -> None:
    script = f"from model import Config, Model\nModel(Config({config})).fit()\n"
    assert codes("", model=CONFIG.format(default), script=script) == expected


PASSED_ON = """
from torch.utils.data import DataLoader

class Model:
    def loader(self, size, **kwargs):
        return DataLoader([1, 2], batch_size=size, **kwargs)

    def evaluate(self, size=2, **kwargs):
        for batch in self.loader(size, {given}**kwargs):
            print(batch)

    def again(self):
        self.evaluate(**self.options)
"""


@pytest.mark.parametrize(
    ("given", "call", "expected"),
    [
        ("", "evaluate()", []),
        ("", "evaluate(size=4, drop_last=True)", []),
        ("", "evaluate(num_workers=2)", ["DLF301"]),
        ("", "evaluate(**options)", ["DLF301"]),
        ("", "again()", ["DLF301"]),
        ("num_workers=2, ", "evaluate()", ["DLF301"]),
    ],
)
def test_a_script_that_passes_no_number_of_workers_on_needs_no_guard(
    codes, given: str, call: str, expected: list[str]
) -> None:
    script = (
        f"import json\nfrom model import Model\noptions = json.load(open('a'))\nModel().{call}\n"
    )
    assert codes("", model=PASSED_ON.replace("{given}", given), script=script) == expected


def test_a_number_of_workers_that_is_put_into_what_is_passed_on_counts(codes) -> None:
    put = "kwargs['num_workers'] = 2\n        for"
    model = PASSED_ON.replace("{given}", "").replace("for batch", f"{put} batch")
    assert codes("", model=model, script="from model import Model\nModel().evaluate()\n") == [
        "DLF301"
    ]


FOLDERS = """
import collections

class Folders(Dataset):
    def __init__(self, names):
        self.files = {}
        for name in names:
            self.files[name[0]][name] = h5py.File(name)

    def __getitem__(self, i):
        return self.files[i]

DataLoader(Folders("abc"), num_workers=2)
"""


@pytest.mark.parametrize("made", ["collections.defaultdict(dict)", "{'a': {}}"])
def test_the_class_that_fills_a_dict_of_dicts_opens_what_it_puts_in(codes, made: str) -> None:
    assert "DLF201" in codes(FOLDERS.format(made))


SWITCHED = """
import multiprocessing
class Table:
    def transform(self, f, parallel=False, **options):
        if parallel:
            return multiprocessing.Pool().map(f, [1, 2])
        return [f(1), f(2)]
class Scaling:
    def transform(self, table, parallel: bool = False):
        return table.transform(abs, out=None, parallel=parallel)
def load(parallel=False):
    return Scaling().transform(Table(), parallel)
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [("load()", []), ("load(False)", []), ("load(parallel=True)", ["DLF301"]), ("load(flag)", ["DLF301"])],
)  # fmt: skip
def test_a_switch_that_no_call_on_the_way_turns_on_starts_no_workers(codes, call, found) -> None:
    script = f"import sys\nfrom table import load\nflag = len(sys.argv)\n{call}\n"
    assert codes("", table=SWITCHED, script=script) == found


PIPELINE = """
from torch.utils.data import IterableDataset{asked}
class Source(IterableDataset):
    def __init__(self, rows): self.rows = rows
    def __iter__(self): {body}
def batched(rows, size):
    for row in rows:
        yield [row] * size
class Processor(IterableDataset):
    def __init__(self, source): self.source = source
    def __iter__(self): return batched(iter(self.source), 2)
DataLoader(Processor(Source([1, 2])), num_workers=2)
"""


def test_a_stream_over_another_dataset_of_the_project_is_not_judged_by_itself(codes) -> None:
    shared = PIPELINE.format(
        asked=", get_worker_info", body="yield from self.rows[get_worker_info().id :: 2]"
    )
    assert "DLF501" not in codes(shared)


def test_a_stream_over_the_rows_of_its_own_object_is_judged(codes) -> None:
    alone = PIPELINE.format(asked="", body="return batched(self.rows, 2)")
    assert "DLF501" in codes(alone.replace("Processor(Source([1, 2]))", "Source([1, 2])"))


BUFFERS = """
from collections import deque
from typing import List
class Merged(Dataset):
    def __init__(self, n): self.buffers: List[{kind}] = [{made} for _ in range(n)]
    def __getitem__(self, i): return self.buffers[i].pop()
DataLoader(Merged(2), num_workers=2)
"""


def test_a_buffer_that_is_empty_at_first_is_no_sample_whatever_its_annotation_says(codes) -> None:
    assert "DLF502" not in codes(BUFFERS.format(kind="deque", made="deque()"))
    assert "DLF502" in codes(BUFFERS.format(kind="list", made="[1, 2]"))


@pytest.mark.parametrize(
    ("line", "other", "found"),
    [
        ("predict(DataLoader(range(8)))", "", []),
        ("predict(DataLoader(range(8), num_workers=2))", "", ["DLF301"]),
        ("import other\npredict(other.loader)", "", ["DLF301"]),
        ("import between\npredict(between.other.loader)", "", ["DLF301"]),
        ("predict(DataLoader(range(8)))", "if __name__ == '__main__':\n    import main", []),
    ],
    ids=["its own has none", "its own", "imported", "imported by another", "it is imported"],
)
def test_a_script_starts_the_workers_of_the_loaders_that_it_makes(
    codes, line, other, found
) -> None:
    shared = "def predict(loader):\n    for batch in loader:\n        pass\n"
    loads = "from torch.utils.data import DataLoader\nfrom shared import predict\n"
    loads += "loader = DataLoader(range(8), num_workers=2)\n"
    used = "if __name__ == '__main__':\n    predict(loader)\n"
    source = f"from shared import predict\n{line}\n"
    others = {"shared": shared, "other": loads + used + other, "between": "import other\n"}
    assert codes(source, **others) == found


def test_a_dataset_is_sent_by_the_callers_of_a_wrapper_that_ask_for_workers(codes) -> None:
    classes = "\n".join(
        f"class {name}(Dataset):\n    def __init__(self):\n        self.f = lambda x: x\n"
        for name in ("Idle", "Sent")
    )
    make = "def make(dataset, **kwargs):\n    return DataLoader(dataset, **kwargs)\n"
    calls = "def main():\n    return make(Idle(), batch_size=2), {}\n"
    source = classes + make + calls.format("make(Sent(), num_workers=2)")
    assert codes(source) == ["DLF101"]


LISTED = """
from torch.utils.data import DataLoader, Dataset

class Joined(Dataset):
    def __init__(self, parts):
        self.parts = []
        for part in parts:
            self.parts.append({put})

    def __len__(self):
        return 4

    def __getitem__(self, i):
        row = self.parts[{index}]
        row["name"] = i + row["name"]
        return row

def main(parts):
    return DataLoader(Joined(parts), num_workers=2)
"""


@pytest.mark.parametrize(
    ("put", "index", "found"),
    [
        ("part", "i", ["DLF502"]),
        ("part", "0][i", []),
        ("[{'name': 0}]", "0][i", ["DLF502"]),
    ],
)
def test_what_may_be_a_dataset_of_its_own_gives_its_items_itself(codes, put, index, found) -> None:
    assert codes(LISTED.format(put=put, index=index)) == found


CONTEXT = """
import multiprocessing as mp

class Trainer:
    def __init__(self, context):
        self.context = context

    def run(self):
        process = self.context.Process(target=lambda: None)
        process.start()

def main():
    {statement}

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    "statement",
    [
        "Trainer(mp.get_context('spawn')).run()",
        "trainer = Trainer(mp.get_context('spawn')); trainer.run()",
    ],
)
def test_an_object_that_starts_processes_knows_the_context_that_it_is_given(
    codes, statement: str
) -> None:
    assert codes(CONTEXT.format(statement=statement)) == ["DLF101"]
