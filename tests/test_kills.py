"""Applies and undos killed at random moments: a few here, thousands by `make kills`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNT = int(os.environ.get("DLFIX_KILLS", "45"))
SEED = int(os.environ.get("DLFIX_KILLS_SEED", "1"))
DRIVER = Path(__file__).with_name("kills.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks the processes to kill")
def test_killed_at_any_moment_every_file_is_whole_and_undo_is_complete(capsys):
    source = DRIVER.parent.parent / "src"
    environment = {
        **os.environ,
        "PYTHONPATH": f"{source}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    done = subprocess.run(
        [sys.executable, str(DRIVER), str(COUNT), str(SEED)],
        env=environment, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    seen = json.loads(done.stdout)
    with capsys.disabled():
        print(f"\n{COUNT} kills: {seen}")
    assert seen["killed between the writing"] > 0
    assert (seen["torn files"], seen["not restored"], seen["temporary files left"]) == (0, 0, 0)
