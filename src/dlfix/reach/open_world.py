"""Whether the code in view speaks for all who use a function or class: a library is used by others, too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.project.module import is_test
from dlfix.project.packaged import is_left_out, packaged

if TYPE_CHECKING:
    from dlfix.project.module import Module

_ASIDE = frozenset(
    "tests test testing examples example demo demos benchmarks benchmark docs doc notebooks"
    " notebook tutorials tutorial samples scripts".split()
)
_EXAMPLES = frozenset({"example", "examples", "tutorial"})


class Audience:
    """Tells code that makes a program or library from code that only tests or shows it."""

    def __init__(self) -> None:
        self._roots: dict[Path, Path | None] = {}
        self._aside: dict[Module, bool] = {}

    def speaks(self, user: Module, owner: Module) -> bool:
        """Return whether a use counts: not where a test, or an example, uses a library."""
        return self.is_aside(owner) or not self.is_aside(user)

    def is_aside(self, module: Module) -> bool:
        """Return whether a module is a test, or an example, script or benchmark beside a library."""
        if module not in self._aside:
            self._aside[module] = is_test(module) or _is_example(module) or self._is_beside(module)
        return self._aside[module]

    def is_library(self, module: Module) -> bool:
        """Return whether a module is part of what others can install, and so use."""
        folder = module.path.parent
        root = self._packaged(folder)
        return root is not None and (folder == root or not is_left_out(folder, root))

    def _is_beside(self, module: Module) -> bool:
        root = self._packaged(module.path.parent)
        if root is None:
            return False
        folders = module.path.parent.relative_to(root).parts
        return any(folder.lower() in _ASIDE for folder in folders)

    def _packaged(self, folder: Path) -> Path | None:
        """Return the topmost folder of the repository with packaging files, if there is one."""
        if folder not in self._roots:
            self._roots[folder] = packaged(folder)
        return self._roots[folder]


def _is_example(module: Module) -> bool:
    """Return whether a file is an example by its name, which shows others how to use what it imports."""
    return not _EXAMPLES.isdisjoint(module.path.stem.lower().split("_"))
