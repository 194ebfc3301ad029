"""A stand-in for `python` that has torch imported: a command it is given runs in a fork of a server.

    python warm_python.py serve SOCKET            the server, until its standard input ends
    python warm_python.py run SOCKET OWN -c ...   what stands for `python -c ...`

The one that runs hands over its descriptors, its environment and its folder, ends as the fork ends, and the fork
ends with it. What the fork starts with `sys.executable`, which is OWN, becomes a fork of the server too.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import sys

HEAD = struct.Struct("Q")  # the length of the rest of a message


def run(address, own, argv):
    """Have a command run by the server; end as it ended."""
    numbers = [number for number in map(int, os.listdir("/proc/self/fd")) if is_passed_on(number)]
    job = {"argv": argv, "own": own, "cwd": os.getcwd(), "environment": dict(os.environ)}
    text = json.dumps(job | {"numbers": numbers}).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [HEAD.pack(len(text))], numbers)
        server.sendall(text)
        code = int(server.makefile().readline() or "1")
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


def is_passed_on(number):
    """Return whether a descriptor is open and a program that is started would get it."""
    try:
        return os.get_inheritable(number)
    except OSError:
        return False


def serve(address):
    """Run each command that comes in a fork, which another fork looks after."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(16)
    print("ready", flush=True)
    while sys.stdin not in select.select([sys.stdin, listener], [], [])[0]:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            look_after(client)
            os._exit(0)
        client.close()


def look_after(client):
    """Fork once more for the command itself; kill it if its client goes, else say how it ended."""
    head, descriptors, *_ = socket.recv_fds(client, HEAD.size, 200)
    job = json.loads(client.makefile("rb").read(*HEAD.unpack(head)))
    pid = os.fork()
    if pid == 0:
        client.close()
        os._exit(be(job, descriptors))
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    for descriptor in descriptors:
        os.close(descriptor)
    ended = os.pidfd_open(pid)
    if ended not in select.select([client, ended], [], [])[0]:
        os.killpg(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        client.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def be(job, descriptors):
    """Be the command; return its status."""
    import atexit
    import threading
    import traceback

    code = 0
    try:
        take_over(job, descriptors)
        at = job["argv"].index("-c")  # after flags of the interpreter
        sys.argv = ["-c", *job["argv"][at + 2 :]]
        exec(compile(job["argv"][at + 1], "<string>", "exec"), vars(sys.modules["__main__"]))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def take_over(job, descriptors):
    """Take what a started program has from the one that starts it."""
    import fcntl
    import multiprocessing
    import types

    import numpy

    os.setpgid(0, 0)
    above = max([*job["numbers"], *descriptors]) + 1
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, above) for descriptor in descriptors]
    for descriptor, number in zip(moved, job["numbers"], strict=True):
        os.dup2(descriptor, number)
    for descriptor in {*moved, *descriptors} - {*job["numbers"]}:
        os.close(descriptor)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["environment"])
    numpy.random.seed()
    sys.executable = job["own"]
    multiprocessing.set_executable(job["own"])
    multiprocessing.process.ORIGINAL_DIR = job["cwd"]
    sys.path[0] = ""
    sys.modules["__main__"] = types.ModuleType("__main__")


def import_all():
    """Import what programs with loaders import, and keep it out of looks for cycles."""
    import gc
    import sqlite3  # noqa: F401

    import torch.utils.data  # noqa: F401

    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(*sys.argv[2:4], sys.argv[4:])
    import_all()
    serve(sys.argv[2])
