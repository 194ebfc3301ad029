"""Whether an object arrives in a spawned process, handed over as a worker gets it: at its start."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

PATIENCE = 120  # seconds: the process imports the object's library


def arrives(value: object) -> bool:
    """Start a process with this value; raises what pickling raises."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_look_at, args=(theirs, value), daemon=True)
    process.start()
    theirs.close()
    try:
        return ours.poll(PATIENCE) and bool(ours.recv())
    except EOFError:
        return False
    finally:
        process.kill()
        process.join()


def _look_at(connection: Connection, value: object) -> None:
    connection.send(len(repr(value)) > 0)
