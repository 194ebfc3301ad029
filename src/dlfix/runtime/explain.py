"""Reads a pasted traceback or a whole log: what happened, where, and what helps."""

from __future__ import annotations

import ast
import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.runtime.messages import RANKS, Meaning, fix_of, meanings
from dlfix.source.text import SourceError, contents, read

if TYPE_CHECKING:
    from dlfix.rules.base import Finding

LONGEST = 2000  # characters of a line that are read: its first and last ones
MOST = 8 << 20  # characters of a log that are read: its last ones
MOST_FRAMES = 200  # of a traceback: the last ones
ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
FRAME = re.compile(
    r"""File\ "?(?P<python>[^"\n]+?)"?(?:,\ line\ |:)(?P<row1>\d+)(?:,\ in\ (?P<in1>[^\n]+))?
    | (?P<cell>(?:Cell|Input)\ In\ ?\[\d+\]),\ line\ (?P<row2>\d+)
    | ^(?P<pytest>[\w./\\~-]+\.py):(?P<row3>\d+):\ ?(?:in\ (?P<in3>\w+)|[A-Z]\w+|$)
    | (?<![\w./\\~-])(?P<rich>[\w./\\~-]+\.py):(?P<row4>\d+)\ in\ (?P<in4>\S+)""",
    re.VERBOSE,
)
OLD_CELL = re.compile(
    r"^(?P<path>\S+\.py|<ipython-input\S+>) in (?P<function><[^>]*>|\w+)(?:\(.*\))?$"
)
ARROW = re.compile(r"^-+> *(?P<row>\d+)\b")
HEAD = "Traceback (most recent call last):"
TRACEBACK = re.compile(r"Traceback \(most recent call last\)|^-{20,}$")
EXCEPTION = re.compile(
    r"(?<![\w.])(?P<type>(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Exit|Warning)"
    r"|(?:[a-z_]\w*\.)+[A-Z]\w*)(?::\s|:?$)"
)
LIBRARY = re.compile(
    r"site-packages|dist-packages|[/\\]lib[/\\]python\d|[/\\]lib64[/\\]python\d|[/\\]Lib[/\\]\w+\.py"
    r"|[/\\][Ll]ib[/\\](?:multiprocessing|concurrent)|python\d[\w.]*[/\\]multiprocessing"
    r"|Python\.framework|^<(?!ipython)|[/\\]torch[/\\](?:utils|multiprocessing)[/\\]|\.pyx$"
)
NOTE = re.compile(r"when serializing (?P<what>(?:dict|list|tuple|set) item [^\n]+|[^\n]+? state)")


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of a traceback."""

    path: str
    row: int
    function: str

    @property
    def is_users(self) -> bool:
        """Return whether it lies in the user's own code."""
        return not LIBRARY.search(self.path)


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of a log: its text, and the frames above it."""

    text: str
    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a text says: two sentences, a line of the user's code, a rule and a command."""

    happened: str
    why: str
    code: str  # "" where no rule finds it
    message: str  # the exception's text
    line: str  # `train.py:67` or ""
    line_is: str  # what is on that line: culprit, one of (several that fit), boundary
    path: str  # where the culprit hangs, where the text tells (Python 3.14)
    command: str
    found: str = ""  # what reading the sources says of the culprit
    others: tuple[str, ...] = ()  # other causes in the same text
    pasted: tuple[str, ...] = ()  # findings in Python blocks of the text itself


def explain(
    text: str,
    findings: Sequence[Finding] = (),
    folder: Path | None = None,
    pasted: Sequence[Finding] = (),
) -> Explanation | None:
    """Explain the first cause in a text; None where there is none.

    `findings` are those of the files it names, `pasted` those of Python blocks in the text itself.
    """
    text = clean(text)
    raised = list(exceptions(text))
    found = _ranked(text, raised)
    if not found:
        return None
    meaning, source = found[0]
    meaning, source = _with_inner(meaning, source, raised)
    folder = folder or Path.cwd()
    frames = _frames(source, raised)
    message = source.text if source else meaning.text
    if fitting := matching(message, meaning, frames, [*findings, *pasted]):
        meaning = replace(meaning, code=fitting.code)
        line, line_is = _place(fitting), "culprit"
    else:
        line, line_is = _line(meaning, frames, folder)
    line = line.removeprefix(f"{folder}{os.sep}")
    others = [m.happened for m, _ in found[1:] if m.code != meaning.code and m.rank >= 2]
    return Explanation(
        meaning.happened,
        meaning.why,
        meaning.code,
        _message(meaning, source),
        line,
        line_is,
        _path(text),
        _command(meaning, source, "" if pasted else line),
        fitting.message if fitting else "",
        tuple(dict.fromkeys(others))[:3],
        tuple(dict.fromkeys(_said(finding) for finding in pasted)),
    )


def _command(meaning: Meaning, source: Raised | None, line: str) -> str:
    vague = source is None and meaning.rank == RANKS["wrapper"]
    return "dlfix check ." if vague else command(meaning.code, line)


def _said(finding: Finding) -> str:
    return (
        f"{finding.place.path.name}:{finding.place.span.start.row} {finding.code} {finding.message}"
    )


def clean(text: str) -> str:
    """Return a text without colours, line ends of other systems and what logs put before lines."""
    lines = clean_lines(text[-MOST:])
    return "\n".join(_without_prefixes([_cut(line) for line in lines]))


def clean_lines(text: str) -> list[str]:
    """Return the lines of a text without colours and line ends of other systems."""
    text = ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if f"{HEAD}\\n" in text:  # a log of JSON: one line of it holds many
        text = text.replace("\\n", "\n").replace('\\"', '"')
    return text.split("\n")


def _cut(line: str) -> str:
    half = LONGEST // 2
    return line if len(line) <= LONGEST else f"{line[:half]} ... {line[-half:]}"


def left_out(text: str) -> str:
    """Say what of a text is not read; "" where all of it is."""
    if len(text) > MOST:
        return f"only the last {MOST >> 20} MB of the text were read"
    if any(len(line) > LONGEST for line in clean_lines(text)):
        return f"lines longer than {LONGEST:,} characters were shortened"
    return ""


def _without_prefixes(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines without the time, rank or level that stands before a traceback's head too."""
    shape, width = "", 0
    for line in lines:
        if line.endswith(HEAD):
            width = len(line) - len(HEAD)
            shape = _shape(line[:width])
        starts_alike = bool(width) and _shape(line[:width].ljust(width)) == shape
        yield line[width:] if starts_alike else line


def _shape(prefix: str) -> str:
    return re.sub(r"\d", "0", prefix)


def exceptions(text: str) -> Iterator[Raised]:
    """Yield the exceptions of a log in order; a frame belongs to the next exception below it."""
    frames: deque[Frame] = deque(maxlen=MOST_FRAMES)
    cell: re.Match[str] | None = None
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if TRACEBACK.search(line):
            frames.clear()
        cell = OLD_CELL.search(line) or cell
        if cell and (arrow := ARROW.search(line)):
            frames.append(Frame(cell["path"], int(arrow["row"]), cell["function"]))
            cell = None
        elif frame := FRAME.search(line):
            frames.append(_frame(frame))
        elif (match := EXCEPTION.search(line)) and _starts(line, match.start()):
            yield Raised(_whole(lines, i, match.start()), tuple(frames))


def _frame(match: re.Match[str]) -> Frame:
    path = match["python"] or match["cell"] or match["pytest"] or match["rich"]
    row = match["row1"] or match["row2"] or match["row3"] or match["row4"]
    function = match["in1"] or match["in3"] or match["in4"] or ""
    return Frame(path.strip(), int(row), function.strip())


def _starts(line: str, column: int) -> bool:
    """Return whether an exception's name stands at a line's start, but for a log's prefix."""
    before = line[:column].strip()
    return (
        not before
        or before[-1].isdigit()
        or before[-1] in "]|:>)E"
        or before.endswith(("_pickle.", "--"))
    )


def _whole(lines: Sequence[str], index: int, column: int) -> str:
    """Return an exception's text with the lines that go on with it."""
    text = [lines[index][column:].rstrip()]
    for line in lines[index + 1 : index + 12]:
        if TRACEBACK.search(line) or FRAME.search(line) or not line.strip():
            break
        text.append(line.strip())
    if text == [text[0]] and text[0].endswith(":"):
        text += [line.strip() for line in lines[index + 1 : index + 6]]
    return "\n".join(text)


def _ranked(text: str, raised: Sequence[Raised]) -> list[tuple[Meaning, Raised | None]]:
    """Return all meanings, the first cause first: of exceptions, else of the text itself."""
    found: list[tuple[Meaning, Raised | None]] = [
        (meaning, source) for source in raised for meaning in meanings(source.text)[:1]
    ]
    found.sort(key=lambda pair: -pair[0].rank)
    if not found or found[0][0].rank < 2:
        whole = [(meaning, _nearest(text, meaning, raised)) for meaning in meanings(text)]
        found += [pair for pair in whole if not found or pair[0].rank > found[0][0].rank]
        found.sort(key=lambda pair: -pair[0].rank)
    if not found:
        found += [(meaning, source) for source in raised if (meaning := _by_frames(source))][:1]
    return found


PICKLED = (
    "The pickling code of an object that is sent to a worker raised an error; `dlfix "
    "probe` names the object and where it is stored."
)
LOADED = (
    "Unpickling imports the object's modules and runs `__setstate__` in a process without "
    "the state that the parent set up; `dlfix probe` unpickles the object in such a "
    "process and names it."
)
STAGES = (
    ("reduction.py", "dump", "pickled for the worker", PICKLED),
    ("queues.py", "_feed", "pickled for another process", PICKLED),
    ("spawn.py", "_main", "unpickled in the worker", LOADED),
    ("forkserver.py", "_serve_one", "unpickled in the worker", LOADED),
)


def _by_frames(source: Raised) -> Meaning | None:
    """Tell an error that no row knows by where it was raised: while something was pickled."""
    for file, function, what, why in STAGES:
        if any(f.path.endswith(file) and f.function == function for f in source.frames):
            error = source.text.split("\n")[0]
            happened = f"`{error}` was raised while an object was {what}."
            return Meaning("", happened, why, RANKS["wrapper"], error, "")
    return None


def _nearest(text: str, meaning: Meaning, raised: Sequence[Raised]) -> Raised | None:
    return next((r for r in raised if meaning.text in r.text), None)


def _with_inner(
    meaning: Meaning, source: Raised | None, raised: Sequence[Raised]
) -> tuple[Meaning, Raised | None]:
    """Turn to the exception that the worker raised, where a wrapper is all that is known."""
    inner = next((r for r in reversed(raised) if meaning.text[:12] not in r.text), None)
    if not meaning.text.startswith("Caught ") or inner is None:
        return meaning, source
    error = inner.text.split("\n")[0]
    happened = f"The dataset or the collate function raised `{error}` in a worker process."
    if meaning.name not in ("KeyError", "NameError", "AttributeError"):
        return replace(meaning, happened=happened), inner
    why = (
        "If the same code works without workers, it depends on state that exists only in "
        "the parent: a worker has only the pickled objects and freshly imported modules."
    )
    return replace(meaning, happened=happened, why=why, code="DLF303"), inner


def _message(meaning: Meaning, source: Raised | None) -> str:
    if source is None:
        return " ".join(meaning.text.split())
    lines = [line for line in source.text.split("\n") if line.strip()]
    first = lines[0] if not lines[0].endswith(":") or len(lines) == 1 else " ".join(lines[:3])
    return " ".join(first.split())


def _path(text: str) -> str:
    """Return the access path that Python 3.14 tells in its notes, outermost first."""
    found = [match["what"].strip() for match in NOTE.finditer(text)]
    steps = []
    for what in reversed(found):
        kind, _, key = what.partition(" item ")
        if key:
            steps.append(f".{key.strip(chr(39))}" if key[1:-1].isidentifier() else f"[{key}]")
        elif kind.endswith(" state"):
            steps.append(kind[: -len(" state")] if not steps else "")
    return re.sub(r"^(?:multiprocessing\.context|__main__|__mp_main__)\.", "", "".join(steps))


def _place(finding: Finding) -> str:
    return f"{finding.place.path}:{finding.place.span.start.row}"


def _line(meaning: Meaning, frames: Sequence[Frame], folder: Path) -> tuple[str, str]:
    """Return the line at fault and what it is: where the name is written, else the last frame."""
    if written := _written(meaning, frames, folder):
        return written, "one of" if "," in written else "culprit"
    if not frames:
        return "", ""
    last = frames[-1]
    ended = meaning.rank == RANKS["wrapper"] and not meaning.text.startswith("Caught ")
    at_fault = meaning.code in AT_THE_FRAME or (meaning.rank < RANKS["cause"] and not ended)
    return f"{last.path}:{last.row}", "culprit" if at_fault else "boundary"


AT_THE_FRAME = ("DLF301", "DLF401", "DLF402", "DLF403", "DLF404")


def _frames(source: Raised | None, raised: Sequence[Raised]) -> list[Frame]:
    """Return the user's frames of an exception, else of the others in the log."""
    own = [frame for frame in (source.frames if source else ()) if frame.is_users]
    if own:
        return own
    return [frame for r in raised for frame in r.frames if frame.is_users]


ALIKE = {"DLF101", "DLF105"}  # a lambda at the top of a module reads alike in both
HANDLES = {"DLF201", "DLF203", "DLF205"}  # the error tells that a handle crosses, not how


def matching(
    text: str, meaning: Meaning, frames: Sequence[Frame], findings: Sequence[Finding]
) -> Finding | None:
    """Return the static finding of the error (else of the rule), best of a path through a frame.

    Where none is, the only one in the files of the traceback is it, if both are about pickling; or
    the only one of an attribute that the line reads, if it was raised in a worker.
    """
    at = {(Path(frame.path).name, frame.row) for frame in frames}
    files = {name for name, _ in at}

    def fit(finding: Finding) -> tuple[bool, bool, bool, bool]:
        places = [finding.place, *(step.place for step in finding.trace)]
        rows = {(p.path.name, p.span.start.row) for p in places}
        same_error = bool(finding.error) and finding.error in text
        same_error = same_error or ("<locals>" in meaning.name and meaning.name in finding.error)
        same_code = finding.code == meaning.code or any(
            {finding.code, meaning.code} <= alike for alike in (ALIKE, HANDLES)
        )
        return same_error, same_code, bool(rows & at), any(p in files for p, _ in rows)

    best = max(findings, key=fit, default=None)
    if best is not None and any(fit(best)[:2]):
        return best
    near = [f for f in findings if fit(f)[3] and f.code.startswith(ABOUT_PICKLING)]
    if meaning.code == "DLF303":
        near = [f for f in findings if frames and reads(Path(frames[-1].path), frames[-1].row, f)]
    elif not meaning.code.startswith(ABOUT_PICKLING):
        return None
    return near[0] if len(near) == 1 else None


def reads(path: Path, row: int, finding: Finding) -> bool:
    """Return whether a line reads the attribute that a finding is about (`Rows._db`)."""
    about = ABOUT.search(finding.message)
    if about is None:
        return False
    try:
        text = read(path).text.split("\n")[row - 1]
    except (SourceError, IndexError):
        return False
    return re.search(rf"\.{about['attribute']}\b", text) is not None


ABOUT = re.compile(r"`\w+\.(?P<attribute>\w+)`")
ABOUT_PICKLING = ("DLF10", "DLF20")


def _written(meaning: Meaning, frames: Sequence[Frame], folder: Path) -> str:
    """Look for what the message names in the sources at hand: the traceback's files first."""
    if not meaning.name or meaning.code not in NAMED:
        return ""
    named = list(dict.fromkeys(frame.path for frame in reversed(frames)))
    for path in [*named, *_beside(named, meaning, folder)]:
        if not _is_module(Path(path), meaning.module):
            continue
        if rows := _rows(folder / path, meaning.name):
            return f"{path}:{', '.join(map(str, rows))}"
    return ""


def _is_module(path: Path, module: str) -> bool:
    """Return whether a file can be the module that a message names."""
    if not module or module in ("__main__", "__mp_main__"):
        return True
    return path.with_suffix("").as_posix().endswith(module.replace(".", "/"))


NAMED = ("DLF101", "DLF102", "DLF103", "DLF105", "DLF209", "DLF302")
FILES = 2000  # so many are looked through


def _beside(named: Sequence[str], meaning: Meaning, folder: Path) -> Iterator[str]:
    """Yield the other files of the program that have the name in them."""
    roots = [(folder / path).parent for path in named if (folder / path).is_file()]
    if not roots:
        return
    words = [w.encode() for w in re.findall(r"\w+", meaning.name) if w != "locals"]
    for file in islice(sorted(min(roots, key=lambda root: len(root.parts)).rglob("*.py")), FILES):
        with suppress(SourceError):
            if words[-1] in contents(file):
                yield str(file)


def _rows(file: Path, name: str) -> list[int]:
    """Return the rows of a qualified name in a file; it may begin with the file's module."""
    try:
        tree = ast.parse(contents(file))
    except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    parts = name.replace(".<locals>", "").split(".")
    while len(parts) > 1 and parts[0] in (file.stem, *file.parent.parts, "__main__"):
        parts = parts[1:]
    found: list[ast.AST] = [tree]
    for part in parts:
        inside = (n for node in found for n in ast.walk(node) if n is not node)
        found = [n for n in inside if _is_called(n, part)]
    return sorted({getattr(node, "lineno", 0) for node in found})[:4]


def _is_called(node: ast.AST, name: str) -> bool:
    if name == "<lambda>":
        return isinstance(node, ast.Lambda)
    if isinstance(node, ast.Call) and node.args:
        return isinstance(node.args[0], ast.Constant) and node.args[0].value == name
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(node, definitions) and node.name == name


def command(code: str, line: str) -> str:
    """Return the command that fixes, or else shows, what a text is about."""
    path = line.rpartition(":")[0] if line else ""
    if not path.endswith((".py", ".pyw")) or "ipykernel_" in path:
        path = ""  # a notebook's cell
    if " " in path:
        path = f'"{path}"'
    if not code:
        return f"dlfix probe {path or 'SCRIPT'}"
    how = fix_of(code)
    if how == "report":
        return f"dlfix check --select {code} {path or '.'}"
    unsafe = "--unsafe-fixes " if how == "unsafe" else ""
    return f"dlfix apply {unsafe}--select {code} {path or '.'}"
