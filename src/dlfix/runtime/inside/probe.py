"""Examines boundaries: pickles each part, and has a child load what pickles."""

import os
import tempfile

from .bootstrap import SOURCES
from .child import Child
from .contents import below, descriptors, largest
from .culprits import find_culprits, place_of
from .pickling import FAILS, measure
from .places import CODED, describe, own_place
from .worker import TASK_SECONDS

SPOOL_LIMIT = 64 << 20  # above this a part is not loaded back
SLOW_MS = 5000  # what takes longer is not pickled again and again to name its largest parts
WHERE = {
    "main": "the main module",
    "init": "the worker's initializer",
    "fetch": "the first batch",
    "task": "the first task",
    "died": "the worker",
}


class Boundary:
    """One call that ships objects to workers: its parts, and what to do with them there."""

    def __init__(self, kind, parts, place=None, workers=1, method="spawn", job=None, draw=None):
        self.kind = kind
        self.parts = parts  # [(label, object)]
        self.place = place
        self.workers = workers
        self.method = method
        self.job = job or {}
        self.draw = draw or (lambda: None)  # what the parent does once its workers have started
        self.loader = None  # the id of the loader that it is of
        self.forced = False  # whether the program itself gives it no workers


def light(cost):
    """Return whether a part pickles, and is small enough to be loaded back."""
    return cost is not None and cost["bytes"] + cost["shared"] <= SPOOL_LIMIT


class Probe:
    """Examines boundaries and writes what it finds."""

    def __init__(self, report, load=True, seconds=TASK_SECONDS):
        self.report = report
        self.load = load and os.name == "posix" and bool(SOURCES)
        self.seconds = seconds
        self.number = 0
        self.at = None  # the loader that is examined
        self.seen = set()

    def examine(self, boundary, when=""):
        """Examine all parts of a boundary; tell whether all of them pickle."""
        self.number += 1
        self.at = boundary.loader or self.number
        self.report.write(
            "boundary",
            number=self.number,
            kind=boundary.kind,
            place=boundary.place,
            workers=boundary.workers,
            method=boundary.method,
            forced=boundary.forced,
            when=when,
        )
        costs = [self.part(label, obj, when) for label, obj in boundary.parts]
        if self.load and not when:
            self.send(boundary, [part for part, cost in zip(boundary.parts, costs) if light(cost)])
        return all(cost is not None for cost in costs)

    def part(self, label, obj, when):
        """Pickle one part; report its culprits or return its cost."""
        row = {"part": label, "type": describe(obj), "when": when}
        try:
            cost = measure(obj)
        except FAILS as error:
            self.report.write("part", ok=False, **row)
            for culprit in find_culprits(obj, label, error):
                self.culprit(culprit, "pickle", when)
            self.handles(obj, label, when)
            return None
        if not when:
            levels = 1 if cost["ms"] > SLOW_MS else 4
            self.report.write("part", ok=True, largest=largest(obj, label, levels), **row, **cost)
            self.handles(obj, label, when)
        if not light(cost) and not when:
            self.report.write("note", text=f"{label} is too large to be unpickled in a test worker")
        return cost

    def handles(self, obj, label, when):
        """Report the handles that a fork would share."""
        for row in [] if when else descriptors(obj, label):
            self.report.write("shared", **row)

    def culprit(self, culprit, stage, when=""):
        """Report a culprit, once for each loader: it is there in the next epoch too."""
        key = (self.at, culprit["path"], culprit["type"], culprit["error"]["message"])
        if key not in self.seen:
            self.seen.add(key)
            self.report.write("culprit", boundary=self.number, stage=stage, when=when, **culprit)

    def send(self, boundary, parts):
        """Load the good parts back in a spawned child, and do the first piece of work there."""
        if not parts:
            return
        whole = len(parts) == len(boundary.parts)
        with tempfile.TemporaryDirectory(prefix="dlfix-") as folder:
            try:
                child = Child(folder, boundary, parts, whole, self.seconds)
            except Exception as error:
                self.report.write("note", text=f"not unpickled: {error}")
                return
            for row in child.run():
                self.answer(boundary, row)

    def answer(self, boundary, row):
        """Report what the child said."""
        stage = row["stage"]
        if stage == "differs":
            self.report.write("difference", text=row["text"])
            return
        if stage == "note":
            self.report.write("note", text=row["text"])
            return
        label = row.get("part") or WHERE.get(stage, boundary.kind)
        place = row["error"].get("place") or boundary.place
        obj = dict(boundary.parts).get(row.get("part"))
        attribute = ""
        if stage == "alike":
            place = path_place(boundary.parts, label) or boundary.place
            attribute = label.rpartition(".")[2]
        if stage == "stream":
            place = own_place(getattr(type(obj), "__iter__", None)) or boundary.place
        if stage == "load" and obj is not None:
            place = load_place(obj, place)
        self.culprit(
            {
                "path": label,
                "type": row.get("type") or (describe(obj) if obj is not None else ""),
                "error": row["error"],
                "place": place,
                "hook": "",
                "attribute": attribute,
                "inner": [],
            },
            stage,
        )


def path_place(parts, path):
    """Return the line that made what hangs at a path below one of some parts."""
    nodes = (node for label, obj in parts for node in below(obj, label))
    found = next((node for node in nodes if node.path() == path), None)
    return place_of(found) if found is not None else None


def load_place(obj, place):
    """Return the best place there is for a part that pickles and does not load."""
    return own_place(obj if isinstance(obj, CODED) else type(obj)) or place
