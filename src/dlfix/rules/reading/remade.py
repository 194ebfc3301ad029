"""Handles of objects that `__reduce__` makes again: only a forked worker gets the parent's."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.reach.crossing import Crossing, Edge
from dlfix.reach.pickling import read_reduce
from dlfix.reach.starts import never_forks
from dlfix.reach.values import Function, Instance
from dlfix.rules.base import Step
from dlfix.rules.reading.handles import Handle, row_of
from dlfix.rules.reading.shared_globals import keeps_apart, kept_by

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Store
    from dlfix.reach.values import Value

_REDUCERS = ("__reduce__", "__reduce_ex__")


def remade_handles(analysis: Analysis) -> Iterator[Handle]:
    """Yield what a constructor opens, workers use, and a new object opens again where it is pickled."""
    seen: set[object] = set()
    for crossing in list(analysis.crossings):
        value = crossing.value
        if not isinstance(value, Instance) or value in seen or not _is_remade(crossing, analysis):
            continue
        seen.add(value)
        for store, made in kept_by(value, analysis):
            row = row_of(made, analysis)
            if row is not None:
                silent = replace(row, error="", error_by_python={})  # it is not pickled
                yield Handle(_hung(crossing, store, made), silent, value, store, passed_in=False)


def _is_remade(crossing: Crossing, analysis: Analysis) -> bool:
    """Tell whether an object is sent whose own class says how to make it, and nothing reopens it."""
    value, boundary = crossing.value, crossing.boundary
    assert isinstance(value, Instance)
    if crossing.edge.kind == "returned" or value.call is None:
        return False
    methods = [method for name in _REDUCERS if (method := analysis.method(value.cls, name))]
    if not methods or any(map(_hands_on_all, methods)):
        return False
    if keeps_apart(value.cls.module) or keeps_apart(boundary.frame.module):
        return False
    return "worker_init_fn" not in boundary.arguments and not never_forks(analysis, boundary)


def _hands_on_all(method: Function) -> bool:
    """Tell whether a reduction takes the attributes along, so that what it keeps is followed itself."""
    handed = None if isinstance(method.node, ast.Lambda) else read_reduce(method.node)
    return handed is None or handed.everything or handed.as_usual


def _hung(parent: Crossing, store: Store, value: Value) -> Crossing:
    step = Step(store.frame.module.place(store.node), f".{store.attribute}", "")
    edge = Edge("attribute", store.attribute, store)
    return Crossing(value, edge, parent.boundary, parent, (*parent.path, step), [])
