"""How deep and how large a tree is: LibCST, and what visits trees, must be spared some."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator

# LibCST needs a frame of the C stack for each level when it parses, several of Python's when it visits, and
# about 2 KB for each node. Beyond 4,000 levels it crashes; hand-written code has some tens.
DEEPEST = 300
MOST_NODES = 100_000
# Python's own tree of so many tokens takes half a gigabyte. Hand-written files have some ten thousand.
MOST_TOKENS = 1_000_000
_TOKEN = re.compile(
    r"\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''"
    r"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|#.*|\w+|[^\w\s]"
)


def too_large(text: str) -> str | None:
    """Return why a text had better not be parsed at all; None where it can be."""
    if len(text) <= MOST_TOKENS:
        return None
    tokens = _TOKEN.finditer(text)
    if next(itertools.islice(tokens, MOST_TOKENS, None), None) is None:
        return None
    return f"too large to be analyzed (more than {MOST_TOKENS:,} tokens); skipped"


def too_much(tree: ast.Module, text: str) -> str | None:
    """Return why a file had better not be parsed by LibCST; None where it can be."""
    lines = text.split("\n")
    nodes = sum(
        line.strip()[:1] in ("", "#") for line in lines
    )  # LibCST has three for each of them
    pending: list[tuple[ast.AST, int, int]] = [(tree, 0, 1)]
    while pending:
        node, depth, row = pending.pop()
        row = getattr(node, "lineno", row)  # `ast.Load()` has none of its own
        nodes += 1
        depth += _levels(node, lines)
        if depth > DEEPEST:
            return f"line {row} is nested deeper than {DEEPEST} levels"
        if nodes > MOST_NODES:
            return f"the file is too large to be rewritten (more than {MOST_NODES:,} syntax nodes, blank lines and comments)"
        pending += [(child, depth, row) for child in ast.iter_child_nodes(node)]
    return None


def _levels(node: ast.AST, lines: list[str]) -> int:
    """Return how many levels of LibCST's a node is: what is flat in `ast` is nested there."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return len(node.generators)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names: list[str] = [alias.name for alias in node.names]
        names.append(getattr(node, "module", None) or "")
        return 1 + max(name.count(".") for name in names)
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return max(1, _pieces(node, lines))
    return 1


def _pieces(node: ast.Constant | ast.JoinedStr, lines: list[str]) -> int:
    """Return how many literals a text is written as, side by side."""
    if isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes)):
        return 1
    rows = lines[node.lineno - 1 : node.end_lineno]
    if sum(row.count('"') + row.count("'") for row in rows) < 2 * DEEPEST:
        return 1  # so few that it does not matter
    rows[-1] = rows[-1].encode()[: node.end_col_offset].decode()
    rows[0] = rows[0].encode()[node.col_offset :].decode()
    return sum(1 for _ in _strings("\n".join(rows)))


def _strings(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline):
            if token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_START":
                yield token
    except (tokenize.TokenError, SyntaxError):
        return
