"""A child that the parent starts as spawn does."""

import json
import os
import pickle
import subprocess
import sys
from multiprocessing import process, spawn, util
from multiprocessing.reduction import ForkingPickler

from . import bootstrap
from .contents import outline
from .pickling import Sending

LOAD_SECONDS = 60


class Child:
    """A child started as spawn starts one, that loads what the parent pickled."""

    def __init__(self, folder, boundary, parts, whole, seconds):
        self.folder = folder
        self.seconds = seconds
        self.result = os.path.join(folder, "result")
        self.sending = Sending()
        job = dict(boundary.job if whole else {}, workers=boundary.workers, result=self.result)
        job["preparation"] = preparation()
        job["parts"] = [self._spool(label, obj) for label, obj in parts]
        job["whole"] = self._spool("whole", dict(parts))[1]
        job["outlines"] = {label: outline(obj, label) for label, obj in parts}
        drawn = boundary.draw() if whole else None
        job["index"] = drawn[0] if drawn else None
        if boundary.job.get("work") == "fetch" and not drawn:
            job.pop("work", None)
        with open(os.path.join(folder, "job"), "wb") as file:
            pickle.dump(job, file)

    def _spool(self, label, obj):
        path = os.path.join(self.folder, f"part{len(os.listdir(self.folder))}")
        with open(path, "wb") as file, self.sending:
            ForkingPickler(file).dump(obj)
        return label, path

    def run(self):
        """Run the child; return its rows, and one more if it died or was too slow."""
        config = os.path.join(self.folder, "config")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mode": "child", "job": os.path.join(self.folder, "job")}, file)
        command = [
            sys.executable,
            *util._args_from_interpreter_flags(),
            "-c",
            bootstrap.program(bootstrap.SOURCES),
        ]
        quiet = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.PIPE,
        }
        fds = [fd for fd in set(self.sending.fds) if is_open(fd)]
        child = subprocess.Popen([*command, config], pass_fds=fds, **quiet)
        late = False
        try:
            _, stderr = child.communicate(timeout=LOAD_SECONDS + self.seconds)
        except subprocess.TimeoutExpired:
            late = True
            child.kill()
            _, stderr = child.communicate()
        return self._rows(late, child.returncode, stderr)

    def _rows(self, late, status, stderr):
        try:
            with open(self.result, encoding="utf-8") as file:
                rows = [json.loads(line) for line in file]
        except OSError:
            rows = []
        stage = next((r["text"] for r in reversed(rows) if r["stage"] == "begin"), "start")
        done = [r for r in rows if r["stage"] not in ("begin", "end")]
        if rows and rows[-1]["stage"] == "end":
            return done
        if late:
            text = f"the worker did not finish ({stage}) within {LOAD_SECONDS + self.seconds} s"
            return [*done, {"stage": "note", "text": text}]
        last = (stderr.decode(errors="replace").strip().splitlines() or [""])[-1]
        message = f"the worker exited with status {status} ({stage}): {last}"
        error = {"type": "died", "message": message.rstrip(": "), "place": None}
        return [*done, {"stage": "died", "error": error}]


def is_open(fd):
    """Return whether a descriptor is open."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def preparation():
    """Return what spawn tells a child before it loads anything."""
    data = spawn.get_preparation_data("dlfix")
    data["authkey"] = bytes(process.current_process().authkey)
    data.pop("log_to_stderr", None)
    return data
