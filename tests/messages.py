"""The messages that people read: `python -m tests.messages 100 --seed 17` prints some to be judged."""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FEWEST = 4  # words
WORD = re.compile(r"(?<![\w.`{(])[A-Za-z]+(?![\w`({=])")
COMMON = set(
    "a an the is are was be to of in on at by for from with and or not no cannot it its".split()
)
CODE = re.compile(
    r"\n|^@|^\w+ = |^(?:if|for|from|with|def|return|class) [^ ]+[ :(].*[:)]$|[\\^|]{2}|->"
    r"|\bNone\b.* else\b|\bfor \w+ in \w+|\(\?[:<P]|\w\|\w|^self\.|\]\[|\w\[\{|^return "
)


def messages() -> list[tuple[str, str]]:
    """Return place and text of every literal of the package that is a sentence or a part of one."""
    found = {}
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "codemods").rglob("*.py")]):
        for row, text in _texts(ast.parse(path.read_text(encoding="utf-8"))):
            words = [word.lower() for word in WORD.findall(text)]
            if len(words) >= FEWEST and COMMON.intersection(words) and not CODE.search(text):
                found.setdefault(text, f"{path.relative_to(ROOT)}:{row}")
    return sorted((place, text) for text, place in found.items())


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield row and text of literals outside docstrings; what an f-string puts in is in braces."""
    if isinstance(tree, ast.JoinedStr):
        parts = (
            part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"  # type: ignore[attr-defined]
            for part in tree.values
        )
        yield tree.lineno, "".join(map(str, parts))
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.lineno, tree.value
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from _texts(child)


def main() -> None:
    """Print a sample."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    all_of_them = messages()
    picked = random.Random(asked.seed).sample(all_of_them, min(asked.count, len(all_of_them)))
    print(f"{len(picked)} of {len(all_of_them)}")
    for number, (place, text) in enumerate(picked, 1):
        print(f"{number:3} {place}  {text!r}")


if __name__ == "__main__":
    main()
