"""Fetching the first batch for real, and proving a rewrite by it."""

from __future__ import annotations

import pytest

from dlfix.runtime import commands
from dlfix.runtime.commands import proved
from dlfix.runtime.probe import Fetched
from dlfix.runtime.show import outcome

BROKEN = """
import argparse, torch
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self):
        self.scale = lambda x: 2 * x
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(self.scale(i))

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int)
    for batch in DataLoader(Clips(), batch_size=4, num_workers=p.parse_args().workers):
        raise SystemExit("the training step ran")
"""

FIXED = BROKEN.replace("self.scale = lambda x: 2 * x", "self.scale = double").replace(
    "class Clips", "def double(x):\n    return 2 * x\n\nclass Clips"
)


def test_a_rewrite_is_proved_by_fetching_a_batch_before_and_after(tmp_path, capsys):
    script = tmp_path / "main.py"
    script.write_text(BROKEN)

    def rewrite() -> int:
        script.write_text(FIXED)
        return 0

    assert commands.prove(f"{script} --workers 1", rewrite) == 0
    told = [" ".join(line.split()) for line in capsys.readouterr().out.strip().split("\n")]
    assert told == [
        "The first batch, before and after:",
        "no workers works -> works",
        "fork works -> works",
        "spawn broken -> works",
        "forkserver broken -> works",
    ]


def test_nothing_is_rewritten_where_nothing_can_be_proved(tmp_path, capsys):
    script = tmp_path / "main.py"
    script.write_text("x = 1")
    assert commands.prove(str(script), lambda: pytest.fail("it was rewritten")) == 2
    assert "does not iterate over a loader" in capsys.readouterr().err


def rows(*oks: bool, digest: str = "a") -> list[Fetched]:
    return [Fetched(m, ok, "", digest) for m, ok in zip(("none", "spawn"), oks, strict=True)]


def test_a_rewrite_that_changes_the_batch_without_workers_is_not_proved():
    assert proved(rows(True, False), rows(True, True))
    assert not proved(rows(True, False), rows(True, False))
    assert not proved(rows(True, False), rows(True, True, digest="b"))


def test_outcomes_are_compared_with_no_workers():
    base, spawn = rows(True, True)
    other = Fetched("fork", True, "", "b")
    late = Fetched("forkserver", False, "no batch after 5 s")
    told = [outcome(row, [base, spawn, other, late]) for row in (base, spawn, other, late)]
    assert told == ["works", "works, same", "works, differs", "fails"]


STARTS = {
    "Process": "multiprocessing.Process(target=work).start()",
    "Pool": "with multiprocessing.Pool(1) as pool:\n        pool.apply(print)",
    "ProcessPoolExecutor": "with ProcessPoolExecutor(1) as pool:\n        pool.submit(print).result()",
}


@pytest.mark.parametrize("kind", STARTS)
def test_a_program_without_a_loader_is_told_what_to_do_instead(tmp_path, capsys, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.py").write_text(
        "import multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor\n\n"
        'def work():\n    open("worked", "w").close()\n\n'
        f'if __name__ == "__main__":\n    {STARTS[kind]}\n'
    )
    assert commands.probe("main.py", run=True) == 2
    told = capsys.readouterr().err.strip()
    assert f"main.py starts a {kind} (main.py:" in told
    assert "but no loader; --run supports only loaders (run the probe without --run)" in told
    assert "\n" not in told
    assert not (tmp_path / "worked").exists()


def test_a_pool_that_works_before_the_loader_is_let_through(tmp_path, capsys):
    script = tmp_path / "main.py"
    loop = "    for batch in"
    assert loop in FIXED
    script.write_text(
        FIXED.replace(
            loop,
            "    import multiprocessing\n    with multiprocessing.get_context('fork').Pool(1) as pool:\n"
            f"        assert pool.map(abs, [-1]) == [1]\n{loop}",
        )
    )
    assert commands.probe(str(script), ["--workers", "1"], run=True) == 0
    assert capsys.readouterr().out.count("works, same") == 3
