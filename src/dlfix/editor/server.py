"""The language server: findings as you type, fixes as code actions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from dlfix import __version__, config
from dlfix.report.view import Entry, Spot, TextEdit, View
from dlfix.session import Session
from dlfix.source.discovery import MissingPath
from dlfix.source.lines import bare

PAUSE = 0.4  # seconds without a keystroke before a new reading
SEVERITIES = {"error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning}
FIX_ALL = "source.fixAll.dlfix"
FAULTS = (config.ConfigError, MissingPath)


class Server(LanguageServer):
    """Holds the last reading of the workspace."""

    def __init__(self) -> None:
        super().__init__("dlfix", __version__)
        self.view: View | None = None
        self.told: set[Path] = set()
        self.waiting: asyncio.Task[None] | None = None

    def open_texts(self) -> dict[Path, str]:
        """Return the texts of the Python files that are open, as they are in the editor."""
        documents = self.workspace.text_documents.values()
        return {path_of(doc.uri): doc.source for doc in documents if doc.uri.endswith(".py")}

    def roots(self) -> list[Path]:
        """Return the folders of the workspace, or those of the open files."""
        folders = [path_of(uri) for uri in self.workspace.folders]
        return folders or sorted({path.parent for path in self.open_texts()})

    def soon(self) -> None:
        """Read anew once the typing pauses."""
        if self.waiting is not None:
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().create_task(self._later())

    async def _later(self) -> None:
        await asyncio.sleep(PAUSE)
        texts, roots = self.open_texts(), self.roots()
        try:
            view = await asyncio.to_thread(read, roots, texts)
        except FAULTS as error:
            self.window_show_message(
                lsp.ShowMessageParams(lsp.MessageType.Error, f"dlfix: {error}")
            )
            return
        self.view = view
        self._publish(view)

    def _publish(self, view: View) -> None:
        now = {entry.path for entry in view.entries}
        for path in now | self.told:
            found = [diagnostic(entry) for entry in view.entries if entry.path == path]
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(path.as_uri(), found)
            )
        self.told = now


def path_of(uri: str) -> Path:
    """Return the path a file URI stands for."""
    return Path(url2pathname(unquote(urlparse(uri).path)))


def read(roots: list[Path], texts: dict[Path, str]) -> View:
    """Read a workspace, with what is open in the editor instead of what is on disk."""
    settings = config.load(roots[0] if roots else Path.cwd())
    session = Session.open(roots, settings)
    session.files = tuple(dict.fromkeys([*session.files, *texts]))
    session.texts = texts
    return View(
        session, [one for one in session.diagnoses() if one.finding.place.path.suffix == ".py"]
    )


def diagnostic(entry: Entry) -> lsp.Diagnostic:
    """Return a finding as the editor wants it."""
    return lsp.Diagnostic(
        range=range_of(entry.view, entry.spot),
        message=f"{entry.message}\n{entry.error}" if entry.error else entry.message,
        severity=SEVERITIES[entry.severity],
        code=entry.code,
        source="dlfix",
        related_information=[
            lsp.DiagnosticRelatedInformation(
                lsp.Location(spot.path.as_uri(), range_of(entry.view, spot)),
                f"{spot.label} ({spot.note})" if spot.note else spot.label,
            )
            for spot in entry.trace
        ],
    )


def range_of(view: View, spot: Spot | TextEdit) -> lsp.Range:
    """Return a place as LSP counts: rows from 0, columns in UTF-16 units."""
    return lsp.Range(
        _position(view, spot.path, spot.row, spot.column),
        _position(view, spot.path, spot.end_row, spot.end_column),
    )


def _position(view: View, path: Path, row: int, column: int) -> lsp.Position:
    lines = bare(view.text(path))
    line = lines[row - 1] if row <= len(lines) else ""
    return lsp.Position(row - 1, len(line[: column - 1].encode("utf-16-le")) // 2)


def actions(view: View, path: Path, wanted: lsp.Range) -> list[lsp.CodeAction]:
    """Return the fixes of the findings that a range touches."""
    found = []
    for entry in view.entries:
        place = range_of(view, entry.spot)
        if entry.path != path or not entry.fix or not _meet(place, wanted):
            continue
        why = f" (unsafe: {entry.fix.why_unsafe})" if not entry.safe else ""
        found.append(
            lsp.CodeAction(
                title=f"{entry.code}: {entry.fix.message}{why}",
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(entry)],
                is_preferred=entry.safe,
                edit=lsp.WorkspaceEdit(changes=_changes(view, entry.edits)),
            )
        )
    return found


def fix_all(view: View, path: Path) -> lsp.CodeAction | None:
    """Return one action that takes all safe fixes, wherever they lead from this workspace."""
    if not any(entry.safe and entry.path == path for entry in view.entries):
        return None
    outcome = view.session.rewrite(unsafe=False)
    edits = [
        edit
        for changed, after in outcome.after.items()
        for edit in view.edits(changed, outcome.before[changed], after)
    ]
    return lsp.CodeAction(
        title="dlfix: apply all safe fixes",
        kind=FIX_ALL,
        edit=lsp.WorkspaceEdit(changes=_changes(view, edits)),
    )


def _meet(one: lsp.Range, other: lsp.Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: lsp.Position) -> tuple[int, int]:
    return position.line, position.character


def _changes(view: View, edits: Iterable[TextEdit]) -> dict[str, list[lsp.TextEdit]]:
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in edits:
        made = lsp.TextEdit(range_of(view, edit), edit.content)
        changes.setdefault(edit.path.as_uri(), []).append(made)
    return changes


def make() -> Server:
    """Return a server that is ready to be started."""
    server = Server()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.soon()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.soon()

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.soon()

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, FIX_ALL]),
    )
    def code_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        path = path_of(params.text_document.uri)
        view = server.view
        if view is None or view.text(path) != server.open_texts().get(path):
            return []  # places of an older text would tear the new one
        only = params.context.only
        found = (
            []
            if only and lsp.CodeActionKind.QuickFix not in only
            else actions(view, path, params.range)
        )
        if only and any(FIX_ALL.startswith(kind) for kind in only):
            everything = fix_all(view, path)
            found += [everything] if everything else []
        return found

    return server


def start() -> None:
    """Serve on stdin and stdout."""
    make().start_io()
