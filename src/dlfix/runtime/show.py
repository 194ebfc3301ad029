"""Shows what was probed and explained: text, wrapped on a terminal only, or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix.runtime.explain import Explanation
from dlfix.runtime.join import Joined
from dlfix.runtime.probe import HEAVY, Boundary, Fetched, Part, Probed
from dlfix.source.printable import encodable_data, visible

if TYPE_CHECKING:
    from rich.console import Console

FORCED = "num_workers is 0 in the program; the probe sets it to 1"
DEEP = 5  # the indent of what is said of a thing, below its name


def console(color: str = "auto") -> Console:
    """Return where the report goes: as wide as the terminal; elsewhere, nothing is wrapped."""
    from dlfix.report.terminal import WHOLE, SafeConsole

    width = None if sys.stdout.isatty() else WHOLE
    forced = {"always": True, "never": False}.get(color)
    plain = True if color == "never" else None
    return SafeConsole(highlight=False, width=width, force_terminal=forced, no_color=plain)


def size(count: float) -> str:
    """Return a number of bytes as a person writes it."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def show_probe(probed: Probed, joined: Sequence[Joined], out: Console) -> None:
    """Print what a probe saw."""
    by_id = {id(item.culprit): item for item in joined}
    for boundary in probed.boundaries:
        _show_boundary(boundary, [by_id[id(culprit)] for culprit in boundary.culprits], out)
    if joined or not probed.failed:
        out.print(verdict(joined), markup=True)
    if probed.is_cut:
        out.print(
            "[dim]The program was stopped before its first workers started (use "
            "--continue to continue).[/]"
        )
    _say(out, f"[dim]Interpreter: {_plain(probed.python)}[/]", 0)


def verdict(joined: Sequence[Joined]) -> str:
    """Return the last line: does all arrive?"""
    if not joined:
        return "[green]All objects can be sent to the workers.[/]"
    things = "1 object" if len(joined) == 1 else f"{len(joined)} objects"
    return f"[red]{things} cannot be sent to the workers.[/]"


def _show_boundary(boundary: Boundary, joined: Sequence[Joined], out: Console) -> None:
    workers = "1 worker" if boundary.workers == 1 else f"{boundary.workers} workers"
    place = f"  {_plain(boundary.line)}" if boundary.line else ""
    out.print(f"[bold]{boundary.kind}[/], {workers}{_asked(boundary.method)}[dim]{place}[/]")
    if boundary.forced:
        _say(out, f"[dim]note[/] {FORCED}")
    for part in boundary.parts:
        _show_part(part, boundary.workers, out)
    for alike in _alike(joined):
        _show_culprit(alike[0], out, [item.culprit.path for item in alike[1:]])
    for text in boundary.differences:
        _say(out, f"[yellow]differs[/] {_plain(text)}")
    for handle in boundary.shared:
        name = f" ({handle.name})" if handle.name else ""
        _say(out, f"[yellow]shared[/] [bold]{_plain(handle.path)}[/]  {_plain(handle.type)}")
        text = (
            f"forked workers would share file descriptor {handle.descriptor} and the file position"
        )
        _say(out, f"{text}{_plain(name)}", DEEP)
    for text in boundary.notes:
        _say(out, f"[dim]note[/] {_plain(text)}")
    out.print()


def _asked(method: str) -> str:
    """Return the start method that the program asks for; all is tried as under spawn."""
    return "" if method == "default" else f", start method {method}"


def _say(out: Console, text: str, indent: int = 2, label: str = "") -> None:
    """Print a text, all lines that it takes indented alike; a label stands in the first one's indent."""
    before = label.ljust(indent)
    for line in out.render_str(text).wrap(out, out.width - indent):
        line.rstrip()
        out.print(before, line, sep="", end="\n")
        before = " " * indent


def _alike(joined: Sequence[Joined]) -> list[list[Joined]]:
    """Return culprits of one type that one line made together."""
    groups: dict[object, list[Joined]] = {}
    for item in joined:
        culprit = item.culprit
        key = (culprit.type, item.line or culprit.path, culprit.error, culprit.when)
        groups.setdefault(key, []).append(item)
    return list(groups.values())


def _show_part(part: Part, workers: int, out: Console) -> None:
    if not part.fits:
        return
    cost = f"{size(part.bytes)} and {part.milliseconds:.1f} ms per worker"
    total = f", {size(part.bytes * workers)} in total" if workers > 1 else ""
    shared = f"; {size(part.shared)} of tensors are placed in shared memory" if part.shared else ""
    _say(out, f"[green]ok[/] {_plain(part.path)}  {_plain(part.type)}")
    _say(out, f"[dim]{cost}{total}{shared}[/]", DEEP)
    if part.bytes < 1 << 20:
        return
    for attribute in part.largest:
        path, kind = _plain(attribute.path), _plain(attribute.type)
        _say(out, f"{size(attribute.bytes):>9}  {path}  [dim]{kind}[/]", DEEP)
    if part.bytes >= HEAVY:
        _say(out, f"[yellow]heavy[/] {_plain(advice(part))}", DEEP)


def advice(part: Part) -> str:
    """Say what to do with a dataset that costs each worker this much."""
    top = part.largest[0] if part.largest else None
    name, count = (top.path, top.bytes) if top else (part.path, part.bytes)
    if top and top.type.startswith("numpy"):
        how = "map it from disk (np.load with mmap_mode, opened in each worker) or keep a tensor"
    elif top and top.type in ("list", "dict", "tuple"):
        how = "keep tensors or numpy arrays instead of Python objects, or load lazily"
    else:
        how = "map it into memory, keep tensors (only their handles are sent), or load lazily"
    return f"each worker gets a copy of {name} ({size(count)}): {how}"


def _show_culprit(item: Joined, out: Console, more: Sequence[str]) -> None:
    culprit = item.culprit
    place = str(item.line) if item.line else ""
    code = f" [bold]{item.code}[/]" if item.code else ""
    _say(out, f"[red]fails[/]{code} [bold]{_plain(culprit.path)}[/]  {_plain(culprit.type)}")
    message = " ".join(culprit.message.split())
    error = f"{_plain(culprit.error)}: " if culprit.error else ""
    _say(out, f"{error}{_plain(message[:300])}", DEEP)
    if culprit.inner:
        _say(out, f"[dim]because of its {_plain(', '.join(culprit.inner[:3]))}[/]", DEEP)
    if more:
        rest = f" and {len(more) - 3} more" if len(more) > 3 else ""
        _say(out, f"the same applies to {_plain(', '.join(more[:3]))}{rest}", DEEP)
    if culprit.when:
        _say(
            out,
            "only from the second epoch on, because code in the parent (such as `len(dataset)`) "
            "creates it after the workers have started",
            DEEP,
        )
    elif culprit.stage in STAGES:
        _say(out, STAGES[culprit.stage], DEEP)
    if place:
        _say(out, f"[cyan]{_plain(place)}[/]{_made(item)}", DEEP)


STAGES = {
    "load": "the object can be pickled, but the worker cannot unpickle it",
    "main": "when the worker imports the main module",
    "init": "when the worker runs worker_init_fn or the initializer",
    "fetch": "when the worker fetches its first batch",
    "return": "when the worker returns its result to the parent",
    "died": "in the worker",
}


def _made(item: Joined) -> str:
    if item.finding is None:
        return ""
    return f"  [dim]{_plain(item.finding.message)}[/]"


def _plain(text: object) -> str:
    from rich.markup import escape

    return escape(visible(text))


def show_fetched(fetched: Sequence[Fetched], out: Console) -> None:
    """Print the table of start methods and outcomes."""
    from rich.table import Table

    from dlfix.report.terminal import print_table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("start method", "first batch", "seconds", ""):
        table.add_column(title, overflow="fold")
    for row in fetched:
        words = outcome(row, fetched)
        colour = "green" if row.ok else "red"
        seconds = f"{row.seconds:.2f}" if row.ok else ""
        table.add_row(_workers(row), f"[{colour}]{words}[/]", seconds, _plain(row.text))
    print_table(out, table)
    if any(row.forced for row in fetched):
        out.print(f"\n{FORCED}.", highlight=False)
    if any(outcome(row, fetched) == DIFFERS for row in fetched):
        out.print(f"\n{WHY_DIFFERENT}")


DIFFERS = "works, differs"
WHY_DIFFERENT = (
    "Some batches differ from the batches loaded without workers. This is expected if "
    "batches are random or an iterable dataset is split between the workers; otherwise the dataset "
    "behaves differently in a worker."
)


def _workers(row: Fetched) -> str:
    return "no workers" if row.method == "none" else row.method


def outcome(row: Fetched, fetched: Sequence[Fetched]) -> str:
    """Say in a word how one start method went."""
    if not row.ok:
        return "fails"
    base = next((other for other in fetched if other.method == "none" and other.ok), None)
    if base is None or row is base:
        return "works"
    return "works, same" if row.digest == base.digest else DIFFERS


def show_proof(before: Sequence[Fetched], after: Sequence[Fetched], out: Console) -> None:
    """Print each start method before and after rewriting."""
    out.print("\nThe first batch, before and after:")
    for old, new in zip(before, after, strict=True):
        words = f"{_word(old)} -> {_word(new)}"
        colour = "green" if new.ok else "red"
        _say(out, f"{_workers(new):<12}[{colour}]{words}[/]")
        if not new.ok:
            _say(out, _plain(new.text), 14)


def _word(row: Fetched) -> str:
    return "works" if row.ok else "broken"


def show_explanation(explanation: Explanation, out: Console) -> None:
    """Print an explanation."""
    _say(out, f"[bold]{_plain(explanation.message)}[/]", 0)
    out.print()
    _say(out, f"{_plain(explanation.happened)} {_plain(explanation.why)}", 0)
    out.print()
    for name, text in _facts(explanation):
        if name in PROSE:
            _say(out, text, 11, f"  {name}")
        else:  # to be copied or clicked: never broken
            out.print(f"  {name:<9}{text}", soft_wrap=True)
    for other in explanation.others:
        out.print()
        _say(out, f"Also: {_plain(other)}", 0)
    if explanation.pasted:
        out.print("\nIn this text, block by block:")
    for said in explanation.pasted:
        _say(out, _plain(said))


PROSE = ("path", "found")


def _facts(explanation: Explanation) -> list[tuple[str, str]]:
    """Return what is known besides the sentences, each with its name."""
    labels = {"boundary": "sent at", "culprit": "line"}
    label = labels.get(explanation.line_is, explanation.line_is)
    rows = [
        ("path", _plain(explanation.path)),
        (label, f"[cyan]{_plain(explanation.line)}[/]" if explanation.line else ""),
        ("found", _plain(explanation.found)),
        ("rule", explanation.code),
        ("run", f"[green]{_plain(explanation.command)}[/]"),
    ]
    return [row for row in rows if row[1]]


def to_json(probed: Probed, joined: Sequence[Joined]) -> str:
    """Return what a probe saw as JSON."""
    data = asdict(probed)
    by_id = {id(item.culprit): item for item in joined}
    for boundary, shown in zip(probed.boundaries, data["boundaries"], strict=True):
        for culprit, row in zip(boundary.culprits, shown["culprits"], strict=True):
            _add_joined(row, by_id[id(culprit)])
    return json.dumps(data, indent=2, default=_jsonable)


def _add_joined(row: dict[str, Any], item: Joined) -> None:
    row["code"] = item.code
    row["line"] = asdict(item.line) if item.line else None
    row["finding"] = item.finding.message if item.finding else None


def _jsonable(value: object) -> str:
    return str(value) if isinstance(value, Path) else repr(value)


def fetched_json(fetched: Sequence[Fetched]) -> str:
    """Return the table of start methods as JSON."""
    rows = [asdict(row) | {"outcome": outcome(row, fetched)} for row in fetched]
    return json.dumps(encodable_data(rows), indent=2)


def explanation_json(explanation: Explanation) -> str:
    """Return an explanation as JSON."""
    return json.dumps(encodable_data(asdict(explanation)), indent=2)
