"""What the commands do; each returns the exit status."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix import config, results
from dlfix.config import Settings
from dlfix.ending import INTERRUPTED
from dlfix.report.progress import Progress
from dlfix.session import Outcome, Session, from_stdin
from dlfix.source.printable import encodable, visible
from dlfix.source.text import SourceError, contents
from dlfix.validation import nearest

if TYPE_CHECKING:
    from rich.console import Console

    from dlfix.fixing.plans import Planned
    from dlfix.interactive import Chooser
    from dlfix.report.view import View
    from dlfix.undo import Written

CLEAN, FOUND, FAILED = 0, 1, 2
_MOST_CUT = 3  # boundaries that are named
TEXTUAL = ("json", "sarif", "github", "gitlab", "junit")


@dataclass(frozen=True)
class Request:
    """What is common to the commands that read a project."""

    paths: tuple[Path, ...]
    settings: Settings
    stdin_filename: Path | None = None
    quiet: bool = False
    color: str = "auto"
    jobs: int = 1
    report: Path | None = None

    @property
    def from_stdin(self) -> bool:
        """Whether the text comes from a pipe."""
        return self.paths == (Path("-"),)


def console(color: str, *, stderr: bool = False) -> Console:
    """Return a console that heeds --color, NO_COLOR and FORCE_COLOR."""
    from dlfix.report.terminal import SafeConsole

    forced = {"always": True, "never": False}.get(color)
    return SafeConsole(
        stderr=stderr,
        force_terminal=forced,
        no_color=True if color == "never" else None,
        highlight=False,
        emoji=False,
        markup=False,
        soft_wrap=False,
        legacy_windows=False,
    )


def tell(message: str) -> None:
    """Say something on stderr."""
    print(f"dlfix: {visible(message)}", file=sys.stderr)


def _session(request: Request, progress: Progress) -> Session:
    if request.from_stdin:
        name = Path(os.path.abspath(request.stdin_filename or "stdin.py"))
        session, _ = from_stdin(sys.stdin.buffer.read(), name, request.settings)
    else:
        session = Session.open(request.paths or (Path(),), request.settings)
    session.tell, session.noting = progress.tell, False
    return session


def _watched() -> bool:
    return sys.stderr.isatty()


def _progress(request: Request) -> Progress:
    shown = not request.quiet and _watched()
    return Progress(partial(console, request.color, stderr=True) if shown else None)


def _troubles(session: Session) -> int:
    """Name on stderr what could not be used; return the exit status that this calls for."""
    for error in session.unreadable():
        print(error, file=sys.stderr)
    for bug in dict.fromkeys(session.bugs):
        tell(bug)
    if session.cut_short:
        tell(f"{_cut_short(session)}; there may be more findings")
    if session.hidden:
        only = "finding is" if session.hidden == 1 else "findings are"
        tell(f"{session.hidden} {only} suppressed by `# noqa` without codes")
    return FAILED if session.serious() or session.bugs else CLEAN


def _cut_short(session: Session) -> str:
    """Return what is not analyzed completely, with the first boundaries at which this is so."""
    from dlfix.report.view import shown

    places = [
        shown(at.path) + f":{at.span.start.row}" * (at.path not in session.notebooks)
        for at in session.cut_at
    ]
    said = "some objects are too large to be analyzed completely"
    if not places:
        return said
    named = ", ".join(places[:_MOST_CUT])
    more = len(places) - _MOST_CUT
    return f"{said}: those sent at {named}" + (f" and {more} more" if more > 0 else "")


# check


def check(
    request: Request,
    *,
    output_format: str = "text",
    statistics: bool = False,
    exit_zero: bool = False,
    add_ignores: bool = False,
    output_file: Path | None = None,
    show_files: bool = False,
) -> int:
    """Return what is found."""
    kept = results.Kept()
    if not (request.from_stdin or request.report or add_ignores or output_file or show_files):
        asked = (request.paths, request.quiet, request.color, output_format, statistics, exit_zero)
        kept = results.kept(request.settings, "check", asked)
    status = kept.tell()
    if status is not None:
        return status
    from dlfix import parts
    from dlfix.report.view import View

    with _progress(request) as progress:
        session = _session(request, progress)
        if show_files:
            return _show_files(session)
        if add_ignores:
            return _baseline(session, request)
        plain = output_format not in ("json", "sarif") and not request.report
        kept_by_parts = not request.report  # which shows what crosses, and so reads the whole again
        view = View(session, parts.diagnoses(session, plain=plain, kept=kept_by_parts))
        left_out = 0
        if output_format in ("json", "sarif") or request.report:
            left_out = session.limit_previews(view.fixes)
            session.preview_all(view.fixes, request.jobs)
    with kept.recording() as printed:
        with _output(output_file):
            _emit(view, request, output_format, statistics)
        if request.report:
            _write_report(view, request.report)
        trouble = _troubles(session)
        if left_out:
            _tell_left_out(left_out)
        if not session.files:
            tell("no Python files found")
    status = trouble or (FOUND if view.entries and not exit_zero else CLEAN)
    if not session.bugs:
        kept.keep(printed, status)
    return status


def _tell_left_out(count: int) -> None:
    from dlfix import previews
    from dlfix.report.text import plural

    tell(
        f"the edits of {plural(count, 'fix')} are omitted because a file has more than "
        f"{previews.MOST} fixes (`dlfix apply --diff` shows all edits)"
    )


def _show_files(session: Session) -> int:
    for path in sorted(session.files):
        print(visible(str(path)))
    for error in session.errors:
        print(error, file=sys.stderr)
    return FAILED if session.errors else CLEAN


@contextmanager
def _output(path: Path | None) -> Iterator[None]:
    """Send what is printed to a file, where one is named."""
    if path is None:
        yield
        return
    with io.StringIO() as text:
        with redirect_stdout(text):
            yield
        from dlfix.source.writing import write_named

        write_named(path, encodable(text.getvalue()))


def _baseline(session: Session, request: Request) -> int:
    from dlfix import undo_commands as writing

    changes, count = session.baseline()
    trouble = _troubles(session)
    written = writing.write(
        changes, request.paths, tell, going_on=True, command="check --add-ignores"
    )
    if writing.failed(written, tell):
        return FAILED
    files = f"{len(changes)} file{'s' * (len(changes) != 1)}"
    if changes and not count:
        tell(f"removed unused suppressions from {files}; undo with `dlfix undo`")
    else:
        undo = "; undo with `dlfix undo`" if changes else ""
        tell(f"suppressed {count} finding{'s' * (count != 1)} in {files}{undo}")
    return trouble


def _emit(view: View, request: Request, output_format: str, statistics: bool) -> None:
    if statistics and output_format not in TEXTUAL:
        _print(view, request, "statistics")
    elif output_format in TEXTUAL:
        import importlib

        module = importlib.import_module(f"dlfix.report.{output_format}")
        sys.stdout.write(module.render(view))
    else:
        _print(view, request, output_format)


def _print(view: View, request: Request, what: str) -> None:
    if request.quiet and not view.entries:
        return
    from dlfix.report import concise, text

    out = console(request.color)
    width = out.width if out.is_terminal else None
    if what == "statistics":
        blocks = [text.statistics(view)] if view.entries else []
    else:
        blocks = list(text.render(view, width) if what == "text" else concise.render(view))
    for block in blocks:
        out.print(block, soft_wrap=True)
    if not request.quiet and (view.session.files or view.entries):
        out.print(text.summary(view, len(view.session.files)), soft_wrap=True)


def _write_report(view: View, path: Path, outcome: Outcome | None = None) -> None:
    from dlfix.report import html
    from dlfix.source.writing import write_named

    write_named(path, encodable(html.render(view, outcome)))


# apply


@dataclass(frozen=True)
class Manner:
    """How to apply."""

    diff: bool = False
    side_by_side: bool = False
    interactive: bool = False
    exit_zero: bool = False
    allow_dirty: bool = False


def apply(request: Request, manner: Manner) -> int:
    """Rewrite what can be rewritten."""
    from dlfix import parts
    from dlfix.report.text import plural

    if request.from_stdin:
        return _filter(request, manner)
    kept = results.Kept()
    if manner.diff and not (manner.interactive or request.report):
        from dlfix.report import runner

        logged = runner.is_github()
        asked = (request.paths, request.quiet, request.color, manner, logged)
        kept = results.kept(request.settings, "apply", asked)
    status = kept.tell()
    if status is not None:
        return status
    with _progress(request) as progress:
        session = _session(request, progress)
        chooser = _chooser(session, request, manner, progress) if manner.interactive else None
        try:
            outcome = parts.rewrite(session) if chooser is None else _reviewed(session, chooser)
        except KeyboardInterrupt:
            if chooser is None:
                raise
            print(file=sys.stderr)
            tell(
                f"stopped: no file was changed ({plural(chooser.accepted, 'accepted fix')} discarded)"
            )
            return INTERRUPTED
    with kept.recording() as printed:
        status = _finish(session, outcome, request, manner)
    if not session.bugs:
        kept.keep(printed, status)
    return status


def _reviewed(session: Session, chooser: Chooser) -> Outcome:
    """Go through the fixes; from the first again, with the answers given, where one goes back."""
    from dlfix import parts
    from dlfix.interactive import Back

    while True:
        try:
            return parts.rewrite(session, chooser)
        except Back:
            chooser.rewind()


def _key(out: Console) -> str:
    """Return the key that is pressed, and show it."""
    import typer

    key = typer.getchar()
    out.print(key if key.isprintable() else "")
    if key == "\x04":  # Ctrl-D
        return "q"
    return key


def _chooser(session: Session, request: Request, manner: Manner, progress: Progress) -> Chooser:
    from dlfix.interactive import Chooser
    from dlfix.report import diff
    from dlfix.report.view import View

    out = console(request.color)
    wide = manner.side_by_side and out.width >= diff.WIDE

    def ask(question: str) -> str:
        out.print(question, style="bold blue", end="")
        out.file.flush()
        if sys.stdin.isatty():
            return _key(out)
        line = sys.stdin.readline()
        if not line:  # the end of the input: nobody is there
            out.print()
            return "q"
        return line

    return Chooser(View(session, []), out, ask, wide, before=progress.stop)


def _finish(session: Session, outcome: Outcome, request: Request, manner: Manner) -> int:
    from dlfix import undo_commands as writing
    from dlfix.report.view import View

    shown = manner.diff or (manner.side_by_side and not manner.interactive)
    if shown:  # the files stay as they are: so do the places in them
        view = View(session, outcome.left_before)
    else:
        view = View(session, outcome.left, outcome.project)
    session.bugs.extend(outcome.errors)
    written: Written | None = None
    if shown:
        _show_diff(session, outcome, request, manner)
    else:
        going_on = manner.allow_dirty or manner.interactive
        written = writing.write(outcome.changes, request.paths, tell, going_on=going_on)
    if not request.quiet:
        _summarise(view, outcome, request, written)
    if request.report:
        if left_out := session.limit_previews(view.fixes):
            _tell_left_out(left_out)
        _write_report(view, request.report, outcome)
    failed = FAILED if writing.failed(written, tell) else CLEAN
    if not session.files:
        tell("no Python files found")
    trouble = _troubles(session) or failed
    found = bool(outcome.changes) if shown else bool(view.entries)
    return trouble or (FOUND if found and not manner.exit_zero else CLEAN)


def _show_diff(session: Session, outcome: Outcome, request: Request, manner: Manner) -> None:
    from dlfix.report import diff, runner
    from dlfix.report.view import View

    out = console(request.color)
    view = View(session, [])
    # FORCE_COLOR, as CI sets it, must not spoil what is piped to git.
    if request.color != "always" and not sys.stdout.isatty():
        _put(runner.quoted(diff.patch(outcome.changes, view)))
        return
    stop, resume = runner.stopped()
    out.file.write(stop)
    wide = manner.side_by_side and out.width >= diff.WIDE
    for path, text in sorted(outcome.after.items()):
        for name, before, after in view.sheets(path, outcome.before[path], text):
            diff.show(out, name, before, after, wide=wide)
    out.file.write(resume)


def _done(planned: Planned, view: View) -> Iterator[tuple[str, str, str]]:
    """Yield code, message and places of a fix: one row for each rule it answers."""
    message = getattr(planned.outcome, "message", "")
    for code in dict.fromkeys(finding.code for finding in planned.findings):
        places = [view.spot(f.place).shown for f in planned.findings if f.code == code]
        yield code, message, ", ".join(places)


def _summarise(
    view: View,
    outcome: Outcome,
    request: Request,
    written: Written | None,
    *,
    to_stdout: bool = False,
) -> None:
    """Say what was done and what is left; no file was to be written where `written` is None."""
    from dlfix.report import text
    from dlfix.report.view import View

    first = View(view.session, [])
    would = written is None and not to_stdout
    paths = {change.path for change in outcome.changes} if written is None else written.paths
    done = [
        row
        for planned in outcome.applied
        if all(edit.path in paths for edit in getattr(planned.outcome, "edits", ()))
        for row in _done(planned, first)
    ]
    out = console(request.color, stderr=written is None)
    width = out.width if out.is_terminal else None
    summary = text.applied(view, done, would=would, width=width)
    if summary.plain:
        out.print(summary, soft_wrap=True, end="" if to_stdout else "\n")
    created = {change.path for change in outcome.changes if change.before is None} & paths
    undo = " Undo with `dlfix undo`." if written is not None and written.undoable else ""
    if (paths or summary.plain) and not to_stdout:
        line = text.touched(len(paths - created), len(created), would=would)
        out.print(f"{line}.{undo}", soft_wrap=True)
    elif view.session.files and not outcome.changes:
        out.print(text.summary(view, len(view.session.files)), soft_wrap=True)


def _filter(request: Request, manner: Manner) -> int:
    """Read from stdin, write to stdout; what cannot be rewritten goes through as it came."""
    from dlfix.api import rewrite_text
    from dlfix.source.writing import Change

    data = sys.stdin.buffer.read()
    name = Path(os.path.abspath(request.stdin_filename or "stdin.py"))
    try:
        session, outcome, after = rewrite_text(data, name, request.settings)
    except Exception as error:
        if not manner.diff:  # an editor takes what comes for its new text, whatever the status
            _put(data)
        if not isinstance(error, SourceError):
            raise
        print(error, file=sys.stderr)
        return FAILED
    from dlfix.report.view import View

    if manner.diff:
        from dlfix.report import diff, runner

        changes = [Change(name, data, after)] if after != data else []
        _put(runner.quoted(diff.patch(changes, View(session, []))))
    else:
        _put(after)
    session.bugs.extend(outcome.errors)
    if not request.quiet:
        view = View(session, outcome.left, outcome.project)
        _summarise(view, outcome, request, None, to_stdout=not manner.diff)
    found = after != data if manner.diff else bool(outcome.left)
    return _troubles(session) or (FOUND if found and not manner.exit_zero else CLEAN)


def pass_through() -> None:
    """Give a filter's text back as it came."""
    _put(sys.stdin.buffer.read())


def _put(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


# Looking around


def trace(request: Request, output_format: str) -> int:
    """Show what crosses, boundary by boundary."""
    from dlfix.report import tree
    from dlfix.report.view import View

    with _progress(request) as progress:
        session = _session(request, progress)
        session.likely = True
        view = View(session, session.diagnoses())
        named = frozenset(session.files)
        boundaries = [
            root
            for root in tree.boundaries(view)
            if any(node.spot.path in named for node in root.walk())
        ]
    if output_format == "json":
        sys.stdout.write(tree.as_json(boundaries))
    else:
        out = console(request.color)
        width = out.width if out.is_terminal else None
        for number, boundary in enumerate(boundaries):
            out.print(
                *([] if number == 0 else [""]),
                tree.as_text(boundary, width),
                sep="\n",
                soft_wrap=True,
            )
        if not boundaries and not request.quiet:
            out.print("Nothing is sent to a worker process.")
    return _troubles(session)


def rules(output_format: str, color: str) -> int:
    """List all rules."""
    from dlfix.report import rules as listing
    from dlfix.rules.registry import all_rules

    known = sorted(all_rules(), key=lambda rule: rule.code)
    if output_format == "json":
        sys.stdout.write(listing.as_json(known))
    else:
        from dlfix.report.terminal import print_table

        print_table(console(color), listing.as_table(known))
    return CLEAN


def test_rules(package: str) -> int:
    """Run the programs of a package's rules; print those that fail."""
    from dlfix.report.text import plural
    from dlfix.rule_programs import failures, rules_of

    rules = rules_of(package)
    if not rules:
        raise config.ConfigError(
            f"`{package}` defines no rules (entry points in the group `dlfix.rules`)"
        )
    untested = [rule.code for rule in rules if not (rule.valid and rule.invalid)]
    failed = [failure for rule in rules for failure in failures(rule)]
    for failure in failed:
        print(visible(str(failure)))
    for code in untested:
        print(f"{code}: requires at least one valid and one invalid program")
    programs = sum(len(rule.valid) + len(rule.invalid) for rule in rules)
    print(f"{plural(len(rules), 'rule')}, {plural(programs, 'program')}, {len(failed)} failed")
    return FOUND if failed or untested else CLEAN


def explain(topic: str, color: str) -> int:
    """Show a rule's page, or read a traceback from stdin or a file."""
    if topic == "-" or Path(topic).is_file():
        from dlfix.runtime import commands

        return commands.explain_text(_read_text(topic), color=color)
    from dlfix.rules.pages import markdown
    from dlfix.rules.registry import all_rules

    known = {rule.code: rule for rule in all_rules()}
    names = {rule.name: rule for rule in known.values()}
    rule = known.get(topic.upper()) or names.get(topic.lower())
    if rule is None:
        codes = [code for code in known if topic and code.startswith(topic.upper())]
        several = f"; rules of this prefix: {', '.join(codes)}"
        hint = several if codes else nearest(topic, [*known, *names])
        raise config.ConfigError(f"unknown rule or file: `{topic}`{hint}")
    out = console(color)
    if not out.is_terminal:
        sys.stdout.write(markdown(rule))
        return CLEAN
    from rich.markdown import Markdown

    out.print(Markdown(markdown(rule)), width=min(out.width, 92))
    return CLEAN


def show_config(settings: Settings, output_format: str) -> int:
    """Print what is in force, and where each value came from."""
    import json

    rows = {key: getattr(settings, key.replace("-", "_")) for key in config.KEYS}
    origins = {key: settings.origin(key.replace("-", "_")) for key in config.KEYS}
    if output_format == "json":
        told = {key: {"value": value, "from": origins[key]} for key, value in rows.items()}
        print(json.dumps(told, indent=2))
        return CLEAN
    for key, value in rows.items():
        print(f"{key} = {_toml(value)}  # {origins[key]}")
    return CLEAN


def _toml(value: Any) -> str:
    import json

    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {_toml(codes)}" for key, codes in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value)


def _read_text(topic: str) -> str:
    if topic == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return contents(Path(topic)).decode("utf-8", "replace")
