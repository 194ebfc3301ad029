import pytest

from tests.cli.test_check import write
from tests.toy import toy  # noqa: F401

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from dlfix.editor import server
from dlfix.editor.places import Places, path_of
from dlfix.editor.readings import Buffers, Cancelled, Reader

EVERYWHERE = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))


@pytest.fixture
def look(toy):  # noqa: F811
    """Read one open file, as the editor holds it."""

    def read(text, on_disk="x = 1\n", versioned=False):
        path = write(toy, "a.py", on_disk)
        buffers = Buffers({path: text}, {path.as_uri(): 7}, {path: path.as_uri()})
        return Places(Reader().read(buffers), PositionCodec(), versioned=versioned), path

    return read


def fixes(places, path, wanted=EVERYWHERE):
    return [action for one in places.at(path, None, wanted) if (action := places.fix(one))]


def test_what_is_in_the_editor_counts_not_what_is_on_disk(look):
    places, _ = look("load = 1\nx = bad\n")
    (entry,) = places.view.entries
    assert (entry.spot.row, entry.spot.column) == (2, 5)


def test_a_diagnostic_has_place_code_and_path(look):
    places, path = look("load = 1\nx = bad\n")
    told = places.diagnostic(places.view.entries[0])
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
    places, _ = look("s = '😀', bad\n")
    assert places.diagnostic(places.view.entries[0]).range.start == lsp.Position(0, 10)


def carried_out(text, edits):
    lines = text.splitlines(keepends=True)
    for edit in reversed(edits):
        start, end = edit.range.start, edit.range.end
        assert start.character == end.character == 0
        lines[start.line : end.line] = [edit.new_text]
    return "".join(lines)


def test_a_fix_is_a_code_action_that_gives_the_fixed_text(look):
    text = "load = 1\nx = bad\ny = worse\n"
    places, path = look(text)
    safe, unsafe = fixes(places, path)
    assert safe.title == "DLF101: Rename to `good`"
    assert safe.is_preferred
    assert carried_out(text, safe.edit.changes[path.as_uri()]) == text.replace("bad", "good")
    assert unsafe.title.endswith("(unsafe: the name may matter)")
    assert not unsafe.is_preferred


def test_an_edit_names_the_version_it_was_made_for(look):
    places, path = look("x = bad\n", versioned=True)
    (change,) = fixes(places, path)[0].edit.document_changes
    assert (change.text_document.uri, change.text_document.version) == (path.as_uri(), 7)


def test_no_action_is_offered_elsewhere(look):
    places, path = look("load = 1\nx = bad\n")
    assert fixes(places, path, lsp.Range(lsp.Position(0, 0), lsp.Position(0, 3))) == []
    assert fixes(places, path.with_name("b.py")) == []


def test_a_refused_finding_has_no_fix_and_says_why(look):
    places, path = look("x = stuck\n")
    assert fixes(places, path) == []
    assert "No fix: " in places.diagnostic(places.view.entries[0]).message


def test_a_finding_can_be_ignored_with_a_comment(look):
    text = "x = stuck\n"
    places, path = look(text)
    action = places.ignore(places.view.entries[0])
    assert action.title == "DLF301: Ignore on this line"
    assert (
        carried_out(text, action.edit.changes[path.as_uri()])
        == "x = stuck  # dlfix: ignore[DLF301]\n"
    )


def test_a_cancelled_reading_ends(toy):  # noqa: F811
    def tell(what, done, total):
        raise Cancelled

    path = write(toy, "a.py", "x = bad\n")
    with pytest.raises(Cancelled):
        Reader().read(Buffers({path: "x = bad\n"}), tell)


def test_a_second_reading_parses_only_what_changed(tmp_path):
    loader = "from torch.utils.data import DataLoader\nfrom b import collate\n"
    a = write(tmp_path, "a.py", loader)
    b = write(tmp_path, "b.py", "def collate(batch):\n    return batch\n")
    write(tmp_path, "pyproject.toml", "")
    reader = Reader()
    text = loader + "DataLoader([1], num_workers=2, collate_fn=collate)\n"
    first = reader.read(Buffers({a: loader})).view.session.project
    parsed = first.module(b)
    second = reader.read(Buffers({a: text})).view.session.project
    assert second.module(b) is parsed
    assert second.module(a).text == text


def test_a_file_that_changed_on_disk_is_read_again(tmp_path):
    a = write(tmp_path, "a.py", "from torch.utils.data import DataLoader\nimport b\n")
    b = write(tmp_path, "b.py", "x = 1\n")
    write(tmp_path, "pyproject.toml", "")
    reader = Reader()
    reader.read(Buffers({a: a.read_text()}))
    b.write_text("long_enough_to_be_another = 2\n")
    again = reader.read(Buffers({a: a.read_text() + "\n"})).view.session.project
    assert again.module(b).text == "long_enough_to_be_another = 2\n"


def test_only_the_address_of_a_file_is_a_path(tmp_path):
    path = tmp_path / "my code é.py"
    assert path_of(path.as_uri()) == path
    assert path_of("untitled:Untitled-1") is None
    assert path_of("file:///a%00b.py") is None


def test_the_actions_of_a_kind_are_asked_for_by_the_kind_or_one_above():
    assert server._asked(server.FIX_ALL, ["source.fixAll"])
    assert server._asked(server.FIX_ALL, ["source"])
    assert not server._asked(server.FIX_ALL, ["source.fix"])
