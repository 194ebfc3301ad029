"""Whether code takes a share: the part of the samples that belongs to one worker or rank."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlfix.project.syntax import last_name
from dlfix.project.trees import children, summary, walk

_SHARES = re.compile(
    r"worker|(?<![a-z])rank|world_?size|replica|split_dataset|split_by|islice_for"
    r"|node_?id|num_procs|process_index|proc_id|distribut",
    re.IGNORECASE,
)
# Words for a share, and as often for one of several files.
_PARTS = re.compile(r"shard|partition", re.IGNORECASE)
_FILE_NAME = re.compile(r"[*.%/{ ]")
_TAKING_FILES = frozenset(
    {"open", "sorted", "list", "tuple", "set", "len", "iter", "enumerate", "zip", "reversed"}
    | {"str", "Path", "print", "join", "joinpath", "basename", "load", "read_csv", "isinstance"}
)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Word = ast.Name | ast.Attribute


@summary
def speaks_of_shares(tree: ast.AST) -> bool:
    """Return whether code mentions workers, ranks or shards; not where the shards are files."""
    words = [text for _, text in _texts(tree)]
    if any(_SHARES.search(text) for text in words):
        return True
    if not any(_PARTS.search(text) for text in words):
        return False
    above = {child: node for node in walk(tree) for child in children(node)}
    files = {node for each in walk(tree) if isinstance(each, _FUNCTIONS) for node in _files(each)}
    return any(
        not _is_of_files(node, above, files) for node, text in _texts(tree) if _PARTS.search(text)
    )


def _texts(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                yield node, word
            case ast.keyword(arg=str(word)) | ast.alias(name=word):
                yield node, word
            case ast.Subscript(slice=ast.Constant(value=str(word)) as key):
                yield key, word
            case ast.Call(args=[ast.Constant(value=str(word)) as first, *_]):
                yield first, word


def _is_of_files(node: ast.AST, above: dict[ast.AST, ast.AST], files: set[ast.Name]) -> bool:
    """Return whether a word that may mean a share means a file, or a list of files."""
    match node:
        case ast.arg():
            return True  # its uses say
        case ast.Constant(value=str(text)):
            return bool(_FILE_NAME.search(text))
        case ast.Name() if node in files:
            return True
        case ast.Name() | ast.Attribute():
            return _is_used_as_file(node, above.get(node), above)
    return False


def _is_used_as_file(node: _Word, user: ast.AST | None, above: dict[ast.AST, ast.AST]) -> bool:
    """Return whether an expression is opened, gone through, kept or asked for: a share is counted with."""
    match user:
        case ast.Attribute() | ast.withitem() | ast.Return() | ast.ClassDef() | ast.arg():
            return True
        case ast.For() | ast.AsyncFor() | ast.comprehension() | ast.If() | ast.While():
            return True
        case ast.YieldFrom() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
            return True
        case ast.Subscript(value=value):
            return value is node and not isinstance(user.slice, ast.Slice)
        case ast.Call(func=func):
            return _is_own_or_named(func) if func is node else last_name(func) in _TAKING_FILES
        case ast.Assign(targets=targets, value=value):
            return value is not node or all(_PARTS.search(last_name(each)) for each in targets)
        case ast.AnnAssign(target=target, value=value):
            return value is not node or bool(_PARTS.search(last_name(target)))
    return False


def _is_own_or_named(func: _Word) -> bool:
    """Return whether a call is of a method of the object or of a function: these are read themselves."""
    match func:
        case ast.Name() | ast.Attribute(value=ast.Name("self" | "cls")):
            return True
        case ast.Attribute(value=ast.Call(func=ast.Name("super"))):
            return True
    return False


def _files(function: ast.AST) -> Iterator[ast.Name]:
    """Yield the names in a function that are nothing but items of what a loop goes through."""
    items = {node for loop in walk(function) if isinstance(loop, _LOOPS) for node in _items(loop)}
    names = [node for node in walk(function) if isinstance(node, ast.Name)]
    bound = {node.arg for node in walk(function) if isinstance(node, ast.arg)}
    bound |= {n.id for n in names if isinstance(n.ctx, ast.Store) and n not in items}
    wanted = {node.id for node in items} - bound
    yield from (node for node in names if node.id in wanted)


def _items(loop: ast.For | ast.AsyncFor | ast.comprehension) -> Iterator[ast.Name]:
    """Yield the names of a loop's target that are items of what it goes through, and no numbers."""
    by = last_name(loop.iter.func) if isinstance(loop.iter, ast.Call) else ""
    targets = [loop.target]
    if by == "enumerate":
        targets = loop.target.elts[1:] if isinstance(loop.target, ast.Tuple) else []
    if by not in ("range", "islice"):
        for target in targets:
            yield from (node for node in walk(target) if isinstance(node, ast.Name))
