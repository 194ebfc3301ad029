"""Handlers of logs that begin a new file at any time: a late opening would read that one."""

import pytest

from tests.fixing.proof.pairs import opened

HEAD = "import fileinput\nimport logging\nimport logging.handlers\n"
MADE = {
    "before the object": "def main():\n    logging.handlers.RotatingFileHandler('run.log')\n    {made}\n",
    "at import": "handler = logging.handlers.TimedRotatingFileHandler('run.log')\ndef main():\n    {made}\n",
    "by a helper": "def set_up(path):\n    logging.handlers.RotatingFileHandler(path)\ndef main():\n    set_up('run.log')\n    {made}\n",
    "by a class of the program": "class Log(logging.handlers.RotatingFileHandler):\n    pass\ndef main():\n    Log('run.log')\n    {made}\n",
    "by a dict": (
        "CONFIG = {{'class': 'logging.handlers.RotatingFileHandler', 'filename': 'run.log'}}\n"
        "def main():\n    {made}\n"
    ),
    "by a file that is written in place": (
        "def main():\n    rows = Rows('run.log')\n    [*fileinput.input('run.log', inplace=True)]\n"
        "    return DataLoader(rows, num_workers=2)\n"
    ),
}
OTHERS = {
    "another name": "def main():\n    logging.handlers.RotatingFileHandler('other.log')\n    {made}\n",
    "a handler that only adds": "def main():\n    logging.FileHandler('run.log')\n    {made}\n",
    "a dict for another class": "CONFIG = {{'class': 'logging.FileHandler', 'filename': 'run.log'}}\ndef main():\n    {made}\n",
    "lines that are only read": "def main():\n    rows = Rows('run.log')\n    [*fileinput.input('run.log')]\n    return DataLoader(rows)\n",
}


def reasons(text):
    program = text.format(made="return DataLoader(Rows('run.log'), num_workers=2)")
    found = opened(
        init="self.path = path\nself.file = open(path)",
        opener="return open(self.path)",
        decorator=HEAD,
        program=program,
    )
    return [each for each in found if "removed, renamed or modified" in each]


@pytest.mark.parametrize("text", MADE.values(), ids=MADE)
def test_what_replaces_the_file_later_is_a_reason(text):
    assert reasons(text)


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_leaves_it_where_it_is_is_none(text):
    assert not reasons(text)
