"""Opening that creates a file: code that asks which files there are must not hear of it later."""

import pytest

from tests.fixing.proof.pairs import opened

DATABASE = {
    "init": "self.path = path\nself.file = sqlite3.connect(path)",
    "opener": "return sqlite3.connect(self.path)",
}
ASKED = {
    "the folder": "os.listdir('data')",
    "the path": "os.path.exists(path)",
    "its size": "os.path.getsize(path)",
    "the working directory": "os.listdir('.')",
    "all below it": "[*os.walk('.')]",
}
NOT_ASKED = {
    "another file": "os.path.exists('best.pt')",
    "another folder": "os.listdir('logs')",
    "what the folder is called": "os.path.dirname(path)",
}


def reasons(init="", later="self.path = path", body="", **parts):
    parts = {**DATABASE, **parts}
    parts["init"] += f"\n{init}"
    found = opened(later=f"{later}\n{init}", body=body, **parts)
    return [each for each in found if "is created where it does not exist yet" in each]


def program(asks, path="'data/rows.db'"):
    return f"def main():\n    path = {path}\n    rows = Rows(path)\n    {asks}\n    return DataLoader(rows, num_workers=2)\n"


@pytest.mark.parametrize("asks", ASKED.values(), ids=ASKED)
def test_a_caller_that_asks_for_it_is_a_reason(asks):
    assert reasons(program=program(asks))


@pytest.mark.parametrize("asks", NOT_ASKED.values(), ids=NOT_ASKED)
def test_a_caller_that_asks_for_others_is_none(asks):
    assert not reasons(program=program(asks))


def test_a_caller_that_asks_before_the_object_is_made_is_none():
    asks = "def main(path):\n    print(os.listdir('data'))\n    return DataLoader(Rows('data/rows.db'), num_workers=2)\n"
    assert not reasons(program=asks)


def test_what_reads_only_creates_nothing():
    asks = program("os.listdir('data')")
    init = "self.path = path\nself.file = sqlite3.connect(f'file:{path}?mode=ro', uri=True)"
    opener = "return sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)"
    found = opened(init=init, opener=opener, program=asks)
    assert not [each for each in found if "is created" in each]
    assert not [each for each in opened(program=asks) if "is created" in each]


def test_the_constructor_that_asks_once_it_has_opened_is_a_reason():
    assert reasons(init="self.names = os.listdir(os.path.dirname(path))")


def test_a_method_that_lists_what_the_path_is_made_of_is_a_reason():
    init = "self.folder = path\nself.file = sqlite3.connect(os.path.join(path, 'rows.db'))"
    opener = "return sqlite3.connect(os.path.join(self.folder, 'rows.db'))"
    lists = "def __len__(self):\n    return len(os.listdir(self.folder))\n"
    found = opened(init=init, later="self.folder = path", opener=opener, body=lists)
    assert [each for each in found if "is created" in each]


def test_a_mask_of_permissions_that_is_set_is_a_reason():
    assert reasons(program=program("os.umask(0o77)"))
