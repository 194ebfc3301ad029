"""What code asks of its whole process: how many files it has open, or that it runs its exit functions now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.sharing import before_workers
from dlfix.fixing.proof.syntax import executed, is_attribute, self_name
from dlfix.project.module import Module

# Folders that list the descriptors of a process.
_DESCRIPTORS = re.compile(r"/proc/.*/fd\b|/dev/fd\b|/fd/?$")
# Methods by which a library counts what is open, and the function of `atexit` that closes it early.
_METHODS = {"psutil": ("num_fds", "num_handles", "open_files"), "atexit": ("_run_exitfuncs",)}


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield a handle that is opened later than before, where code counts what its process has open."""
    late = [each for name, each in change.made_lazy.items() if not _is_opened_at_once(change, name)]
    for getter in late[:1]:
        for module, place in _questions(change):
            if not before_workers(change, module, place):
                continue  # by then, the parent or its workers have opened it
            yield change.regression(
                getter,
                f"code asks what its process has open ({module.path.name}:{place.lineno}), but the handle "
                "is opened later than before",
            )
            return


def _is_opened_at_once(change: ClassChange, name: str) -> bool:
    """Return whether the constructor itself still uses a handle, which opens it."""
    return any(
        is_attribute(node, self_name(function), name)
        for _, function in change.constructed_after
        for node in executed(function.body)
    )


def _questions(change: ClassChange) -> Iterator[tuple[Module, ast.expr]]:
    project = change.new.project
    for library, methods in _METHODS.items():
        for module in project.mentions(library):
            for name in methods:
                yield from ((module, node) for node in module.attributes_by_name.get(name, ()))
    for module in project.mentions("fd"):
        for node in module.nodes(ast.Constant):
            if isinstance(node.value, str) and _DESCRIPTORS.search(node.value):
                yield module, node


__all__ = ["check"]
