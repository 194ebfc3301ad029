"""Programs of the goldens with a few things changed at random: nearly right, and often wrong."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable

Lines = list[str]


def _some(lines: Lines, chance: random.Random) -> tuple[int, int]:
    """Return a stretch of some lines, mostly a whole statement with what is in it."""
    start = chance.randrange(len(lines))
    if chance.random() < 0.3:
        return start, min(len(lines), start + chance.randint(1, 4))
    margin = _margin(lines[start])
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or _margin(lines[end]) > margin):
        end += 1
    return start, end


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def delete(lines: Lines, chance: random.Random) -> None:
    """Leave a stretch out."""
    start, end = _some(lines, chance)
    del lines[start:end]


def duplicate(lines: Lines, chance: random.Random) -> None:
    """Write a stretch twice, the second time anywhere."""
    start, end = _some(lines, chance)
    at = chance.choice([end, chance.randrange(len(lines))])
    lines[at:at] = lines[start:end]


def rename(lines: Lines, chance: random.Random) -> None:
    """Give one name, everywhere or once, another name of the text."""
    names = sorted(set(re.findall(r"\b[A-Za-z_]\w*", "\n".join(lines))))
    if not names:
        return
    old, new = chance.choice(names), chance.choice(names)
    rows = range(len(lines)) if chance.random() < 0.5 else [chance.randrange(len(lines))]
    for row in rows:
        lines[row] = re.sub(rf"\b{old}\b", new, lines[row])


WRAPPERS = (
    "if x:", "try:", "with x() as y:", "for x in y:", "while True:", "def inner(x=1):", "class Inner:",
    "async def inner():", "if __name__ == '__main__':", "match x:\n    case 1:",
)  # fmt: skip


def wrap(lines: Lines, chance: random.Random) -> None:
    """Put a stretch into a block of some kind."""
    start, end = _some(lines, chance)
    margin = " " * _margin(lines[start])
    head = [margin + one for one in chance.choice(WRAPPERS).split("\n")]
    body = ["    " * len(head) + line if line.strip() else line for line in lines[start:end]]
    tail = [f"{margin}finally:", f"{margin}    pass"] if head[0].strip() == "try:" else []
    lines[start:end] = [*head, *body, *tail]


def truncate(lines: Lines, chance: random.Random) -> None:
    """End the text early, perhaps within a line."""
    at = chance.randrange(len(lines))
    lines[at:] = [lines[at][: chance.randint(0, len(lines[at]))]]


def join(lines: Lines, chance: random.Random) -> None:
    """Write two lines as one, with a `;`."""
    at = chance.randrange(len(lines))
    if at + 1 < len(lines):
        lines[at : at + 2] = [f"{lines[at].partition('#')[0].rstrip()}; {lines[at + 1].strip()}"]


def break_line(lines: Lines, chance: random.Random) -> None:
    """Go on with a line on the next one, after a backslash."""
    at = chance.randrange(len(lines))
    spaces = [found.start() for found in re.finditer(r"(?<=\S) (?=\S)", lines[at])]
    if spaces:
        here = chance.choice(spaces)
        lines[at : at + 1] = [lines[at][:here] + " \\", lines[at][here + 1 :]]


def odd_character(lines: Lines, chance: random.Random) -> None:
    """Put a form feed, a tab, a letter of another script or an escape sequence somewhere."""
    at = chance.randrange(len(lines))
    here = chance.randint(0, len(lines[at]))
    odd = chance.choice(["\f", "\t", "é", "日本", "\x1b[31m", "\u202e", "\u2028", "\x85", "\ufeff"])
    lines[at] = lines[at][:here] + odd + lines[at][here:]


KINDS: tuple[Callable[[Lines, random.Random], None], ...] = (
    delete, duplicate, rename, rename, wrap, wrap, truncate, join, join, break_line, odd_character,
)  # fmt: skip


def mutated(source: str, seed: int) -> str:
    """Return a program with one to four things changed, with mixed line ends at times.

    Half of them are such that they still parse, as far as that is found soon.
    """
    chance = random.Random(seed)
    must_parse = chance.random() < 0.7
    for _ in range(10):
        lines = source.split("\n")
        for _ in range(chance.randint(1, 4)):
            chance.choice(KINDS)(lines, chance)
            lines = lines or [""]
        made = "\n".join(lines)
        if not must_parse or _parses(made):
            break
    if chance.random() < 0.1:
        made = "".join(line + chance.choice(["\n", "\r\n", "\r"]) for line in made.split("\n"))
    return made


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True
