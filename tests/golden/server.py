"""Runs golden programs in forked children: a job is a line of JSON, and so is the answer."""

import json
import multiprocessing
import multiprocessing.process
import os
import re
import signal
import sys
import threading
import time
import traceback
import types
from multiprocessing import forkserver, resource_tracker, util

import process_groups
import warm

# Some Pythons have these, and `dbm` prefers them: what it opens then differs from machine to machine.
sys.modules.update({"dbm.gnu": None, "dbm.ndbm": None})


def run(job):
    """Run one program as `python main.py` would, in a process group of its own that ends with it."""
    pid = os.fork()
    if pid == 0:
        _child(job)
    try:
        return _wait(pid, job)
    finally:
        process_groups.end(pid)


def _child(job):
    code = 1
    try:
        os.setpgid(0, 0)
        os.chdir(job["cwd"])
        files = {"GOLDEN_STDERR": job["stderr"], "GOLDEN_STDOUT": job["stdout"]}
        files["GOLDEN_GROUP"] = str(os.getpid())
        os.environ.update(job["environment"], **files)
        warm.redirect(job["stderr"], job["stdout"])
        multiprocessing.process.ORIGINAL_DIR = job["cwd"]
        warm.share_server()
        warm.guard_openers()
        warm.seed()
        code = _main(job)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _main(job):
    path = os.path.join(job["cwd"], job["argv"][0])
    sys.argv = list(job["argv"])
    sys.path[0] = job["cwd"]
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    try:
        with open(path, "rb") as file:
            exec(compile(file.read(), path, "exec", dont_inherit=True), vars(module))
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    threading._shutdown()  # executors that were left open
    util._exit_function()
    return 0


def _wait(pid, job):
    deadline = time.monotonic() + job["timeout"]
    while time.monotonic() < deadline and not _said(job["stderr"], job.get("until")):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _said(path, until):
    if not until or not os.path.exists(path):
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.search(until, file.read()) is not None


def main():
    """Serve until standard input ends."""
    multiprocessing.set_forkserver_preload(["warm"])
    resource_tracker.ensure_running()
    forkserver.ensure_running()
    job = json.loads(sys.stdin.readline() or "null")
    while job is not None:
        print(json.dumps(run(job)), flush=True)
        job = json.loads(sys.stdin.readline() or "null")


if __name__ == "__main__":
    assert threading.active_count() == 1
    main()
