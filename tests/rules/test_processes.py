"""How workers start (DLF301 to 303), what they change (DLF304), and what a loader takes (DLF401 to 404)."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.catalog import load
from dlfix.fixing.engine import inspect
from dlfix.fixing.plans import Fix, Refused
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules
from tests.reach.marked import check, program

RULES = ("DLF301", "DLF302", "DLF303", "DLF304", "DLF401", "DLF402", "DLF403", "DLF404")
HEAD = """
import argparse
import torch
import multiprocessing as mp
from torch.utils.data import DataLoader, Dataset, IterableDataset

class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return i

class Stream(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return iter(range(info.id, 6, info.num_workers))
"""


@pytest.fixture
def diagnosed(tmp_path: Path):
    def run(source: str, head: str = HEAD, **others: str):
        files = {"main.py": head + textwrap.dedent(source)}
        files |= {f"{name}.py": textwrap.dedent(text) for name, text in others.items()}
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        project = Project(sorted(tmp_path.glob("*.py")))
        rules = [rule for rule in all_rules() if rule.code in RULES]
        errors: list[str] = []
        found = inspect(analyze(project, load()), rules, errors=errors)
        assert errors == []
        return found

    return run


@pytest.fixture
def codes(diagnosed):
    def run(source: str, head: str = HEAD, **others: str) -> list[str]:
        return [d.finding.code for d in diagnosed(source, head, **others)]

    return run


@pytest.mark.parametrize(
    "source",
    [
        "for x in DataLoader(Numbers(), num_workers=2): print(x)",
        "loader = DataLoader(Numbers(), num_workers=2)\nfor i, x in enumerate(loader): print(x)",
        "loader = DataLoader(Numbers(), num_workers=2)\nx = next(iter(loader))",
        "loader = DataLoader(Numbers(), num_workers=2)\nrows = [x for x in loader]",
        "def run():\n    for x in DataLoader(Numbers(), num_workers=2): print(x)\nrun()",
        "def make():\n    return DataLoader(Numbers(), num_workers=2)\nfor x in make(): print(x)",
        "def train(loader):\n    for x in loader: print(x)\ntrain(DataLoader(Numbers(), num_workers=2))",
        "loaders = [DataLoader(Numbers(), num_workers=2)]\nfor loader in loaders:\n    for x in loader: print(x)",
        "def make():\n    return {'a': DataLoader(Numbers(), num_workers=2)}\nfor loader in make().values():\n    print(list(loader))",
        "import lightning\nlightning.Trainer().fit(None, DataLoader(Numbers(), num_workers=2))",
        "with mp.Pool(2) as pool:\n    print(pool.map(abs, [1]))",
        "p = mp.Process(target=print)\np.start()",
        "context = mp.get_context('spawn')\np = context.Process(target=print)\np.start()",
        "for method in ['spawn']:\n    for x in DataLoader(Numbers(), num_workers=2): print(x)",
        "class T:\n    def fit(self):\n        for x in DataLoader(Numbers(), num_workers=2): print(x)\nT().fit()",
    ],
)
def test_workers_started_at_the_top_level_want_a_guard(codes, source: str) -> None:
    assert codes(source) == ["DLF301"]


@pytest.mark.parametrize(
    "source",
    [
        "loader = DataLoader(Numbers(), num_workers=2)",
        "loader = DataLoader(Numbers(), num_workers=2)\nprint(len(loader))",
        "for x in DataLoader(Numbers()): print(x)",
        "for x in DataLoader(Numbers(), num_workers=2, multiprocessing_context='fork'): print(x)",
        "def run():\n    for x in DataLoader(Numbers(), num_workers=2): print(x)",
        "if __name__ == '__main__':\n    for x in DataLoader(Numbers(), num_workers=2): print(x)",
        "def run():\n    for x in DataLoader(Numbers(), num_workers=2): print(x)\n"
        "if __name__ == '__main__':\n    run()",
        "loader = DataLoader(Numbers(), num_workers=2)\nfor x in [1, 2]: print(x)",
        "p = mp.Process(target=print)",
    ],
)
def test_what_starts_no_workers_at_import_wants_no_guard(codes, source: str) -> None:
    assert codes(source) == []


def test_a_module_that_is_imported_is_reported_and_left(diagnosed) -> None:
    body = "for x in DataLoader(Numbers(), num_workers=2): print(x)"
    found = diagnosed("import library", library=HEAD + body)
    assert [d.finding.code for d in found] == ["DLF301"]
    assert isinstance(found[0].outcome, Refused)
    assert (
        "imports the module, but code under a main guard does not run on import"
        in found[0].outcome.reason
    )


@pytest.mark.parametrize(
    "definition",
    [
        "def collate(batch): return batch\n    loader = DataLoader(Numbers(), collate_fn=collate,",
        "class More(Numbers): pass\n    loader = DataLoader(More(),",
    ],
)
def test_a_definition_under_the_guard_that_crosses_is_found(codes, definition: str) -> None:
    source = f"if __name__ == '__main__':\n    {definition} num_workers=2)\n    print(next(iter(loader)))"
    assert codes(source) == ["DLF302"]


def test_a_definition_under_the_guard_that_stays_in_the_parent_is_fine(codes) -> None:
    source = """
    if __name__ == '__main__':
        def show(batch): print(batch)
        for x in DataLoader(Numbers(), num_workers=2): show(x)
    """
    assert codes(source) == []


READS = HEAD.replace("return i\n", "return i * FACTOR\n")
RUN = "    for x in DataLoader(Numbers(), num_workers=2): print(x)\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("if __name__ == '__main__':\n    FACTOR = 2\n" + RUN, True),
        ("FACTOR = 1\nif __name__ == '__main__':\n    FACTOR = 2\n" + RUN, True),
        (
            "def setup():\n    global FACTOR\n    FACTOR = 2\n"
            "def main():\n    setup()\n" + RUN + "if __name__ == '__main__':\n    main()\n",
            True,
        ),
        ("FACTOR = 2\nif __name__ == '__main__':\n" + RUN, False),
        ("FACTOR = []\nFACTOR.append(2)\nif __name__ == '__main__':\n" + RUN, False),
        (
            "def setup():\n    global FACTOR\n    FACTOR = 2\nsetup()\n"
            "if __name__ == '__main__':\n" + RUN,
            False,
        ),
        (
            "def setup():\n    global FACTOR\n    FACTOR = 2\nFACTOR = 1\n"
            "if __name__ == '__main__':\n" + RUN,
            False,
        ),
    ],
)
def test_a_name_that_only_the_parent_sets_is_found(codes, source: str, found: bool) -> None:
    assert codes(source, READS) == (["DLF303"] if found else [])


def changing(statement: str, after: str, first: str = "seen = {}") -> str:
    return f"""
import torch
from torch.utils.data import DataLoader, Dataset

{first}

class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        {statement}
        return i

def main():
    for x in DataLoader(Numbers(), num_workers=2): print(x)
    {after}

if __name__ == '__main__':
    main()
"""


@pytest.mark.parametrize(
    ("statement", "after", "first", "found"),
    [
        ("seen[i] = i", "print(seen)", "seen = {}", True),
        ("seen.append(i)", "print(len(seen))", "seen = []", True),
        ("global seen; seen += 1", "print(seen)", "seen = 0", True),
        ("seen.setdefault(i, []).append(i)", "print(seen)", "seen = {}", True),
        ("seen[i] = i", "pass", "seen = {}", False),
        ("seen[i] = i", "seen.clear()", "seen = {}", False),
        ("print(seen)", "print(seen)", "seen = {}", False),
        ("seen = {}; seen[i] = i", "print(i)", "i = 1", False),
        (
            "seen.disabled = True",
            "seen.info('')",
            "import logging\nseen = logging.getLogger()",
            False,
        ),
    ],
)
def test_what_workers_change_and_the_parent_reads_is_found(
    codes, statement: str, after: str, first: str, found: bool
) -> None:
    assert codes("", changing(statement, after, first)) == (["DLF304"] if found else [])


@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("    print(seen)\n    for x in DataLoader(Numbers(), num_workers=2): print(x)", False),
        ("    load(seen)", False),
        ("    for x in DataLoader(Numbers(), num_workers=2): print(seen)", True),
        ("    while True:\n        print(seen)\n        load(0)", True),
        ("    show()\n    load(0)\n    show()", True),
    ],
)
def test_what_the_parent_reads_before_the_workers_start_is_no_loss(
    codes, run: str, found: bool
) -> None:
    source = changing("seen[i] = i", "pass").partition("def main")[0]
    source += "def show():\n    print(seen)\n\n"
    if "load(" in run:
        source += f"def load(_):\n{RUN}\n"
    source += "if __name__ == '__main__':\n"
    assert codes("", source + run) == (["DLF304"] if found else [])


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("settings.update(given)", False),
        ("global settings; settings = given", False),
        ("settings['rank'] = given", True),
        ("settings.update(work(given))", True),
    ],
)
def test_a_process_may_keep_what_its_parent_gave_it(codes, change: str, found: bool) -> None:
    source = f"""
import multiprocessing
settings = {{}}
def work(given): return {{1: 2}}
def run(given):
    {change}
def main():
    process = multiprocessing.Process(target=run, args=({{"a": 1}},))
    process.start()
    process.join()
    print(settings)
if __name__ == '__main__':
    main()
"""
    assert codes("", source) == (["DLF304"] if found else [])


def test_a_registry_that_a_decorator_fills_at_import_is_no_worker_s_change(codes) -> None:
    first = """
STEPS = {}

def register(name):
    def deco(function):
        STEPS[name] = function
        return function
    return deco

@register("double")
def double(x):
    return x * 2
"""
    assert codes("", changing("i = double(i)", "print(STEPS)", first)) == []


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("Numbers(), persistent_workers=True", "DLF401"),
        ("Numbers(), num_workers=0, prefetch_factor=2", "DLF401"),
        ("Numbers(), multiprocessing_context='spawn'", "DLF401"),
        ("Numbers(), timeout=3", "DLF401"),
        ("Numbers(), num_workers=x, prefetch_factor=4 if x > 0 else 2", "DLF401"),
        ("Numbers(), num_workers=x.n, prefetch_factor=2 if not x.n else x", "DLF401"),
        ("Numbers(), **{'persistent_workers': True}", "DLF401"),
        ("Numbers(), sampler=[1], shuffle=True", "DLF402"),
        ("Numbers(), batch_sampler=[[1]], batch_size=2", "DLF402"),
        ("Numbers(), batch_size=None, drop_last=True", "DLF402"),
        ("Numbers(), batch_sampler=[[1]], batch_size=x, drop_last=True", "DLF402"),
        ("Stream(), shuffle=True", "DLF403"),
        ("Stream(), sampler=[1]", "DLF403"),
        ("Numbers(), num_workers=-1", "DLF404"),
        ("Numbers(), batch_size=0", "DLF404"),
        ("Numbers(), num_workers=2, multiprocessing_context='thread'", "DLF404"),
        ("Numbers(), num_workers=2, multiprocessing_context=mp", "DLF404"),
        ("Numbers(), num_workers=os.cpu_count() / 2", "DLF404"),
        ("Numbers(), num_workers=None", "DLF404"),
        ("Numbers(), num_workers=2, prefetch_factor=1.5", "DLF404"),
    ],
)
def test_what_torch_refuses_is_found(codes, call: str, code: str) -> None:
    assert codes(f"def make(x=None):\n    return DataLoader({call})") == [code]


@pytest.mark.parametrize(
    "call",
    [
        "Numbers(), num_workers=n, persistent_workers=n > 0",
        "Numbers(), num_workers=int(os.cpu_count() / 2)",
        "Numbers(), num_workers=os.cpu_count() // 2, timeout=1.5",
        "Numbers(), num_workers=n, persistent_workers=True",
        "Numbers(), num_workers=n, multiprocessing_context='spawn' if n else None",
        "Numbers(), num_workers=n, prefetch_factor=2 if n else None",
        "Numbers(), num_workers=n, prefetch_factor=2 if d else 3",
        "Numbers(), num_workers=n, prefetch_factor=2 if n == 1 else d",
        "Numbers(), sampler=s, shuffle=s is None",
        "Numbers(), sampler=s, shuffle=not s",
        "Numbers(), sampler=None, shuffle=True",
        "d, shuffle=True",
        "Numbers(), batch_sampler=[[1]], batch_size=n",
        "Numbers(), batch_sampler=[[1]], drop_last=n",
        "Numbers(), batch_size=n, drop_last=True",
        "Stream(), shuffle=False",
        "Stream(), shuffle=None",
        "Numbers(), shuffle=True, **k",
        "Numbers(), persistent_workers=True, **k",
        "Numbers(), *a",
        "Numbers(), num_workers=2, multiprocessing_context=mp.get_context('spawn')",
        "Numbers(), batch_size=None, drop_last=False",
    ],
)
def test_what_torch_takes_or_what_is_not_known_is_silent(codes, call: str) -> None:
    assert codes(f"def make(d, n, s=None, *a, **k):\n    return DataLoader({call})") == []


def test_an_attribute_set_on_a_finished_loader_is_found(codes) -> None:
    source = "def make():\n    loader = DataLoader(Numbers())\n    loader.batch_size = 4\n    return loader"
    assert codes(source) == ["DLF404"]


def test_the_message_is_a_sentence_and_the_error_is_that_of_torch(diagnosed) -> None:
    (one,) = diagnosed("def make():\n    return DataLoader(Stream(), shuffle=True)")
    assert one.finding.message == "`shuffle` cannot be used with an iterable dataset"
    assert one.finding.error == (
        "ValueError: DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True"
    )
    assert isinstance(one.outcome, Fix)


CONFIG = """
class Config:
    rate = 8000

class Clips(Dataset):
    scale = 1

    def __len__(self): return 6
    def __getitem__(self, i): return i * Config.rate * self.scale

def main(rate):
    {}
    for batch in DataLoader(Clips(), num_workers=2): print(batch)
    {}

if __name__ == "__main__":
    main(16000)
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Config.rate = rate", "", ["DLF303"]),
        ("Clips.scale = rate", "", ["DLF303"]),
        ("Config.rate = 8000", "", []),
        ("", "Config.rate = rate", []),
        ("config = Config(); config.rate = rate", "", []),
        ("Config.other = rate", "", []),
    ],
)
def test_an_attribute_of_a_class_that_only_the_parent_sets(codes, before, after, expected):
    assert codes(CONFIG.format(before or "pass", after)) == expected


def test_an_attribute_of_a_class_that_the_import_or_a_worker_sets_too(codes):
    source = CONFIG.format("Config.rate = rate", "")
    assert codes(source.replace("def main", "Config.rate = 2\n\ndef main")) == []
    started = "def start(number):\n    Config.rate = 16000\n\ndef main"
    source = source.replace("def main", started)
    assert codes(source.replace("workers=2", "workers=2, worker_init_fn=start")) == []


def test_an_attribute_of_a_class_that_objects_set_for_themselves(codes):
    source = CONFIG.format("Clips.scale = rate", "")
    own = "    def __init__(self): self.scale = 2\n    def __len__"
    assert codes(source.replace("    def __len__", own)) == []


def test_an_attribute_of_a_class_where_all_workers_are_forked(codes):
    source = CONFIG.format("Config.rate = rate", "")
    fork = "workers=2, multiprocessing_context='fork'"
    assert codes(source.replace("workers=2", fork)) == []


LOADER = "from torch.utils.data import DataLoader\n"


@pytest.mark.parametrize(
    "text",
    [
        program(
            "a count that is rounded down to 0 where the machine has few processors",
            LOADER + "def main(rows, args):\n"
            "    return DataLoader(rows, num_workers=args.workers // 4, prefetch_factor=2)  # !DLF401\n",
        ),
        program(
            "a count that is divided under a name",
            LOADER + "def main(rows, workers, gpus):\n    count = int(workers / gpus)\n"
            "    return DataLoader(rows, num_workers=count, persistent_workers=True)  # !DLF401\n",
        ),
        program(
            "a count that is at least 1",
            LOADER + "def main(rows, workers):\n"
            "    return DataLoader(rows, num_workers=max(1, workers // 4), prefetch_factor=2)\n",
        ),
        program(
            "a batch that is divided among processes",
            LOADER + "def main(rows, args):\n"
            "    return DataLoader(rows, batch_size=args.batch // args.gpus, num_workers=2)\n",
        ),
        program(
            "a count that is rounded up",
            LOADER + "def main(rows, workers, gpus):\n"
            "    return DataLoader(rows, num_workers=(workers + gpus - 1) // gpus, prefetch_factor=2)\n",
        ),
        program(
            "a count that is asked for before",
            LOADER + "def main(rows, workers):\n    count = workers // 4\n    if count:\n"
            "        return DataLoader(rows, num_workers=count, prefetch_factor=2)\n",
        ),
        program(
            "workers that are only set in a branch, beside an option that is set in any case",
            LOADER + "def main(rows, args):\n    options = {'prefetch_factor': 2}  # !DLF401\n"
            "    if args.fast:\n        options['num_workers'] = 4\n"
            "    return DataLoader(rows, **options)\n",
        ),
        program(
            "workers and their option that are set in the same branch",
            LOADER + "def main(rows, args):\n    options = {}\n    if args.fast:\n"
            "        options['num_workers'] = 4\n        options['prefetch_factor'] = 2\n"
            "    return DataLoader(rows, **options)\n",
        ),
        program(
            "a loader that is made in a branch like that of its workers",
            LOADER + "def main(rows, args):\n    options = {'prefetch_factor': 2}\n"
            "    if args.fast:\n        options['num_workers'] = 4\n    if args.fast:\n"
            "        return DataLoader(rows, **options)\n",
        ),
    ],
)
def test_counts_that_may_be_zero(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


SCRATCH = """\
--- paths.py
import os, tempfile
SCRATCH = tempfile.mkdtemp(){found}
def file_of(index):
    return os.path.join(SCRATCH, f"{{index}}.npy")
--- main.py
import numpy as np
import paths
from torch.utils.data import DataLoader, Dataset
class Tiles(Dataset):
    def __init__(self, root=None):
        self.root = root
    def __len__(self):
        return 8
    def __getitem__(self, index):
        {reads}
def render(count):
    for index in range(count):
        np.save(paths.file_of(index), index)
if __name__ == "__main__":
    {writes}
    list(DataLoader(Tiles({root}), num_workers=2, multiprocessing_context={method!r}))
"""


def _scratch(
    reads: str, *, found: bool, writes: str = "render(8)", root: str = "", method: str = "spawn"
) -> str:
    mark = "  # !DLF303" * found
    return SCRATCH.format(found=mark, reads=reads, writes=writes, root=root, method=method)


@pytest.mark.parametrize(
    "text",
    [
        program(
            "a folder that an import makes, which the parent fills and workers read",
            _scratch("return np.load(paths.file_of(index))", found=True),
        ),
        program(
            "a folder that the parent fills under its name",
            _scratch(
                "return np.load(paths.file_of(index))",
                found=True,
                writes='np.save(paths.SCRATCH + "/0.npy", 0)',
            ),
        ),
        program(
            "a folder that workers alone use",
            _scratch("np.save(paths.file_of(index), index)", found=False, writes="pass"),
        ),
        program(
            "a folder that the dataset is given",
            _scratch(
                'return np.load(f"{self.root}/{index}.npy")', found=False, root="paths.SCRATCH"
            ),
        ),
        program(
            "a folder that forked workers inherit",
            _scratch("return np.load(paths.file_of(index))", found=False, method="fork"),
        ),
    ],
)
def test_folders_that_each_process_makes(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_that_are_forked_by_their_start_get_objects_as_they_are(
    tmp_path: Path, method: str
) -> None:
    mark = "  # !DLF103" if method == "spawn" else ""
    text = (
        "import torch.multiprocessing as mp\ndef work(rank, agent):\n    pass\ndef main():\n"
        f"    class Agent:{mark}\n        pass\n"
        f"    mp.start_processes(work, args=(Agent(),), nprocs=2, start_method={method!r})\n"
    )
    check(tmp_path, text)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_context_is_that_of_the_constant_which_names_it(tmp_path: Path, method: str) -> None:
    mark = "  # !DLF101" if method == "spawn" else ""
    text = (
        "import multiprocessing as mp\nfrom torch.utils.data import DataLoader\n"
        f"METHOD = {method!r}\ndef main(rows, k):\n    DataLoader(\n        rows, num_workers=2,\n"
        f"        collate_fn=lambda batch: batch[k:],{mark}\n"
        "        multiprocessing_context=mp.get_context(METHOD))\n"
        "def with_default(rows, k, method='fork'):\n    DataLoader(\n        rows, num_workers=2,\n"
        "        collate_fn=lambda batch: batch[k:],  # !DLF101\n"
        "        multiprocessing_context=mp.get_context(method))\n"
    )
    check(tmp_path, text)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_that_forks_pickles_tasks_but_not_what_its_processes_start_with(
    tmp_path: Path, method: str
) -> None:
    mark = "  # !DLF101" if method == "spawn" else ""
    text = (
        "import multiprocessing as mp\nfrom concurrent.futures import ProcessPoolExecutor\n"
        "def main(rows):\n"
        f"    context = mp.get_context({method!r})\n"
        f"    with context.Pool(2, initializer=lambda: None) as pool:{mark}\n"
        "        pool.map(lambda row: row, rows)  # !DLF101\n"
        "    with ProcessPoolExecutor(\n"
        f"        mp_context=context, initializer=print, initargs=(lambda: 1,),{mark}\n"
        "    ) as executor:\n"
        "        executor.submit(lambda row: row, rows)  # !DLF101\n"
    )
    check(tmp_path, text)


CLIENT = """
import multiprocessing, socket
class Client:
    def __init__(self):
        self.sock = socket.socket()
    def send(self, text):
        self.sock.sendall(text)
class Worker(multiprocessing.Process):
    def __init__(self):
        super().__init__()
        self.client = Client()
    def run(self):
        self.client.send(b"hello")
    def tell(self, text):
        self.client.send(text)
if __name__ == "__main__":
    worker = Worker()
    worker.start()
"""


@pytest.mark.parametrize(
    ("then", "found"),
    [
        ("worker.join()", []),
        ("worker.tell(b'more')", ["DLF202"]),
        ("worker.client.send(b'more')", ["DLF202"]),
    ],
)
def test_what_a_process_makes_for_itself_is_shared_with_nobody(tmp_path: Path, then, found):
    (tmp_path / "main.py").write_text(f"{CLIENT}    {then}\n", encoding="utf-8")
    rules = [rule for rule in all_rules() if rule.code == "DLF202"]
    diagnosed = inspect(analyze(Project([tmp_path / "main.py"]), load()), rules)
    assert [each.finding.code for each in diagnosed] == found


UNGUARDED = """
from torch.utils.data import DataLoader
for batch in DataLoader([1, 2, 3], num_workers=2):
    print(batch)
"""


@pytest.mark.parametrize(
    ("name", "other", "found"),
    [
        ("train", "", ["DLF301"]),
        ("__main__", "", []),  # `python -m package`: no worker imports that again
        ("__main__", "from package import __main__", ["DLF301"]),
    ],
)
def test_the_main_module_of_a_package_needs_no_guard(tmp_path: Path, name, other, found):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / f"{name}.py").write_text(UNGUARDED, encoding="utf-8")
    (tmp_path / "other.py").write_text(other, encoding="utf-8")
    rules = [rule for rule in all_rules() if rule.code == "DLF301"]
    diagnosed = inspect(analyze(Project(sorted(tmp_path.rglob("*.py"))), load()), rules)
    assert [each.finding.code for each in diagnosed] == found


VECTOR = """
import functools
from multiprocessing import Pipe, Process
def work(remote, make): make()
class Environments:
    def __init__(self, makers):
        self.remotes, self.others = zip(*[Pipe() for _ in range(2)])
        self.processes = [
            Process(target=work, args=(remote, make)) for remote, make in zip(self.others, makers)
        ]
def main():
    def make(seed): return seed
    Environments([functools.partial(make, 0), functools.partial(make, 1)])
    Environments([functools.partial(make, seed) for seed in range(3)])
if __name__ == "__main__":
    main()
"""


def test_of_pairs_with_something_unseen_the_rest_is_followed(tmp_path: Path):
    (tmp_path / "main.py").write_text(VECTOR, encoding="utf-8")
    rules = [rule for rule in all_rules() if rule.code == "DLF102"]
    diagnosed = inspect(analyze(Project([tmp_path / "main.py"]), load()), rules)
    assert [each.finding.code for each in diagnosed] == ["DLF102"]
