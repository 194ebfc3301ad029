"""The language server: findings as you type, fixes as code actions."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from dlfix import __version__, config
from dlfix.editor.places import Places, path_of
from dlfix.editor.readings import Buffers, Cancelled, Reader, Reading
from dlfix.source.discovery import MissingPath
from dlfix.source.text import SourceError

T = TypeVar("T")

PAUSE = 0.3  # seconds without a keystroke before a new reading
PATIENCE = 20.0  # seconds that a request waits for the reading of the newest text
LONG = 0.7  # seconds after which a reading shows how far it has come
FIX_ALL = "source.fixAll.dlfix"
FAULTS = (config.ConfigError, MissingPath, SourceError, OSError)
PYTHON = (".py", ".pyw")
WATCHED = ("**/*.{py,pyw,ipynb}", "**/{pyproject,dlfix}.toml", "**/.gitignore")
NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[lsp.NotebookCellLanguage("python")]
        )
    ]
)


class Server(LanguageServer):
    """Reads what is open, the newest text only, and answers from the last reading."""

    def __init__(self) -> None:
        super().__init__("dlfix", __version__, notebook_document_sync=NOTEBOOKS)
        self.reader = Reader()
        self.reading: Reading | None = None
        self.published: set[str] = set()
        self.said = ""  # the last complaint, said once
        self._next: asyncio.Task[None] | None = None
        self._stop = threading.Event()  # for the reading that is under way
        # One thread: what is read is no matter for two at a time.
        self._thread = ThreadPoolExecutor(1, "dlfix")

    # What is open

    def buffers(self) -> Buffers:
        """Return what is open, as it is in the editor."""
        documents = self.workspace.text_documents
        texts, uris, cells = {}, {}, {}
        for document in documents.values():
            path = path_of(document.uri)
            if path is not None and path.suffix in PYTHON:
                texts[path], uris[path] = document.source, document.uri
        for book in self.workspace.notebook_documents.values():
            path = path_of(book.uri)
            if path is None:
                continue
            own = [documents.get(unquote(cell.document)) for cell in book.cells]
            kinds = [cell.kind for cell in book.cells]
            sources = ["" if one is None else one.source for one in own]
            texts[path], uris[path] = _notebook(kinds, sources), book.uri
            cells[path] = tuple(cell.document for cell in book.cells)
        versions = {document.uri: document.version for document in documents.values()}
        roots = [*self.workspace.folders, self.workspace.root_uri]
        folders = (path_of(uri) for uri in roots if uri)
        return Buffers(texts, versions, uris, cells, tuple(path for path in folders if path))

    # Readings

    def soon(self) -> None:
        """Read what is open once the typing pauses; what is being read is of no use any more."""
        self._stop.set()
        if self._next is not None:
            self._next.cancel()
        self._next = asyncio.get_running_loop().create_task(self._later())

    async def _later(self) -> None:
        await asyncio.sleep(PAUSE)
        stop = self._stop = threading.Event()
        buffers = self.buffers()
        progress = Progress(self, asyncio.get_running_loop(), stop)
        try:
            reading = await self.apart(partial(self.reader.read, buffers, progress.tell))
        except Cancelled:
            return
        except FAULTS as error:
            self._complain(str(error))
            return
        except Exception as error:  # a mistake of dlfix's own must not end the session
            self._complain(f"internal error ({type(error).__name__}: {error}); please report it")
            return
        finally:
            progress.end()
        if not stop.is_set():
            self.said = ""
            self.reading = reading
            self._publish(reading)

    async def apart(self, work: Callable[[], T]) -> T:
        """Work something out while the server goes on answering."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _complain(self, message: str) -> None:
        if message != self.said:
            self.said = message
            self.window_show_message(
                lsp.ShowMessageParams(lsp.MessageType.Error, f"dlfix: {message}")
            )

    def places(self, reading: Reading) -> Places:
        """Return a reading's places as this client counts them."""
        can = getattr(self.client_capabilities.workspace, "workspace_edit", None)
        versioned = bool(getattr(can, "document_changes", False))
        return Places(reading, self.workspace.position_codec, versioned=versioned)

    def _publish(self, reading: Reading) -> None:
        places = self.places(reading)
        found: dict[str, list[lsp.Diagnostic]] = {}
        for path in reading.buffers.texts:
            found.update(places.diagnostics(path))
        for uri in self.published - found.keys():
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        for uri, diagnostics in found.items():
            version = reading.buffers.versions.get(uri)
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri, diagnostics, version)
            )
        self.published = set(found)

    async def newest(self, uri: str) -> tuple[Places, Path, int | None] | None:
        """Return the reading of a file's text as it is now, waiting for it where it is under way."""
        if self._next is not None and not self._next.done():
            await asyncio.wait([self._next], timeout=PATIENCE)
        if self.reading is None:
            return None
        places = self.places(self.reading)
        place = places.place(uri)
        # Places of an older text would damage the new one.
        if place is None or not self.reading.is_of(place[0], self.buffers()):
            return None
        return places, *place

    # Actions

    def actions(self, places: Places, path: Path, cell: int | None, wanted: lsp.Range) -> list[Any]:
        """Return the fixes of the findings that a range touches, and the comments that ignore them."""
        entries = list(places.at(path, cell, wanted))
        found = [places.fix(entry) for entry in entries] + [
            places.ignore(entry) for entry in entries
        ]
        return [action for action in found if action is not None]

    def fix_all(self, places: Places, path: Path) -> lsp.CodeAction | None:
        """Return one action that takes all safe fixes of one file."""
        if self.reading is None or not any(e.safe and e.path == path for e in places.view.entries):
            return None
        stop = self._stop

        def tell(what: str, done: int, total: int) -> None:
            if stop.is_set():
                raise Cancelled

        session = self.reader.alone(self.reading, path, tell)
        try:
            outcome = session.rewrite(unsafe=False)
        except Cancelled:
            return None
        if path not in outcome.after:
            return None
        edits = places.view.edits(path, outcome.before[path], outcome.after[path])
        return lsp.CodeAction(
            title="dlfix: Apply all safe fixes", kind=FIX_ALL, edit=places.edit(edits)
        )


class Progress:
    """Shows how far a long reading has come, and ends one that is of no use any more."""

    def __init__(
        self, server: Server, loop: asyncio.AbstractEventLoop, stop: threading.Event
    ) -> None:
        self._server, self._loop, self._stop = server, loop, stop
        can = getattr(server.client_capabilities, "window", None)
        self._possible = bool(getattr(can, "work_done_progress", False))
        self._began = time.monotonic()
        self._token = f"dlfix-{id(self)}"
        self._shown: asyncio.Task[None] | None = None
        self._said = 0.0

    def tell(self, what: str, done: int, total: int) -> None:
        """Hear from the reading's thread how far it has come."""
        if self._stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if self._possible and now - self._began > LONG and now - self._said > 0.2:
            self._said = now
            self._loop.call_soon_threadsafe(self._show, what, 100 * done // max(total, 1))

    def _show(self, what: str, percentage: int) -> None:
        if self._shown is None:
            self._shown = self._loop.create_task(self._begin())
        elif self._shown.done() and not self._shown.cancelled() and not self._shown.exception():
            report = lsp.WorkDoneProgressReport(message=what, percentage=percentage)
            self._server.work_done_progress.report(self._token, report)

    async def _begin(self) -> None:
        await self._server.work_done_progress.create_async(self._token)
        begin = lsp.WorkDoneProgressBegin(title="dlfix", percentage=0)
        self._server.work_done_progress.begin(self._token, begin)

    def end(self) -> None:
        """Take the display away."""
        if self._shown is None:
            return
        if not self._shown.done():
            self._shown.cancel()
        elif not self._shown.cancelled() and not self._shown.exception():
            self._server.work_done_progress.end(self._token, lsp.WorkDoneProgressEnd())


def _notebook(kinds: list[lsp.NotebookCellKind], sources: list[str]) -> str:
    """Return a notebook's cells as a file would hold them."""
    cells = [
        {"cell_type": "code" if kind == lsp.NotebookCellKind.Code else "markdown", "source": source}
        for kind, source in zip(kinds, sources, strict=True)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def make() -> Server:
    """Return a server that is ready to be started."""
    server = Server()

    def changed(params: Any) -> None:
        server.soon()

    for event in (
        lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE, lsp.TEXT_DOCUMENT_DID_CLOSE,
        lsp.TEXT_DOCUMENT_DID_SAVE, lsp.NOTEBOOK_DOCUMENT_DID_OPEN, lsp.NOTEBOOK_DOCUMENT_DID_CHANGE,
        lsp.NOTEBOOK_DOCUMENT_DID_CLOSE,
    ):  # fmt: skip
        server.feature(event)(changed)

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        can = getattr(server.client_capabilities.workspace, "did_change_watched_files", None)
        if getattr(can, "dynamic_registration", False):
            watchers = [lsp.FileSystemWatcher(pattern) for pattern in WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            watch = lsp.Registration("dlfix-files", "workspace/didChangeWatchedFiles", options)
            server.client_register_capability(lsp.RegistrationParams([watch]))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        if any(_is_listed_otherwise(change) for change in params.changes):
            server.reader.forget_files()
        server.soon()

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, FIX_ALL]),
    )
    async def code_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        found = await server.newest(params.text_document.uri)
        if found is None:
            return []
        places, path, cell = found
        only = params.context.only
        actions: list[lsp.CodeAction] = []
        if not only or _asked(lsp.CodeActionKind.QuickFix, only):
            work = partial(server.actions, places, path, cell, params.range)
            actions += await server.apart(work)
        if only and _asked(FIX_ALL, only):
            everything = await server.apart(partial(server.fix_all, places, path))
            actions += [everything] if everything else []
        return actions

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = await server.newest(params.text_document.uri)
        if found is None:
            return None
        places, path, cell = found
        return await server.apart(partial(places.hover, path, cell, params.position))

    return server


def _asked(kind: str, only: Any) -> bool:
    return any(kind == one or kind.startswith(f"{one}.") for one in only)


def _is_listed_otherwise(change: lsp.FileEvent) -> bool:
    """Return whether a change of a file may change which files there are, or their settings."""
    is_python = change.uri.endswith((*PYTHON, ".ipynb"))
    return not is_python or change.type != lsp.FileChangeType.Changed


def start() -> None:
    """Serve on stdin and stdout."""
    make().start_io()
