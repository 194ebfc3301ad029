"""Commands that a program runs: which files one may change, as far as its text is spelled out."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator

from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.syntax import dotted, last_part

_COMMANDS = frozenset("run call check_call check_output Popen system popen getoutput".split())
# Programs that leave files as they are, and what makes them write all the same.
_READERS = frozenset(
    "cat cd cut df du echo file find grep head ls mkdir nvidia-smi pwd sort stat tail tr wc which".split()
)
_WRITES = re.compile(r">|`|\$\(|-delete|-exec|-ok|-fprint|-fls|(^|\s)(-o|--output)")
_WORD = re.compile(r"[\w./-]*[./][\w./-]*")  # what may be a path
_RUNNING = frozenset({"subprocess", "os", "asyncio", "pty"})


def files_of_command(node: ast.Call, origins: Origins) -> Iterator[ast.expr]:
    """Yield what names the files that a call may change which runs a command; nothing if it runs none."""
    if not runs_command(node):
        return
    name = last_part(node.func)
    given = [*node.args, *(k.value for k in node.keywords)]
    commands = origins.values(given[0]) or given[:1] if given else []
    if name in _COMMANDS and _only_reads(commands):
        return
    for command in commands:
        copied = _copied_to(command)
        yield from copied or [command, *map(ast.Constant, _WORD.findall(_spelled(command)))]
    yield from given[1:]


def runs_command(node: ast.Call) -> bool:
    """Return whether a call runs another program."""
    name, library = last_part(node.func), dotted(node.func).partition(".")[0]
    is_command = name in _COMMANDS or name.startswith(("spawn", "exec", "create_"))
    return library in _RUNNING and is_command


def _only_reads(given: list[ast.expr]) -> bool:
    """Return whether a command only runs programs that leave files as they are: `f"find {folder} | sort"`."""
    commands = [_spelled(each) for each in given]
    parts = [part.split() for each in commands for part in re.split(r"[|;&\n]+", each)]
    programs = {part[0] if part else "" for part in parts}
    return programs <= _READERS and not any(_WRITES.search(each) for each in commands)


def _copied_to(command: ast.expr) -> list[ast.expr]:
    """Return what names the file that a command copies another to; nothing if it may do something else."""
    pieces = _pieces(command)
    text = "".join(piece if isinstance(piece, str) else "\0" for piece in pieces)
    if _WRITES.search(text) or re.search(r"[|;&\n]|\s-t|--target", text):
        return []
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that is not closed
        return []
    if words[:1] != ["cp"] or len(words) < 3:
        return []
    last = words[-1]
    computed = [piece for piece in pieces if not isinstance(piece, str)]
    folder = last.partition("\0")[0].rpartition("/")[0] if "\0" in last else last
    return [ast.Constant(folder), *computed[len(computed) - last.count("\0") :]]


def _spelled(command: ast.expr) -> str:
    """Return the text of a command, with nothing where it is computed."""
    return "".join(piece for piece in _pieces(command) if isinstance(piece, str))


def _pieces(command: ast.expr) -> list[str | ast.expr]:
    """Return the texts that a command is put together from, and the expressions between them."""
    match command:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.Call(func=ast.Attribute(value=text, attr="format")):
            return [*_pieces(text), *command.args]
        case ast.BinOp(op=ast.Mod(), left=text, right=right):
            return [*_pieces(text), right]
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return [*_pieces(left), *_pieces(right)]
        case ast.JoinedStr(values=parts):
            return [piece for part in parts for piece in _pieces(part)]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [piece for part in parts for piece in (*_pieces(part), " ")]
    return [command]


__all__ = ["files_of_command", "runs_command"]
