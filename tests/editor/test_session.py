"""A real client speaks to `dlfix lsp` over its pipes."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict

import pytest

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from dlfix.editor.server import FIX_ALL

WAIT = 120
LOADER = """from torch.utils.data import DataLoader


def make(rows):
    return DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[0])
"""
EVERYWHERE = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
CAPABILITIES = lsp.ClientCapabilities(
    workspace=lsp.WorkspaceClientCapabilities(
        workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
    ),
    window=lsp.WindowClientCapabilities(work_done_progress=True),
)


class Editor:
    """The editor's end."""

    def __init__(self, folder):
        self.folder = folder
        self.client = LanguageClient("editor", "1")
        self.diagnostics = {}
        self.arrived = defaultdict(asyncio.Event)
        self.progress = []

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params):
            self.diagnostics[params.uri] = params
            self.arrived[params.uri].set()

        @self.client.feature(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def create(params):
            return None

        @self.client.feature(lsp.PROGRESS)
        def progress(params):
            self.progress.append(params.value)

        @self.client.feature(lsp.WINDOW_SHOW_MESSAGE)
        def said(params):
            pass

        @self.client.feature(lsp.WINDOW_LOG_MESSAGE)
        def logged(params):
            pass

    async def __aenter__(self):
        await self.client.start_io(sys.executable, "-m", "dlfix", "lsp", cwd=self.folder)
        folder = lsp.WorkspaceFolder(self.folder.as_uri(), "work")
        await self.client.initialize_async(
            lsp.InitializeParams(CAPABILITIES, workspace_folders=[folder])
        )
        self.client.initialized(lsp.InitializedParams())
        return self

    async def __aexit__(self, *_):
        await asyncio.wait_for(self.client.shutdown_async(None), WAIT)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), WAIT)

    def open(self, name, text, on_disk=None):
        path = self.folder / name
        if on_disk is not None:
            path.write_text(on_disk)
        item = lsp.TextDocumentItem(path.as_uri(), "python", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return path.as_uri()

    def change(self, uri, version, text):
        self.arrived[uri].clear()
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))

    async def found(self, uri):
        await asyncio.wait_for(self.arrived[uri].wait(), WAIT)
        self.arrived[uri].clear()
        return self.diagnostics[uri]

    async def actions(self, uri, kinds=None):
        context = lsp.CodeActionContext([], only=kinds)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), EVERYWHERE, context)
        answer = self.client.text_document_code_action_async(params)
        return await asyncio.wait_for(answer, WAIT) or []

    async def hover(self, uri, line, column):
        document, position = lsp.TextDocumentIdentifier(uri), lsp.Position(line, column)
        answer = self.client.text_document_hover_async(lsp.HoverParams(document, position))
        return await asyncio.wait_for(answer, WAIT)


def session(work):
    """Run a session with a server in a new folder."""

    def test(tmp_path):
        async def run():
            async with Editor(tmp_path) as editor:
                await work(editor)

        asyncio.run(run())

    test.__name__ = work.__name__
    return test


def carried_out(text, edits):
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda one: one.range.start.line, reverse=True):
        assert edit.range.start.character == edit.range.end.character == 0
        lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
    return "".join(lines)


@session
async def test_a_lambda_in_an_unsaved_buffer_is_found_and_fixed(editor):
    uri = editor.open("a.py", LOADER, on_disk="")
    params = await editor.found(uri)
    (found,) = params.diagnostics
    assert (found.code, params.version) == ("DLF101", 1)
    assert found.related_information[0].location.uri == uri
    fix, ignore = await editor.actions(uri)
    (change,) = fix.edit.document_changes
    assert change.text_document.version == 1
    fixed = carried_out(LOADER, change.edits)
    assert "collate_fn=_collate_fn)" in fixed
    assert "def _collate_fn(batch):\n    return batch[0]\n" in fixed
    assert ignore.title == "DLF101: Ignore on this line"
    editor.change(uri, 2, fixed)
    assert not (await editor.found(uri)).diagnostics
    assert not (editor.folder / "a.py").read_text()


@session
async def test_a_file_that_was_never_saved_is_read(editor):
    uri = editor.open("new.py", LOADER)
    assert [one.code for one in (await editor.found(uri)).diagnostics] == ["DLF101"]


@session
async def test_the_newest_text_wins(editor):
    uri = editor.open("a.py", "", on_disk="")
    for version in range(2, 9):
        editor.change(uri, version, LOADER.replace("[0]", f"[{version}]"))
    params = await editor.found(uri)
    while params.version != 8:
        params = await editor.found(uri)
    assert len(params.diagnostics) == 1


@session
async def test_fix_all_edits_the_open_file_only(editor):
    other = editor.folder / "b.py"
    other.write_text(LOADER)
    uri = editor.open(
        "a.py", LOADER + LOADER.partition("\n")[2].replace("make", "more"), on_disk=""
    )
    assert len((await editor.found(uri)).diagnostics) == 2
    (action,) = await editor.actions(uri, [FIX_ALL])
    assert [change.text_document.uri for change in action.edit.document_changes] == [uri]
    assert editor.diagnostics.keys() == {uri}
    assert not await editor.actions(other.as_uri(), [FIX_ALL])


@session
async def test_the_tree_of_what_is_sent_is_shown_at_a_loader(editor):
    uri = editor.open("a.py", LOADER, on_disk="")
    hover = await editor.hover(uri, 4, 13)
    assert "DataLoader(...)" in hover.contents.value
    assert "collate_fn" in hover.contents.value
    assert await editor.hover(uri, 1, 0) is None


@session
async def test_paths_are_shown_from_the_folder_of_the_workspace(editor):
    (editor.folder / "data").mkdir()
    text = LOADER.replace("batch[0])", "batch[0])\n\n\nmake([])")
    uri = editor.open("data/a.py", text, on_disk="")
    hover = await editor.hover(uri, 4, 13)
    assert str(editor.folder) not in hover.contents.value
    assert "data/a.py:5" in hover.contents.value


@session
async def test_what_a_loader_sends_from_a_file_that_is_not_open_is_shown_at_the_loader(editor):
    rows = "class Rows:\n    def __init__(self):\n        self.f = lambda x: x\n"
    (editor.folder / "data.py").write_text(rows)
    loader = LOADER.replace("rows, num_workers=2, collate_fn=lambda batch: batch[0]", "Rows()")
    loader = loader.replace("Rows()", "Rows(), num_workers=2")
    uri = editor.open("a.py", f"from data import Rows\n{loader}", on_disk="")
    (shown,) = (await editor.found(uri)).diagnostics
    assert shown.range.start.line == 5
    assert "(data.py:3)" in shown.message
    (ignore,) = await editor.actions(uri)
    ((edit,),) = [change.edits for change in ignore.edit.document_changes]
    assert "# dlfix: ignore[DLF101]" in edit.new_text
    own = editor.open("data.py", rows)
    await editor.found(own)
    assert [one.range.start.line for one in editor.diagnostics[own].diagnostics] == [2]
    assert not editor.diagnostics[uri].diagnostics


@session
async def test_a_closed_file_has_no_diagnostics(editor):
    uri = editor.open("a.py", LOADER, on_disk=LOADER)
    await editor.found(uri)
    document = lsp.TextDocumentIdentifier(uri)
    editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
    assert not (await editor.found(uri)).diagnostics


@session
async def test_a_lambda_in_a_cell_is_found_in_its_cell(editor):
    uri = (editor.folder / "book.ipynb").as_uri()
    sources = LOADER.split("\n\n\n")
    cells = [f"vscode-notebook-cell:/book.ipynb#{number}" for number in range(2)]
    kind = lsp.NotebookCellKind.Code
    editor.client.notebook_document_did_open(
        lsp.DidOpenNotebookDocumentParams(
            lsp.NotebookDocument(
                uri, "jupyter-notebook", 1, [lsp.NotebookCell(kind, cell) for cell in cells]
            ),
            [
                lsp.TextDocumentItem(cell, "python", 1, text)
                for cell, text in zip(cells, sources, strict=True)
            ],
        )
    )
    (found,) = (await editor.found(cells[1])).diagnostics
    assert (found.code, found.range.start.line) == ("DLF101", 1)
    assert not editor.diagnostics[cells[0]].diagnostics
    (ignore,) = await editor.actions(cells[1])
    (change,) = ignore.edit.document_changes
    assert change.text_document.uri == cells[1]
    assert "# dlfix: ignore[DLF101]" in change.edits[0].new_text


@session
async def test_a_client_that_lies_gets_no_edits_and_ends_nothing(editor):
    uri = editor.open("a.py", LOADER, on_disk="")
    nowhere = (editor.folder / "nowhere.py").as_uri()
    editor.change(nowhere, 3, "x = 1")
    backwards = lsp.Range(lsp.Position(70, 9), lsp.Position(3, 99999))
    document = lsp.VersionedTextDocumentIdentifier(2, nowhere)
    partial = lsp.TextDocumentContentChangePartial(backwards, "x")
    editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [partial]))
    for strange in ("untitled:Untitled-1", "file:///a%00b.py", "git:/a.py?x", "::", nowhere):
        assert not await editor.actions(strange)
        assert await editor.hover(strange, 99999, 99999) is None
    assert await editor.hover(uri, 99999, 99999) is None
    with pytest.raises(JsonRpcException):
        await editor.client.protocol.send_request_async("dlfix/nothing", {})
    assert len((await editor.found(uri)).diagnostics) == 1
