import json
import subprocess
import sys
import threading

import pytest

from tests.cli.test_check import write
from tests.toy import toy  # noqa: F401

pytest.importorskip("pygls")

from lsprotocol import types as lsp

from dlfix.editor import server

EVERYWHERE = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))


@pytest.fixture
def look(toy):  # noqa: F811
    """Read a workspace of one file, as the editor holds it."""

    def read(text, on_disk="x = 1\n"):
        path = write(toy, "a.py", on_disk)
        return server.read([toy], {path: text}), path

    return read


def test_what_is_in_the_editor_counts_not_what_is_on_disk(look):
    view, _ = look("load = 1\nx = bad\n")
    (entry,) = view.entries
    assert (entry.spot.row, entry.spot.column) == (2, 5)


def test_a_diagnostic_has_place_code_and_path(look):
    view, path = look("load = 1\nx = bad\n")
    told = server.diagnostic(view.entries[0])
    assert told.range == lsp.Range(lsp.Position(1, 4), lsp.Position(1, 7))
    assert (told.code, told.source, told.severity) == (
        "DLF101",
        "dlfix",
        lsp.DiagnosticSeverity.Error,
    )
    assert [one.message for one in told.related_information] == [
        "DataLoader(...)",
        "bad (set here)",
    ]
    assert told.related_information[0].location.uri == path.as_uri()


def test_columns_are_counted_in_utf_16(look):
    view, _ = look("s = '😀', bad\n")
    assert server.diagnostic(view.entries[0]).range.start == lsp.Position(0, 10)


def carried_out(text, edits):
    lines = text.splitlines(keepends=True)
    for edit in reversed(edits):
        start, end = edit.range.start, edit.range.end
        assert start.character == end.character == 0
        lines[start.line : end.line] = [edit.new_text]
    return "".join(lines)


def test_a_fix_is_a_code_action_that_gives_the_mended_text(look):
    text = "load = 1\nx = bad\ny = worse\n"
    view, path = look(text)
    safe, unsafe = server.actions(view, path, EVERYWHERE)
    assert safe.title == "DLF101: Rename to `good`"
    assert safe.is_preferred
    assert carried_out(text, safe.edit.changes[path.as_uri()]) == text.replace("bad", "good")
    assert unsafe.title.endswith("(unsafe: the name may matter)")
    assert not unsafe.is_preferred


def test_no_action_is_offered_elsewhere(look):
    view, path = look("load = 1\nx = bad\n")
    assert server.actions(view, path, lsp.Range(lsp.Position(0, 0), lsp.Position(0, 3))) == []
    assert server.actions(view, path.with_name("b.py"), EVERYWHERE) == []


def test_a_refused_finding_has_no_action(look):
    view, path = look("x = stuck\n")
    assert server.actions(view, path, EVERYWHERE) == []


def test_fix_all_takes_the_safe_fixes_only(look):
    text = "x = bad\ny = worse\nz = bad\n"
    view, path = look(text)
    action = server.fix_all(view, path)
    assert carried_out(text, action.edit.changes[path.as_uri()]) == text.replace("bad", "good")


def test_fix_all_is_not_offered_where_nothing_is_safe(look):
    view, path = look("y = worse\n")
    assert server.fix_all(view, path) is None


def test_a_file_uri_with_escapes_is_a_path(tmp_path):
    path = tmp_path / "my code é.py"
    assert server.path_of(path.as_uri()) == path


def test_a_real_editor_gets_diagnostics_and_a_fix(tmp_path):
    """Speak to `dlfix lsp` over its pipes, as an editor does."""
    path = write(
        tmp_path, "a.py",
        "from torch.utils.data import DataLoader\n\n\n"
        "def make(ds):\n    return DataLoader(ds, num_workers=0, prefetch_factor=2)\n",
    )  # fmt: skip
    with Editor(tmp_path) as editor:
        editor.ask("initialize", {
            "processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {},
            "workspaceFolders": [{"uri": tmp_path.as_uri(), "name": "x"}],
        })  # fmt: skip
        editor.tell("initialized", {})
        editor.tell("textDocument/didOpen", {"textDocument": {
            "uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text(),
        }})  # fmt: skip
        told = editor.wait_for("textDocument/publishDiagnostics")
        (found,) = told["params"]["diagnostics"]
        assert found["code"] == "DLF401"
        answer = editor.ask("textDocument/codeAction", {
            "textDocument": {"uri": path.as_uri()}, "range": found["range"],
            "context": {"diagnostics": [found]},
        })  # fmt: skip
        (action,) = answer["result"]
        (edit,) = action["edit"]["changes"][path.as_uri()]
        assert edit["newText"] == "    return DataLoader(ds, num_workers=0)\n"
        editor.ask("shutdown", None)
        editor.tell("exit", None)
        assert editor.process.wait(20) == 0


class Editor:
    """The editor's end of the pipes."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dlfix", "lsp"], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.number = 0
        self.timer = threading.Timer(60, self.process.kill)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.process.kill()
        self.process.wait()

    def tell(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.tell(method, params, id=self.number)
        return self.next(lambda message: message.get("id") == self.number)

    def wait_for(self, method):
        return self.next(lambda message: message.get("method") == method)

    def next(self, wanted):
        while True:
            length = 0
            while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length"):
                    length = int(line.split(b":")[1])
            assert length, "the server is gone"
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message
