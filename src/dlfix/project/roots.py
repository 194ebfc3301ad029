"""Folders that imports start from beyond the usual ones: what code adds to `sys.path`, what packaging declares."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.source import seen
from dlfix.source.text import SourceError, contents

if TYPE_CHECKING:
    from dlfix.project.module import Module

_PACKAGE_DIR = re.compile(
    r"package[-_]dir\s*=\s*\{\s*[\"']{2}\s*[:=]\s*[\"']([\w./-]+)[\"']"  # setup.py, pyproject.toml
    r"|package_dir\s*=\s*\n?\s*=\s*([\w./-]+)"  # setup.cfg
    r"|\bwhere\s*=\s*\[?\s*[\"']?([\w./-]+)[\"']?"  # packages.find
    r"|find_packages\(\s*[\"']([\w./-]+)[\"']"
)
PACKAGING = ("pyproject.toml", "setup.cfg", "setup.py")
_MOST_BYTES = 200_000

STANDARD = sys.stdlib_module_names

# Libraries whose names local packages like to have, too: inside a package, the library is meant.
LIBRARIES = frozenset(
    "accelerate av cv2 datasets decord duckdb evaluate h5py ignite leveldb lightning lmdb netCDF4 nibabel openslide"
    " pyarrow pydicom pymongo pysam rasterio ray redis rocksdb soundfile tables tifffile tokenizers torch"
    " torchaudio torchvision transformers webdataset zarr".split()
)


def declared(base: Path) -> Iterator[Path]:
    """Yield the folders in which the packaging files of `base` say that its packages are."""
    for name in PACKAGING:
        for groups in _PACKAGE_DIR.findall(packaging_text(base / name)):
            folder = base / next(group for group in groups if group)
            if folder != base and seen.is_dir(folder):
                yield folder


def packaging_text(file: str | Path) -> str:
    """Return what a packaging file says; nothing where there is none, or none that can be read."""
    if not seen.is_file(file):
        return ""
    try:
        return contents(Path(file), _MOST_BYTES).decode("utf-8", "replace")
    except SourceError:
        return ""


def added(module: Module) -> Iterator[Path]:
    """Yield the folders that a module appends to, or inserts into, `sys.path`, where they are known."""
    yield from map(Path, module.answer(_added))


def _added(module: Module) -> tuple[str, ...]:
    path = module.path
    adding = (*module.of_kind(ast.Call), *module.of_kind(ast.AugAssign))
    values = [value for value in map(_added_value, adding) if value is not None]
    names = _assigned(module) if values else {}
    moving = list(_moving_first(module)) if values else []
    texts = []
    for value in values:
        listed = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
        parts = [each for part in listed for each in _passed(module, part)]
        moved = any(value not in ast.walk(each) for each in moving)
        texts += [_PathText(path, names, first_is_moved=moved).of(each) for each in parts]
    return tuple(os.path.normpath(path.parent / text) for text in texts if text is not None)


def _added_value(node: ast.AST) -> ast.expr | None:
    """Return what `sys.path.append(x)`, `.insert(0, x)`, `.extend(x)` or `sys.path += x` adds."""
    if isinstance(node, ast.AugAssign) and _is_sys_path(node.target):
        return node.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if not _is_sys_path(node.func.value) or not node.args:
        return None
    return node.args[-1] if node.func.attr in ("append", "insert", "extend") else None


def _passed(module: Module, value: ast.expr) -> list[ast.expr]:
    """Return what calls of a function of the module pass where a value is its parameter; else the value."""
    name = _id(value)
    for function in module.of_kind(ast.FunctionDef) if name else ():
        names = [each.arg for each in function.args.args]
        if name in names and any(value is each for each in ast.walk(function)):
            place = names.index(name)
            calls = [c for c in module.of_kind(ast.Call) if _id(c.func) == function.name]
            return [call.args[place] for call in calls if place < len(call.args)]
    return [value]


def _moving_first(module: Module) -> Iterator[ast.AST]:
    """Yield what may give `sys.path` another first folder than that of the script."""
    for call in module.of_kind(ast.Call):
        method = call.func
        if isinstance(method, ast.Attribute) and _is_sys_path(method.value):
            at = call.args[0] if call.args else None
            below = isinstance(at, ast.Constant) and isinstance(at.value, int) and at.value > 0
            if method.attr not in ("append", "extend") and not (method.attr == "insert" and below):
                yield call
    for assign in module.of_kind(ast.Assign):
        if any(_is_of_sys_path(each) for each in assign.targets):
            yield assign
    for delete in module.of_kind(ast.Delete):
        if any(_is_of_sys_path(each) for each in delete.targets):
            yield delete


def _is_of_sys_path(target: ast.expr) -> bool:
    """Return whether a target is `sys.path`, or items of it."""
    return _is_sys_path(target.value if isinstance(target, ast.Subscript) else target)


def _is_sys_path(node: ast.expr) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != "path":
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "sys"


def _assigned(module: Module) -> dict[str, ast.expr]:
    """Return what names are bound to once, anywhere in the module."""
    found: dict[str, ast.expr] = {}
    again: set[str] = set()
    for node in module.of_kind(ast.Assign):
        if isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            again |= {name} & found.keys()
            found[name] = node.value
    return {name: value for name, value in found.items() if name not in again}


class _PathText:
    """Computes the text of a path expression; None where it is not known."""

    def __init__(
        self, file: Path, names: dict[str, ast.expr], *, first_is_moved: bool = False
    ) -> None:
        self.file = file
        self.names = dict(names)
        self.first_is_moved = first_is_moved  # whether `sys.path[0]` may not be the script's folder

    def of(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
            return self._joined(node)
        if isinstance(node, ast.Attribute):
            return self._parent(node.value) if node.attr == "parent" else None
        if isinstance(node, ast.Subscript):
            return self._of_script(node) or self._of_parents(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        return None

    def _name(self, name: str) -> str | None:
        if name == "__file__":
            return str(self.file)
        value = self.names.pop(name, None)  # a name that is made of itself ends here
        return self.of(value) if value is not None else None

    def _joined(self, node: ast.BinOp) -> str | None:
        left, right = self.of(node.left), self.of(node.right)
        if left is None or right is None:
            return None
        return os.path.join(left, right) if isinstance(node.op, ast.Div) else left + right

    def _parent(self, node: ast.expr) -> str | None:
        text = self.of(node)
        return os.path.dirname(os.path.normpath(text)) if text is not None else None

    def _of_script(self, node: ast.Subscript) -> str | None:
        """Compute `sys.path[0]`: the folder of the script, which the file is taken to be."""
        if self.first_is_moved or not _is_sys_path(node.value):
            return None
        first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
        return os.path.dirname(self.file) if first else None

    def _of_parents(self, node: ast.Subscript) -> str | None:
        """Compute `Path(__file__).parents[n]`."""
        value, index = node.value, node.slice
        if not isinstance(value, ast.Attribute) or value.attr != "parents":
            return None
        text = self.of(value.value)
        if text is None or not isinstance(index, ast.Constant) or not isinstance(index.value, int):
            return None
        parents = Path(os.path.normpath(text)).parents
        return str(parents[index.value]) if 0 <= index.value < len(parents) else None

    def _call(self, node: ast.Call) -> str | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else _id(node.func)
        texts = [self.of(argument) for argument in node.args]
        if name in ("getcwd", "cwd"):
            return "."
        if name in ("join", "joinpath"):
            start = [self.of(node.func.value)] if name == "joinpath" and isinstance(
                node.func, ast.Attribute) else []  # fmt: skip
            known = [text for text in (*start, *texts) if text is not None]
            return os.path.join(*known) if len(known) == len(texts) + len(start) and known else None
        if name == "dirname" and texts:
            return os.path.dirname(texts[0]) if texts[0] is not None else None
        if name in (
            "abspath",
            "realpath",
            "normpath",
            "expanduser",
            "str",
            "fspath",
            "Path",
            "PurePath",
        ):
            return texts[0] if texts else "."
        if name in ("resolve", "absolute", "as_posix", "expanduser") and isinstance(
            node.func, ast.Attribute
        ):
            return self.of(node.func.value)
        return None


def _id(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
