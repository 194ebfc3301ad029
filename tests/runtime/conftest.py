"""An environment for programs whose test is not about how torch is imported."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SERVER = Path(__file__).parent / "warm_python.py"


@pytest.fixture(scope="session")
def warm_environment():
    """Yield an environment whose `python` has torch imported when it starts, None where there can be none."""
    if importlib.util.find_spec("torch") is None or not hasattr(os, "pidfd_open"):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:  # the name of a socket must be short
        python = Path(folder, "bin", "python")
        address = str(Path(folder, "socket"))
        python.parent.mkdir()
        run = shlex.join([sys.executable, "-IS", str(SERVER), "run", address, str(python)])
        python.write_text(f'#!/bin/sh\nexec {run} "$@"\n')
        python.chmod(0o755)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        server = subprocess.Popen([sys.executable, str(SERVER), "serve", address], **pipes)
        assert server.stdout.readline() == b"ready\n"
        yield folder
        server.communicate(timeout=60)


@pytest.fixture
def warm_torch(warm_environment, monkeypatch):
    """Have programs run by an interpreter that has torch imported, and so their workers."""
    if warm_environment is not None:
        monkeypatch.setenv("VIRTUAL_ENV", warm_environment)
