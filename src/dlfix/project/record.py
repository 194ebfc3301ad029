"""What a reading asked of a project's texts, as plain data: so that a later run can compare an edit with it.

An entry says, for each file, what `Project.still` compares. Answers are not kept: they are worked out again from the
text as it was, of the few files that changed.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dlfix.project.bodies import FUNCTIONS
from dlfix.project.lazily import Each
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.project.trees import summaries

Data = dict[str, Any]
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


class _Unknown(ValueError):
    """Something was asked that is no plain data."""


def taken(project: Project) -> Data:
    """Return what was asked of a project; of each file when that is looked up, as all of it is much."""
    asked = project.asked
    return {
        "words": sorted(map(_text, asked.words)),
        "names": {kind: sorted(map(_text, names)) for kind, names in asked.names.items()},
        "whole": sorted(map(str, asked.whole)),
        "files": Each(project.read, lambda path: of_file(project, path)),
    }


def of_file(project: Project, path: Path) -> Data | None:
    """Return what was asked of one file; None where that is no plain data, as if all of it had been looked at."""
    kinds, offers, answers = project.asked_of(path)
    module = project.read_module(path)
    try:
        return {
            "kinds": kinds,
            "offers": offers,
            "answers": _questions(answers),
            "module": None if module is None else _of_module(module),
        }
    except _Unknown:
        return None


def _of_module(module: Module) -> Data | None:
    if not module.is_parsed:
        return None
    return {
        "text": module.is_text_seen,
        "kinds": sorted(kind.__name__ for kind in module.kinds),
        "tables": [
            [_name(build), [*map(_plain, named.asked)], [*map(_plain, named.there)]]
            for build, named in module.tables.items()
        ],
        "answers": _questions(module.answers),
        "seen": "".join("01"[body.seen] for body in module.bodies.of.values()),
        "said": [
            [number, _questions(summaries(node))]
            for number, node in enumerate(_outside(module))
            if summaries(node)
        ],
    }


def _outside(module: Module) -> list[ast.AST]:
    """Return the module and the statements that hold others, outside of functions' bodies, in order."""
    found: list[ast.AST] = [module.tree]
    with module.bodies.on_behalf_of_nobody():
        for node in found:
            if not isinstance(node, FUNCTIONS):
                blocks = (getattr(node, name, None) for name in _BLOCKS)
                within = (each for block in blocks if isinstance(block, list) for each in block)
                found += (each for each in within if hasattr(each, "body"))
    return found


def restored(
    data: Data, files: Sequence[Path], texts: Mapping[Path, str], changed: Collection[Path]
) -> Project | None:
    """Return a project of which was asked what data says, as far as these files go; None where that is not known."""
    project = Project(files, texts)
    project.asked.words.update(map(_bytes, data["words"]))
    for kind, names in data["names"].items():
        project.asked.names[kind].update(map(_bytes, names))
    project.asked.whole.update(map(Path, data["whole"]))
    try:
        return project if all(_restore(data["files"], path, project) for path in changed) else None
    except (LookupError, AttributeError, ImportError, TypeError, ValueError):
        return None


def _restore(files: Data, path: Path, project: Project) -> bool:
    asked = files.get(str(path))
    if asked is None or project.unnoted(path) is None:
        return False
    project.ask_again(path, asked["kinds"], asked["offers"], _asked(asked["answers"]))
    module = project.opened(path) if asked["module"] is not None else None
    if module is not None:
        _restore_module(module, asked["module"])
    return True


def _restore_module(module: Module, asked: Data) -> None:
    bodies = module.bodies.of.values()
    if len(bodies) != len(asked["seen"]):
        raise ValueError("of another text")
    module.is_text_seen = asked["text"]
    module.kinds.update(getattr(ast, name) for name in asked["kinds"])
    for build, keys, there in asked["tables"]:
        named = module.table(_function(build))
        named.asked.update(map(_value, keys))
        named.there.update((key, key in named.rows) for key in map(_value, there))
    for question, *rest in _asked(asked["answers"]):
        module.answer(question, *rest)
    nodes = _outside(module)
    for number, questions in asked["said"]:
        for work_out, *rest in _asked(questions):
            work_out(nodes[number], *rest)
    for body, seen in zip(bodies, asked["seen"], strict=True):
        body.seen = seen == "1"


# Questions: a function of this package, and what it is asked


def _questions(asked: Mapping[Any, object]) -> list[list[Any]]:
    found: dict[str, list[Any]] = {}
    for question, *rest in asked:
        found.setdefault(_name(question), []).append([*map(_plain, rest)])
    return [[name, rows] for name, rows in found.items()]


def _asked(rows: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    for name, each in rows:
        question = _function(name)
        yield from ((question, *map(_value, rest)) for rest in each)


def _name(function: Callable[..., Any]) -> str:
    name = f"{function.__module__}:{function.__qualname__}"
    found = _function(name)
    if function not in (found, getattr(found, "__wrapped__", None)):
        raise _Unknown(name)
    return name


def _function(name: str) -> Any:
    """Return a function by its module and name; only one of dlfix's own is found."""
    module, _, name = name.partition(":")
    if not module.startswith("dlfix."):
        raise ValueError(module)
    found = getattr(importlib.import_module(module), name, None)
    if not callable(found):
        raise _Unknown(name)
    return found


def _plain(value: object) -> Any:
    """Return a value that can be a key, as JSON has it."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, bytes):
        return {"b": _text(value)}
    if isinstance(value, tuple):
        return {"t": [*map(_plain, value)]}
    if isinstance(value, frozenset) and all(isinstance(each, str) for each in value):
        return {"s": sorted(value)}
    raise _Unknown(repr(value))


def _value(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    ((kind, inner),) = data.items()
    if kind == "b":
        return _bytes(inner)
    return tuple(map(_value, inner)) if kind == "t" else frozenset(inner)


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
