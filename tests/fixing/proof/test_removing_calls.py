"""Who writes or removes a file after an object opened it: only what may be the same file counts."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened

KEEPER = """
class Keeper:
    def __init__(self, rows, folder, note="note"):
        self.rows = rows
        self.folder = folder
        {more}

    def keep(self, name="kept.json"):
        with open({path}, "w") as out:
            out.write(str(len(self.rows)))

def main(path, folder):
    rows = Rows(path)
    keeper = Keeper(rows, {given})
    keeper.keep({called})
    return DataLoader(rows, num_workers=2)
"""
ELSEWHERE = {
    "a folder that was passed": {"path": "os.path.join(self.folder, 'a.json')"},
    "a name that was passed": {"path": "name", "called": "'b.json'"},
    "a name by default": {"path": "name"},
    "a part of both": {"path": "os.path.join(self.folder, name)", "called": "name='b.json'"},
}
MAYBE = {
    "the same path": {"path": "self.folder", "given": "path"},
    "the path of this call": {"path": "name", "called": "path"},
    "a path that nobody passed": {"path": "PATH"},
    "an attribute set elsewhere": {"path": "self.rows.path"},
    "what is asked of the object": {"path": "self.where", "more": "self.where = rows.path"},
    "more arguments": {"path": "self.folder", "given": "*folder"},
}


def reasons(path, given="folder", called="", more="pass"):
    program = KEEPER.format(path=path, given=given, called=called, more=more)
    return [
        r for r in opened(program=textwrap.dedent(program)) if "removed, renamed or modified" in r
    ]


@pytest.mark.parametrize("parts", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_method_that_writes_elsewhere_is_no_reason(parts):
    assert not reasons(**parts)


@pytest.mark.parametrize("parts", MAYBE.values(), ids=MAYBE)
def test_a_method_that_may_write_the_file_is(parts):
    assert reasons(**parts)
