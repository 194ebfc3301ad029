import importlib.util
import textwrap

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
