"""The probe, over real programs: small, and most of them without torch."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from dlfix.runtime import commands, probe
from dlfix.runtime.inside import bootstrap
from dlfix.runtime.probe import ProbeError

# Some tests of loaders are without it: a torch that is imported by the program is watched too.
WARM = pytest.mark.usefixtures("warm_torch")

LOADER = """
    import sqlite3, threading, torch
    from torch.utils.data import DataLoader, Dataset, Subset

    class Compose:
        def __init__(self, transforms):
            self.transforms = transforms

    class Clips(Dataset):
        def __init__(self, transform=None):
            self.items = list(range(1000))
            self.transform = transform
        def __len__(self):
            return len(self.items)
        def __getitem__(self, i):
            return torch.tensor(self.items[i])
"""


def write(folder: Path, *texts: str, name: str = "main.py") -> str:
    path = folder / name
    path.write_text("\n".join(textwrap.dedent(text) for text in texts))
    return str(path)


def test_a_lambda_deep_in_a_dataset_is_named_with_its_path_and_line(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        def main():
            transform = Compose([abs, lambda x: x])
            loader = DataLoader(Subset(Clips(transform), range(8)), num_workers=2)
            for batch in loader:
                raise SystemExit("the training step ran")

        if __name__ == "__main__":
            main()
        """,
    )
    probed = probe.probe(script)
    (culprit,) = probed.culprits
    assert culprit.path == "loader.dataset.dataset.transform.transforms[1]"
    assert culprit.error == "AttributeError"
    assert "main.<locals>.<lambda>" in culprit.message
    line = Path(script).read_text().split("\n")[culprit.line.row - 1]
    assert "lambda x: x" in line
    assert probed.boundaries[0].workers == 2


@WARM
def test_all_culprits_are_listed_and_good_parts_measured(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        class Guarded(Clips):
            def __init__(self):
                super().__init__(lambda x: x)
                self.lock = threading.Lock()
                self.db = sqlite3.connect(":memory:")

        if __name__ == "__main__":
            for batch in DataLoader(Guarded(), num_workers=1, collate_fn=lambda b: b):
                pass
        """,
    )
    probed = probe.probe(script)
    paths = {c.path for c in probed.culprits}
    assert paths == {
        "loader.dataset.transform",
        "loader.dataset.lock",
        "loader.dataset.db",
        "loader.collate_fn",
    }
    made = {c.attribute: c.line.row for c in probed.culprits if c.attribute in ("lock", "db")}
    source = Path(script).read_text().split("\n")
    assert all(f"self.{name} =" in source[row - 1] for name, row in made.items())
    assert [part.fits for part in probed.boundaries[0].parts] == [False, False]


def test_a_loader_that_arrives_is_measured_loaded_back_and_fetched(tmp_path, capsys):
    script = write(
        tmp_path,
        LOADER,
        """
        if __name__ == "__main__":
            for batch in DataLoader(Clips(), batch_size=4, num_workers=2):
                raise SystemExit("the training step ran")
        """,
    )
    probed = probe.probe(script)
    assert probed.culprits == []
    (boundary,) = probed.boundaries
    assert (boundary.kind, boundary.notes, boundary.differences) == ("DataLoader", [], [])
    dataset = boundary.parts[0]
    assert dataset.fits
    assert dataset.bytes > 1000
    assert dataset.largest[0].path == "loader.dataset.items"


@WARM
def test_a_handle_opened_by_len_is_found_before_the_next_epoch(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        class Lazy(Clips):
            db = None
            def __len__(self):
                self.db = self.db or sqlite3.connect(":memory:")
                return 10

        if __name__ == "__main__":
            for batch in DataLoader(Lazy(), num_workers=2):
                pass
        """,
    )
    (culprit,) = probe.probe(script).culprits
    assert (culprit.path, culprit.when) == ("loader.dataset.db", "next epoch")


@WARM
def test_what_the_worker_cannot_load_is_found_by_loading_it(tmp_path):
    script = write(
        tmp_path,
        "import torch\nfrom torch.utils.data import DataLoader, Dataset",
        """
        if __name__ == "__main__":
            class Hidden(Dataset):
                def __len__(self):
                    return 4
                def __getitem__(self, i):
                    return i
            for batch in DataLoader(Hidden(), num_workers=2):
                pass
        """,
    )
    (culprit,) = probe.probe(script).culprits
    assert culprit.stage == "load"
    assert "Can't get attribute 'Hidden' on <module '__mp_main__'" in culprit.message
    assert (
        Path(script)
        .read_text()
        .split("\n")[culprit.line.row - 1]
        .strip()
        .startswith("class Hidden")
    )


@WARM
def test_a_script_without_a_guard_is_found_in_the_child(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        "for batch in DataLoader(Clips(), num_workers=2, multiprocessing_context='spawn'):\n    pass",
    )
    (culprit,) = probe.probe(script).culprits
    assert culprit.stage == "main"
    assert "An attempt has been made to start a new process" in culprit.message


@WARM
def test_a_global_that_only_the_parent_sets_is_found_by_the_first_fetch(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        SETTINGS = {}

        class Scaled(Clips):
            def __getitem__(self, i):
                return SETTINGS["scale"] * i

        if __name__ == "__main__":
            SETTINGS["scale"] = 2
            for batch in DataLoader(Scaled(), num_workers=2):
                pass
        """,
    )
    (culprit,) = probe.probe(script).culprits
    assert (culprit.stage, culprit.error) == ("fetch", "KeyError")
    assert 'SETTINGS["scale"] * i' in Path(script).read_text().split("\n")[culprit.line.row - 1]


@WARM
def test_generators_from_which_all_workers_draw_the_same_are_found_by_a_second_worker(tmp_path):
    script = write(
        tmp_path,
        """
        import random
        import numpy
        from torch.utils.data import DataLoader, Dataset, get_worker_info

        class Noisy(Dataset):
            def __init__(self):
                self.rng = numpy.random.default_rng(3)
                self.old = numpy.random.RandomState(3)
                self.draw = random.random
                self.unused = random.Random(5)
            def __len__(self):
                return 10
            def __getitem__(self, i):
                return self.rng.random() + self.old.rand() + self.draw()

        class BySample(Noisy):
            def __getitem__(self, i):
                self.old.seed(i)
                self.rng = numpy.random.default_rng(i)
                return self.rng.random() + self.old.rand()

        class ByWorker(Noisy):
            def __getitem__(self, i):
                return self.rng.random()

        def init(worker):
            get_worker_info().dataset.rng = numpy.random.default_rng(worker)

        if __name__ == "__main__":
            alike = DataLoader(Noisy(), num_workers=2)
            alone = DataLoader(Noisy(), num_workers=1)
            by_sample = DataLoader(BySample(), num_workers=2)
            by_worker = DataLoader(ByWorker(), num_workers=2, worker_init_fn=init)
        """,
    )
    alike, *others = probe.probe(script).boundaries
    assert [(c.path, c.stage, c.line.row) for c in alike.culprits] == [
        ("loader.dataset.rng", "alike", 8),
        ("loader.dataset.old", "alike", 9),
        ("loader.dataset.draw", "alike", 10),
    ]
    assert len(others) == 3
    assert not any(boundary.culprits for boundary in others)


@WARM
def test_a_stream_that_all_workers_yield_whole_is_found_by_a_second_worker(tmp_path):
    script = write(
        tmp_path,
        """
        import torch
        from torch.utils.data import DataLoader, IterableDataset, get_worker_info

        class Whole(IterableDataset):
            def __init__(self, count):
                self.count = count
            def __iter__(self):
                return (self.sample(i) for i in range(self.count))
            def sample(self, i):
                return torch.tensor(i)

        class Zeros(Whole):
            def sample(self, i):
                return torch.zeros(1)

        class Split(Whole):
            def __iter__(self):
                info = get_worker_info()
                return (self.sample(i) for i in range(info.id, self.count, info.num_workers))

        if __name__ == "__main__":
            loaders = [
                DataLoader(Whole(20), batch_size=4, num_workers=2),
                DataLoader(Whole(20), batch_size=None, num_workers=2),
                DataLoader(Whole(20), batch_size=4, num_workers=1),
                DataLoader(Whole(3), batch_size=4, num_workers=2),
                DataLoader(Zeros(20), batch_size=4, num_workers=2),
                DataLoader(Split(20), batch_size=4, num_workers=2),
            ]
        """,
    )
    boundaries = probe.probe(script).boundaries
    found = [[(c.path, c.stage, c.line.row) for c in b.culprits] for b in boundaries]
    whole = [("loader.dataset", "stream", 8)]
    assert found == [whole, whole, [], [], [], []]


@WARM
def test_loaders_that_are_made_and_not_yet_started_are_examined_too(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        if __name__ == "__main__":
            first = DataLoader(Clips(), num_workers=1)
            second = DataLoader(Clips(transform=lambda x: x), num_workers=1)
            third = DataLoader(Clips(transform=second.dataset.transform), num_workers=1)
            for batch in first:
                pass
        """,
    )
    probed = probe.probe(script)
    paths = [[c.path for c in boundary.culprits] for boundary in probed.boundaries]
    assert paths == [[], ["loader.dataset.transform"], ["loader.dataset.transform"]]


@WARM
def test_continue_runs_the_training_step_in_this_process(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        if __name__ == "__main__":
            import os
            for batch in DataLoader(Clips(lambda x: x), batch_size=500, num_workers=2):
                open("trained", "a").write(str(os.getpid()) + "\\n")
        """,
    )
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        probed = probe.probe(script, go_on=True)
    finally:
        os.chdir(before)
    assert len(probed.culprits) == 1
    pids = (tmp_path / "trained").read_text().split()
    assert len(pids) == 2
    assert len(set(pids)) == 1


@WARM
def test_a_factory_is_called_and_its_loader_examined(tmp_path, monkeypatch):
    write(
        tmp_path,
        LOADER,
        "def make():\n    return {'train': DataLoader(Clips(transform=lambda x: x), num_workers=1)}",
        name="loaders_here.py",
    )
    monkeypatch.chdir(tmp_path)
    (culprit,) = probe.probe("loaders_here:make").culprits
    assert culprit.path == "loader.dataset.transform"
    assert culprit.line.path.name == "loaders_here.py"


FACTORIES = """
    def train():
        return DataLoader(Clips(), num_workers=2)

    def setup():
        kept.append(train())

    def fails(n):
        return train()

    def number():
        return 7

    kept = []
    besides = DataLoader(Clips(transform=lambda x: x), num_workers=1)
"""


@WARM
@pytest.mark.parametrize("name", ["train", "setup", "Clips"])
def test_of_a_factory_only_its_own_loaders_are_examined(tmp_path, monkeypatch, name):
    write(tmp_path, LOADER, FACTORIES, name="factories_here.py")
    monkeypatch.chdir(tmp_path)
    probed = probe.probe(f"factories_here:{name}")
    assert len(probed.boundaries) == 1
    assert probed.culprits == []


@WARM
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fails", "TypeError: fails.* missing 1 required positional argument"),
        ("number", "returned int, which is neither a DataLoader nor a dataset"),
        ("gone", "AttributeError: module 'factories_here' has no attribute 'gone'"),
    ],
)
def test_a_factory_that_gives_no_loader_gives_one_line(tmp_path, monkeypatch, name, reason):
    write(tmp_path, LOADER, FACTORIES, name="factories_here.py")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProbeError, match=reason):
        probe.probe(f"factories_here:{name}")


@WARM
def test_the_start_method_is_told_where_the_program_asks_for_one(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        import multiprocessing

        if __name__ == "__main__":
            loaders = [DataLoader(Clips(), num_workers=1) for _ in range(2)]
            loaders.append(DataLoader(Clips(), num_workers=1, multiprocessing_context="fork"))
            if len(sys.argv) > 1:
                multiprocessing.set_start_method(sys.argv[1])
        """.replace("import multiprocessing", "import multiprocessing, sys"),
    )
    methods = [boundary.method for boundary in probe.probe(script).boundaries]
    assert methods == ["default", "default", "fork"]
    methods = [boundary.method for boundary in probe.probe(script, ["forkserver"]).boundaries]
    assert methods == ["forkserver", "forkserver", "fork"]


LATE = """
    import sys
    if __name__ == "__main__":
        loader = DataLoader(Clips({transform}), num_workers=1)
        {last}
"""


@WARM
@pytest.mark.parametrize(
    ("last", "is_cut"),
    [("next(iter(loader))", True), ("pass", False), ("sys.exit(0)", False)],
)
def test_it_is_told_whether_the_program_was_ended_at_its_first_workers(tmp_path, last, is_cut):
    script = write(tmp_path, LOADER, LATE.format(transform="", last=last))
    probed = probe.probe(script)
    assert len(probed.boundaries) == 1
    assert (probed.is_cut, probed.failed) == (is_cut, "")


@WARM
@pytest.mark.parametrize(
    ("last", "reason", "transform"),
    [
        ("raise KeyError('lr')", r"failed before it started a worker \(.*\): KeyError: 'lr'", ""),
        ("sys.exit('no GPU')", "called sys.exit.no GPU. before it started a worker", "lambda x: x"),
    ],
    ids=["raises, its loader good", "leaves, its loader bad"],
)
def test_a_program_that_fails_with_its_loader_made_is_examined_and_has_status_2(
    tmp_path, capfd, last, reason, transform
):
    script = write(tmp_path, LOADER, LATE.format(transform=transform, last=last))
    assert commands.probe(script) == 2
    out, err = capfd.readouterr()
    assert re.search(reason, err)
    assert ("1 object cannot be sent to the workers" in out) == bool(transform)
    assert "All that crosses" not in out


@WARM
def test_a_program_that_swallows_everything_is_stopped_all_the_same(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        if __name__ == "__main__":
            loader = DataLoader(Clips(lambda x: x), num_workers=1)
            while True:
                try:
                    for batch in loader:
                        pass
                except BaseException:
                    pass
        """,
    )
    (culprit,) = probe.probe(script, timeout=60).culprits
    assert culprit.path == "loader.dataset.transform"


@WARM
def test_a_loader_with_an_iterator_of_its_own_is_stopped_at_its_workers(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        import torch.utils.data.dataloader as base

        class Own(DataLoader):
            def __iter__(self):
                return base._MultiProcessingDataLoaderIter(self)

        if __name__ == "__main__":
            for batch in Own(Clips(lambda x: x), num_workers=1):
                raise SystemExit("the training step ran")
        """,
    )
    (boundary,) = probe.probe(script).boundaries
    (culprit,) = boundary.culprits
    assert culprit.path == "loader.dataset.transform"


# ---------------------------------------------------------------- processes and pools


def test_a_process_with_a_local_target_is_stopped_before_it_starts(tmp_path):
    script = write(
        tmp_path,
        """
        import multiprocessing

        def main():
            def run(queue):
                open("started", "w").close()
            worker = multiprocessing.Process(target=run, args=({"path": open(__file__)},))
            worker.start()
            raise SystemExit("went on")

        if __name__ == "__main__":
            main()
        """,
    )
    probed = probe.probe(script)
    assert [c.path for c in probed.culprits] == ["process.target", "process.args[0]['path']"]
    assert probed.culprits[0].line.row == 5
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    "call",
    [
        "pool.map(lambda x: x, [1, 2])",
        "pool.apply(lambda: 1)",
        "pool.imap(lambda x: x, iter('ab'))",
        "pool.imap(lambda x: x, __import__('itertools').count())",
        "pool.starmap(lambda x, y: x, [(1, 2)])",
    ],
)
def test_a_lambda_given_to_a_pool_is_named(tmp_path, call):
    script = write(
        tmp_path,
        "from multiprocessing import Pool\nif __name__ == '__main__':\n    with Pool(2) as pool:\n"
        f"        list({call})",
    )
    (culprit,) = probe.probe(script).culprits
    assert culprit.path == "task.func"
    assert culprit.line.row == 4


def test_a_pool_of_threads_crosses_nothing_and_runs(tmp_path):
    script = write(
        tmp_path,
        "from multiprocessing.pool import ThreadPool\nif __name__ == '__main__':\n"
        "    with ThreadPool(2) as pool:\n        assert pool.map(lambda x: x + 1, [1]) == [2]",
    )
    with pytest.raises(ProbeError, match="ended without starting a worker"):
        probe.probe(script)


def test_an_exception_that_cannot_come_back_is_found_by_running_the_first_task(tmp_path):
    script = write(
        tmp_path,
        """
        from concurrent.futures import ProcessPoolExecutor

        class Broken(Exception):
            def __init__(self, path, code):
                super().__init__(path)

        def task(x):
            raise Broken(x, 3)

        if __name__ == "__main__":
            with ProcessPoolExecutor(2) as pool:
                print(pool.submit(task, "a").result())
        """,
    )
    (culprit,) = probe.probe(script).culprits
    assert culprit.stage == "return"
    assert "missing 1 required positional argument: 'code'" in culprit.message
    assert culprit.line.row == 4


# ---------------------------------------------------------------- bad input: one line, exit 2

BAD = {
    "a script that raises before its first loader": (
        "import os\nraise KeyError('data')",
        r"failed before it started a worker \(.*main.py:2\): KeyError: 'data'",
    ),
    "a script whose loader is refused": (
        "raise ValueError('DataLoader with IterableDataset: expected unspecified shuffle option, but')",
        r"ValueError: DataLoader with .* \(see dlfix explain DLF403\)",
    ),
    "a script that never makes a loader": ("x = 1", "ended without starting a worker"),
    "a script that calls sys.exit": ("import sys\nsys.exit(3)", r"called sys.exit\(3\) before"),
    "a script that hangs": ("import time\ntime.sleep(60)", r"did not finish within 1 s"),
    "a script that does not parse": ("def f(:\n", "SyntaxError"),
    "a script that dies": ("import os\nos.kill(os.getpid(), 9)", "was killed by SIGKILL before"),
    "a script that leaves without a word": (
        "import os\nos._exit(7)",
        "exited with status 7 before",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_bad_input_gives_one_line_and_status_2(tmp_path, capfd, text, message):
    script = write(tmp_path, text)
    status = commands.probe(script, timeout=1.0 if "sleep" in text else 30.0)
    out, err = capfd.readouterr()
    assert status == 2
    assert out == ""
    (line,) = err.strip().split("\n")
    with pytest.raises(ProbeError, match=message):
        raise ProbeError(line)


def test_an_interpreter_without_torch_is_named(tmp_path, capfd):
    bare = Path(sys.base_prefix, "bin", "python3")
    script = write(
        tmp_path,
        "import sys\nsys.path[:] = [p for p in sys.path if 'site-packages' not in p]\nimport torch",
    )
    status = commands.probe(script, python=str(bare))
    assert status == 2
    assert "pass the project's interpreter with --python" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (
            "nowhere.py",
            "the script does not exist, and the name is not of the form `package.module:factory`",
        ),
        (".", "got a directory"),
        ("book.ipynb", "got a notebook"),
        ("no_such_module_here:f", "No module named"),
    ],
)
def test_a_target_that_cannot_be_run_gives_one_line(tmp_path, monkeypatch, capfd, target, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.ipynb").write_text("{}")
    assert commands.probe(target) == 2
    err = capfd.readouterr().err.strip()
    assert reason in err
    assert err.count("\n") == 0


def test_an_interpreter_that_does_not_exist_gives_one_line(tmp_path, capfd):
    script = write(tmp_path, "x = 1")
    assert commands.probe(script, python="no-such-python") == 2
    assert "no-such-python: the interpreter does not exist" in capfd.readouterr().err


def test_what_is_no_interpreter_gives_one_line(tmp_path, capfd):
    script = write(tmp_path, "x = 1")
    assert commands.probe(script, python="true") == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.strip().endswith("cannot run the probe (status 0)")


def test_an_interpreter_that_is_too_old_says_so(tmp_path, monkeypatch):
    script = write(tmp_path, "x = 1")
    monkeypatch.setattr(
        bootstrap, "program", lambda texts: f"raise SystemExit({bootstrap.TOO_OLD})"
    )
    with pytest.raises(ProbeError, match=r"requires Python 3\.8 or later"):
        probe.probe(script)


def test_no_process_outlives_the_time_limit(tmp_path):
    script = write(
        tmp_path,
        """
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        with open(sys.argv[1], "w") as file:
            file.write(str(child.pid))
        time.sleep(300)
        """,
    )
    note = tmp_path / "pid"
    for limit in (3.0, 60.0):  # the shorter one may end before the script has begun
        with pytest.raises(ProbeError, match="did not finish within"):
            probe.probe(script, [str(note)], timeout=limit)
        if note.exists() and note.read_text():
            break
    assert not is_running(int(note.read_text()))


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_dlfix_that_is_told_to_end(tmp_path, number):
    script = write(
        tmp_path,
        """
        import os, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open("pids.new", "w") as file:
            file.write(f"{os.getpid()} {child.pid}")
        os.rename("pids.new", "pids")
        time.sleep(60)
        """,
    )
    command = [sys.executable, "-m", "dlfix", "probe", script]
    heeding = functools.partial(
        signal.signal, number, signal.SIG_DFL
    )  # a job in the background may not
    dlfix = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, preexec_fn=heeding)
    note = tmp_path / "pids"
    for _ in range(300):
        if note.exists():
            break
        time.sleep(0.1)
    dlfix.send_signal(number)
    assert dlfix.wait(30) != 0
    assert not any(is_running(int(pid)) for pid in note.read_text().split())


def is_running(pid: int) -> bool:
    """Return whether a process runs, giving the system a moment to bury it."""
    for _ in range(50):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
        time.sleep(0.1)
    return True


NESTED = """
    import multiprocessing, threading

    class Nested:
        def __init__(self, inner=None):
            self.inner = inner
        def __reduce__(self):
            {reduce}

    if __name__ == "__main__":
        multiprocessing.Process(target={target}, args=({{"a": {made}}},)).start()
"""

BREAKS = {
    "raises": ("raise OSError('no')", r"Nested.__reduce__ \(.*main.py:8\) raised OSError: no"),
    "has a bug": ("return 1 + 'a'", r"main.py:8\) raised TypeError: unsupported operand"),
    "leaves": ("raise SystemExit(3)", r"raised SystemExit: 3"),
    "calls itself": ("return self.__reduce__()", "main.py:8.* recurses infinitely"),
    "hands over more of its kind": (
        "return (Nested, (Nested(),))",
        "main.py:7.* recurses infinitely",
    ),
    "hands over ever more of them": (
        "return (Nested, (Nested(), Nested(), Nested()))",
        "main.py:7.* recurses infinitely",
    ),
}


@pytest.mark.parametrize(("reduce", "reason"), BREAKS.values(), ids=BREAKS)
def test_an_object_whose_reduce_breaks_gives_one_line_and_status_2(tmp_path, capfd, reduce, reason):
    script = write(tmp_path, NESTED.format(reduce=reduce, target="print", made="Nested()"))
    assert commands.probe(script) == 2
    out, err = capfd.readouterr()
    assert out == ""
    (line,) = err.strip().split("\n")
    assert re.search(r"process\.args\[0\]\['a'\] cannot be pickled: Nested\.__reduce__ ", line)
    assert re.search(reason, line)


def test_what_is_wrong_beside_an_object_whose_reduce_breaks_is_told_too(tmp_path, capfd):
    text = NESTED.format(
        reduce="return (Nested, (Nested(),))",
        target="lambda x: x",
        made="[Nested(), threading.Lock()]",
    )
    script = write(tmp_path, text)
    assert commands.probe(script) == 2
    out, err = capfd.readouterr()
    assert "process.target" in out
    assert "process.args[0]['a'][1]" in out
    assert "2 objects cannot be sent to the workers." in out
    assert "process.args[0]['a'][0] cannot be pickled: Nested.__reduce__" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("reduce", "made"),
    [
        ("raise TypeError('Nested holds a socket but cannot be pickled')", "Nested()"),
        ("raise NotImplementedError", "Nested()"),
        ("raise RuntimeError('make one in each worker')", "Nested()"),
        ("return (Nested, (threading.Lock(),))", "Nested()"),
        ("return multiprocessing.reduction.ForkingPickler.dumps(threading.Lock())", "Nested()"),
    ],
)
def test_a_class_that_refuses_on_purpose_to_be_pickled_is_a_culprit(tmp_path, reduce, made):
    script = write(tmp_path, NESTED.format(reduce=reduce, target="print", made=made))
    probed = probe.probe(script)
    assert [c.path.partition(".__reduce__")[0] for c in probed.culprits] == ["process.args[0]['a']"]
    assert probed.broken == []


def test_a_structure_too_deep_for_pickle_is_a_culprit(tmp_path):
    script = write(
        tmp_path,
        """
        import multiprocessing

        class Link:
            def __init__(self, after):
                self.after = after

        if __name__ == "__main__":
            first = None
            for _ in range(5000):
                first = Link(first)
            multiprocessing.Process(target=print, args=(first,)).start()
        """,
    )
    (culprit,) = probe.probe(script).culprits
    assert (culprit.path, culprit.error) == ("process.args[0]", "RecursionError")
    assert culprit.line.row == 4


TEN_GIGABYTES = {
    "mapped": 'numpy.memmap("big.dat", dtype="u1", mode="w+", shape=(10 << 30,))',
    "an array": "numpy.frombuffer(mmap.mmap(-1, 10 << 30, flags=UNRESERVED), 'u1')",
    "a list of bytes": "[bytes(64 << 20) for _ in range(160)]",
}


@pytest.mark.skipif(sys.platform != "linux", reason="measures as Linux does")
@pytest.mark.parametrize("made", TEN_GIGABYTES.values(), ids=TEN_GIGABYTES)
def test_ten_gigabytes_are_counted_and_never_built(tmp_path, monkeypatch, made):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        f"""
        import atexit, mmap, multiprocessing, resource, sys
        import numpy

        LAST = None if len(sys.argv) == 1 else lambda: None
        UNRESERVED = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000

        class Holder:
            pass

        def note():
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            open("peak", "w").write(str(peak << 10))

        if __name__ == "__main__":
            atexit.register(note)
            holder = Holder()
            holder.big = {made}
            holder.broken = LAST
            multiprocessing.Process(target=print, args=(holder,)).start()
        """,
    )
    (boundary,) = probe.probe("main.py").boundaries
    part = next(p for p in boundary.parts if p.path == "process.args[0]")
    assert part.fits
    assert part.bytes >= 10 << 30
    assert part.largest[0].path == "process.args[0].big"
    assert part.largest[0].bytes >= 10 << 30
    assert int((tmp_path / "peak").read_text()) < 2 << 30
    assert "is too large to be unpickled" in boundary.notes[0]
    (culprit,) = probe.probe("main.py", ["broken"]).culprits
    assert culprit.path == "process.args[0].broken"
    assert int((tmp_path / "peak").read_text()) < 2 << 30


# ---------------------------------------------------------------- choosing the interpreter


def test_the_asked_for_interpreter_comes_first(monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", "/nowhere")
    assert probe.interpreter("x.py", sys.executable) == sys.executable


def test_the_environment_beside_the_project_is_found(tmp_path, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    (tmp_path / "pyproject.toml").touch()
    script = tmp_path / "src" / "train.py"
    script.parent.mkdir()
    script.touch()
    assert probe.interpreter(str(script)) == str(python)


@pytest.fixture
def above(tmp_path, monkeypatch):
    """An environment in the folder above a project, and the project's script."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    script = tmp_path / "project" / "train.py"
    script.parent.mkdir()
    (script.parent / ".git").mkdir()
    script.touch()
    return script


def test_an_environment_above_the_project_is_not_used(above):
    assert probe.interpreter(str(above)) == sys.executable


def test_an_environment_above_a_script_in_no_project_is_not_used(above):
    (above.parent / ".git").rmdir()
    assert probe.interpreter(str(above)) == sys.executable


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("foreign", [".venv", "."])
def test_an_environment_of_another_user_is_not_used(above, foreign):
    (above.parent.parent / ".venv").rename(above.parent / ".venv")
    assert probe.interpreter(str(above)) == str(above.parent / ".venv/bin/python")
    os.chown(above.parent / foreign, 1234, 1234)
    assert probe.interpreter(str(above)) == sys.executable


def test_an_environment_that_anybody_may_write_to_is_not_used(above):
    (above.parent.parent / ".venv").rename(above.parent / ".venv")
    (above.parent / ".venv").chmod(0o777)
    assert probe.interpreter(str(above)) == sys.executable


def test_the_interpreter_is_named_before_it_runs_and_in_the_report(tmp_path, monkeypatch, capfd):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    script = write(
        tmp_path,
        """
        import multiprocessing
        if __name__ == "__main__":
            multiprocessing.Process(target=print).start()
        """,
    )
    assert commands.probe(script) == 0
    out, err = capfd.readouterr()
    assert f"dlfix: running {script} with {python}" in err
    assert f"Interpreter:{python}" in "".join(out.split())


# ---------------------------------------------------------------- leaving nothing behind


ORPHANS = """
    import os, sys, time
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                with open(sys.argv[1], "a") as file:
                    file.write(f"{os.getpid()}\\n")
                time.sleep(300)
            os._exit(0)
    while not os.path.exists(sys.argv[1]) or len(open(sys.argv[1]).readlines()) < 3:
        time.sleep(0.05)
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to a reaper")


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def noted(path):
    numbers = [int(line) for line in path.read_text().split()]
    assert len(numbers) == 3
    return numbers


@LINUX
def test_daemons_of_the_program_end_with_the_time_limit(tmp_path):
    script = write(tmp_path, ORPHANS, "time.sleep(300)")
    with pytest.raises(ProbeError, match="did not finish within"):
        probe.probe(script, [str(tmp_path / "pids")], timeout=4)
    assert not any(map(runs, noted(tmp_path / "pids")))


@LINUX
def test_daemons_of_the_program_end_with_the_program(tmp_path):
    script = write(tmp_path, ORPHANS)
    with pytest.raises(ProbeError, match="ended without starting a worker"):
        probe.probe(script, [str(tmp_path / "pids")])
    assert not any(map(runs, noted(tmp_path / "pids")))


# A shell starts what runs in the background with SIGINT ignored, and its children inherit that.
INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from dlfix.runtime import probe
probe.probe(sys.argv[1], sys.argv[2:])
"""


@LINUX
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_daemons_of_the_program_end_with_dlfix(tmp_path, number):
    script = write(tmp_path, ORPHANS, "open(sys.argv[1] + '-all', 'w')", "time.sleep(300)")
    note = tmp_path / "pids"
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, script, str(note)], stderr=subprocess.DEVNULL
    )
    wait_for(lambda: (tmp_path / "pids-all").exists())
    child.send_signal(number)
    child.wait()
    wait_for(lambda: not any(map(runs, noted(note))))


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_program_that_prints_without_end_is_cut(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(probe, "PRINTED", 1000)
    script = write(tmp_path, "print('x' * 100_000)\nprint('end')")
    with pytest.raises(ProbeError, match="ended without starting a worker"):
        probe.probe(script)
    err = capfd.readouterr().err
    assert err.count("x") < 1100
    assert "prints too much; the rest is not shown" in err


def test_a_module_of_the_working_directory_is_not_run_unless_it_is_the_scripts(
    tmp_path, monkeypatch
):
    (tmp_path / "project").mkdir()
    script = write(
        tmp_path / "project",
        """
        import sys, torch.utils.data, multiprocessing
        if __name__ == "__main__":
            assert sys.path[0].endswith("project"), sys.path
            multiprocessing.Process(target=lambda: None).start()
        """,
    )
    (tmp_path / "base64.py").write_text("open('trapped', 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert probe.probe(script).culprits
    assert not (tmp_path / "trapped").exists()


TRAINS_WITHOUT_WORKERS = """
    def main():
        transform = Compose([lambda x: x])
        first, second = DataLoader(Clips(transform)), DataLoader(Clips(), num_workers=0)
        for batch in first:
            raise SystemExit("the training step ran")

    if __name__ == "__main__":
        main()
"""


@WARM
def test_a_program_without_workers_is_examined_as_with_one_and_stopped(tmp_path):
    probed = probe.probe(write(tmp_path, LOADER, TRAINS_WITHOUT_WORKERS))
    assert [(each.workers, each.forced) for each in probed.boundaries] == [(1, True), (1, True)]
    assert [culprit.path for culprit in probed.culprits] == [
        "loader.dataset.transform.transforms[0]"
    ]
    assert probed.is_cut


@WARM
def test_it_is_said_that_workers_were_forced(tmp_path, capsys):
    assert commands.probe(write(tmp_path, LOADER, TRAINS_WITHOUT_WORKERS)) == 1
    assert "num_workers is 0 in the program; the probe sets it to 1" in capsys.readouterr().out


@WARM
def test_workers_of_the_program_are_not_forced(tmp_path):
    start = "if __name__ == '__main__':\n    next(iter(DataLoader(Clips(), num_workers=2)))"
    script = write(tmp_path, LOADER, start)
    assert [(each.workers, each.forced) for each in probe.probe(script).boundaries] == [(2, False)]


@WARM
def test_a_loader_without_workers_that_is_only_made_is_examined_where_there_is_no_other(tmp_path):
    script = write(tmp_path, LOADER, "loader = DataLoader(Clips(lambda x: x))")
    (culprit,) = probe.probe(script).culprits
    assert culprit.path == "loader.dataset.transform"


@WARM
def test_a_loader_without_workers_beside_one_that_has_some_is_left_alone(tmp_path):
    script = write(
        tmp_path,
        LOADER,
        """
        if __name__ == "__main__":
            other = DataLoader(Clips(lambda x: x))
            next(iter(DataLoader(Clips(), num_workers=2)))
        """,
    )
    assert probe.probe(script).culprits == []


def test_a_batch_is_fetched_by_a_forced_worker(tmp_path):
    script = write(tmp_path, LOADER, TRAINS_WITHOUT_WORKERS)
    alone, spawned = probe.fetch(script, methods=("none", "spawn"))
    assert alone.ok
    assert alone.forced
    assert "lambda" in spawned.text
