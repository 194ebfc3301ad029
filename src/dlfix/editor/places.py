"""Findings, fixes and places as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris
from pygls.workspace import PositionCodec

from dlfix.editor.readings import Buffers, Reading
from dlfix.report import tree
from dlfix.report.view import Entry, Spot, TextEdit, View
from dlfix.source.lines import bare

SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "likely": lsp.DiagnosticSeverity.Information,
}
MOST_LINES = 60  # of a tree that a pointer rests on


def path_of(uri: str) -> Path | None:
    """Return the path a file's address stands for; None for another kind of address."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path and "\0" not in path else None


class Places:
    """A reading's places, counted and addressed as one client does."""

    def __init__(self, reading: Reading, codec: PositionCodec, *, versioned: bool) -> None:
        self.view: View = reading.view
        self.buffers: Buffers = reading.buffers
        self._codec = codec
        self._versioned = versioned
        self._lines: dict[tuple[Path, int | None], list[str]] = {}

    def uri(self, path: Path, cell: int | None = None) -> str:
        """Return the address of a file, or of a cell of a notebook that is open."""
        cells = self.buffers.cells.get(path, ())
        if cell is not None and cell <= len(cells):
            return cells[cell - 1]
        return self.buffers.uris.get(path) or uris.from_fs_path(str(path)) or path.as_uri()

    def place(self, uri: str) -> tuple[Path, int | None] | None:
        """Return the file, and the cell, that an address stands for."""
        for path, cells in self.buffers.cells.items():
            if uri in cells:
                return path, cells.index(uri) + 1
        file = path_of(uri)
        return None if file is None else (file, None)

    def range(self, spot: Spot | TextEdit) -> lsp.Range:
        """Return where something is."""
        lines = self._lines_of(spot.path, spot.cell)
        whole = lsp.Range(
            lsp.Position(spot.row - 1, spot.column - 1),
            lsp.Position(spot.end_row - 1, spot.end_column - 1),
        )
        return self._codec.range_to_client_units(lines, whole)

    def _lines_of(self, path: Path, cell: int | None) -> list[str]:
        if (path, cell) not in self._lines:
            book = self.view.session.notebooks.get(path)
            text = self.view.text(path)
            if book is not None and cell is not None:
                text = next((one.text for one in book.cells if one.number == cell), "")
            self._lines[path, cell] = bare(text)
        return self._lines[path, cell]

    # Diagnostics

    def diagnostics(self, path: Path) -> dict[str, list[lsp.Diagnostic]]:
        """Return what is found in a file, by address: that of the file, or those of its cells."""
        found: dict[str, list[lsp.Diagnostic]] = {
            uri: [] for uri in self.buffers.cells.get(path, (self.uri(path),))
        }
        for entry in self.view.entries:
            spot = self.spot(entry)
            if spot.path == path:
                found.setdefault(self.uri(path, spot.cell), []).append(self.diagnostic(entry))
        return found

    def spot(self, entry: Entry) -> Spot:
        """Return where a finding is shown: at its object, or, if that file is not open, at its boundary."""
        is_open = entry.path in self.buffers.texts or not entry.trace
        return entry.spot if is_open else entry.trace[0]

    def diagnostic(self, entry: Entry) -> lsp.Diagnostic:
        """Return one finding."""
        spot = self.spot(entry)
        message = entry.message if spot is entry.spot else f"{entry.message} ({entry.spot.shown})"
        details = [message, entry.error, f"No fix: {entry.refused}" if entry.refused else ""]
        return lsp.Diagnostic(
            range=self.range(spot),
            message="\n".join(filter(None, details)),
            severity=SEVERITIES[entry.severity],
            code=entry.code,
            code_description=lsp.CodeDescription(entry.url) if entry.url else None,
            source="dlfix",
            related_information=[self._related(spot) for spot in entry.trace],
        )

    def _related(self, spot: Spot) -> lsp.DiagnosticRelatedInformation:
        label = f"{spot.label} ({spot.note})" if spot.note else spot.label
        location = lsp.Location(self.uri(spot.path, spot.cell), self.range(spot))
        return lsp.DiagnosticRelatedInformation(location, label)

    # Actions

    def at(self, path: Path, cell: int | None, wanted: lsp.Range) -> Iterator[Entry]:
        """Yield the findings that a range of a file touches."""
        for entry in self.view.entries:
            spot = self.spot(entry)
            if spot.path == path and spot.cell == cell and _meet(self.range(spot), wanted):
                yield entry

    def fix(self, entry: Entry) -> lsp.CodeAction | None:
        """Return the action that takes a finding's fix."""
        if entry.fix is None or not entry.edits:
            return None
        why = f" (unsafe: {entry.fix.why_unsafe})" if not entry.safe else ""
        return lsp.CodeAction(
            title=f"{entry.code}: {entry.fix.message}{why}",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[self.diagnostic(entry)],
            is_preferred=entry.safe,
            edit=self.edit(entry.edits),
        )

    def ignore(self, entry: Entry) -> lsp.CodeAction | None:
        """Return the action that suppresses a finding with a comment; None where none can stand."""
        suppressed = self.view.session.suppressing(entry.finding)
        if suppressed is None:
            return None
        path, changed = suppressed
        edits = self.view.edits(path, self.view.text(path), changed)
        return lsp.CodeAction(
            title=f"{entry.code}: Ignore on this line",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[self.diagnostic(entry)],
            edit=self.edit(edits),
        )

    def edit(self, edits: Iterable[TextEdit]) -> lsp.WorkspaceEdit:
        """Return edits for the versions that were read, where the client knows versions."""
        by_uri: dict[str, list[lsp.TextEdit]] = {}
        for edit in edits:
            made = lsp.TextEdit(self.range(edit), edit.content)
            by_uri.setdefault(self.uri(edit.path, edit.cell), []).append(made)
        if not self._versioned:
            return lsp.WorkspaceEdit(changes=by_uri)
        return lsp.WorkspaceEdit(
            document_changes=[
                lsp.TextDocumentEdit(
                    lsp.OptionalVersionedTextDocumentIdentifier(
                        uri=uri, version=self.buffers.versions.get(uri)
                    ),
                    list(made),
                )
                for uri, made in by_uri.items()
            ]
        )

    # Hover

    @cached_property
    def _trees(self) -> list[tree.Node]:
        return tree.boundaries(self.view)

    def hover(self, path: Path, cell: int | None, position: lsp.Position) -> lsp.Hover | None:
        """Return the tree of what is sent, where the pointer rests on a line of one."""
        here = lsp.Range(position, position)
        best: tuple[tuple[int, int], tree.Node, tree.Node] | None = None
        for root in self._trees:
            for node in root.walk():
                spot = node.spot
                if spot.path != path or spot.cell != cell or not _meet(self.range(spot), here):
                    continue
                size = (spot.end_row - spot.row, spot.end_column - spot.column)
                if best is None or size < best[0]:
                    best = size, node, root
        if best is None:
            return None
        lines = tree.as_text(best[2]).plain.rstrip("\n").split("\n")
        if len(lines) > MOST_LINES:
            lines = [*lines[:MOST_LINES], f"... {len(lines) - MOST_LINES} more lines"]
        text = "Sent to the worker processes:\n\n```text\n" + "\n".join(lines) + "\n```"
        return lsp.Hover(
            lsp.MarkupContent(lsp.MarkupKind.Markdown, text), range=self.range(best[1].spot)
        )


def _meet(one: lsp.Range, other: lsp.Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: lsp.Position) -> tuple[int, int]:
    return position.line, position.character
