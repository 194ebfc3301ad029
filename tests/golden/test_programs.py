import importlib.util
import os
import textwrap
import time

import pytest

from tests.golden.programs import Cold, Run

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)

PROGRAM = textwrap.dedent(
    """
    import argparse, os, sys
    import torch
    from torch.utils.data import DataLoader, Dataset

    STATE = {"of": "main" if __name__ == "__main__" else "worker"}

    class Numbers(Dataset):
        def __init__(self): self.opened_in = os.getpid()
        def __len__(self): return 4
        def __getitem__(self, i):
            if FAIL: raise ValueError("no sample")
            return i, STATE["of"] == "main", os.environ["FROM_PARENT"]

    FAIL = False

    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int)
        parser.add_argument("--start-method")
        args = parser.parse_args()
        STATE["of"] = "changed"
        os.environ["FROM_PARENT"] = "yes"
        context = args.start_method if args.workers else None
        loader = DataLoader(Numbers(), num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [[int(i), bool(fresh), env[0]] for i, fresh, env in loader])

    if __name__ == "__main__":
        main()
    """
)


def program(tmp_path, text=PROGRAM):
    (tmp_path / "main.py").write_text(text)
    return tmp_path


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_warm_process_does_what_a_fresh_one_does(tmp_path, warm, method):
    if warm is None:
        pytest.skip("--no-execute")
    run = Run(program(tmp_path), "main.py", 2, method)
    (one,), (other,) = warm.run([run]), Cold().run([run])
    assert one.result is not None, str(one)
    assert one.result == other.result


def test_an_error_of_a_worker_is_seen(tmp_path, warm):
    if warm is None:
        pytest.skip("--no-execute")
    folder = program(tmp_path, PROGRAM.replace("FAIL = False", "FAIL = __name__ != '__main__'"))
    (outcome,) = warm.run([Run(folder, "main.py", 2, "spawn")])
    assert outcome.code == 1
    assert "ValueError: no sample" in outcome.errors


def test_what_a_worker_cannot_import_is_seen(tmp_path, warm):
    if warm is None:
        pytest.skip("--no-execute")
    folder = program(
        tmp_path,
        PROGRAM.replace("FAIL = False", "if __name__ != '__main__': import nowhere_at_all"),
    )
    (outcome,) = warm.run([Run(folder, "main.py", 2, "spawn")])
    assert "No module named 'nowhere_at_all'" in outcome.errors


def test_a_guarded_handle_is_for_one_process(tmp_path, warm):
    if warm is None:
        pytest.skip("--no-execute")
    (tmp_path / "main.py").write_text(
        textwrap.dedent(
            """
            import os, sqlite3
            connection = sqlite3.connect(":memory:")
            print("RESULT", connection.execute("select 1").fetchone())
            if os.fork() == 0:
                connection.execute("select 1")
            else:
                os.wait()
            """
        )
    )
    (free,) = warm.run([Run(tmp_path, "main.py", 0, "fork")])
    (guarded,) = warm.run([Run(tmp_path, "main.py", 0, "fork", ("sqlite3.connect",))])
    assert free.result == guarded.result == "RESULT (1,)"
    assert "UsedInAnotherProcess" not in free.errors
    assert "UsedInAnotherProcess: sqlite3.connect was opened in another process" in guarded.errors


def test_what_a_guarded_handle_gives_is_guarded_though_its_type_names_builtins(tmp_path, warm):
    if warm is None:
        pytest.skip("--no-execute")
    (tmp_path / "main.py").write_text(
        textwrap.dedent(
            """
            import os, lmdb
            begun = lmdb.open("data").begin()
            print("RESULT", begun.get(b"key"))
            if os.fork() == 0:
                begun.get(b"key")
            else:
                os.wait()
            """
        )
    )
    (free,) = warm.run([Run(tmp_path, "main.py", 0, "fork")])
    (guarded,) = warm.run([Run(tmp_path, "main.py", 0, "fork", ("lmdb.open",))])
    assert free.result == guarded.result == "RESULT None"
    assert "UsedInAnotherProcess" not in free.errors
    assert "UsedInAnotherProcess: lmdb.open was opened in another process" in guarded.errors


# Every way to start a process, and a worker that does not look whether its parent still lives.
LEAVING = """
import multiprocessing, os, signal, sys, time

def stay(queue):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("PID", os.getpid(), flush=True)
    queue.put(1)
    time.sleep(600)

def main():
    for method in ("spawn", "forkserver", "fork"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        context.Process(target=stay, args=(queue,)).start()
        queue.get()
    print("a failure", file=sys.stderr, flush=True)
    END

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize("end", ["os._exit(1)", "time.sleep(600)"], ids=["ended", "stopped"])
def test_no_process_of_a_program_is_left(tmp_path, warm, cold, end, monkeypatch):
    if warm is None:
        pytest.skip("--no-execute")
    monkeypatch.setattr("tests.golden.programs.TIMEOUT", 8)
    folder = program(tmp_path, LEAVING.replace("END", end))
    (outcome,) = (Cold() if cold else warm).run([Run(folder, "main.py", 0, "spawn")])
    assert outcome.code == (1 if "exit" in end else None)
    started = [int(line[4:]) for line in outcome.output.splitlines() if line.startswith("PID ")]
    assert len(started) == 3
    assert not any(map(is_running, started))


def is_running(pid):
    """Return whether a process runs, giving the system a moment to remove it."""
    for _ in range(50):
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return False
        except OSError:
            return False
        time.sleep(0.1)
    return True
