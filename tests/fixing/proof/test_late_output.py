"""What the constructor prints and warns of is not put off, and what the parent alone does is not lost."""

import pytest

from tests.fixing.proof.pairs import opened

OPENER = "def _open(self):\n    {code}\n    return h5py.File(self.path, 'r')\n\n"
SHOWS = {
    "print": ("print('open', self.path)", True),
    "a warning": ("warnings.warn('open')", True),
    "a log": ("logger.info('open')", True),
    "a function that prints": ("shout(self.path)", True),
    "nothing": ("path = str(self.path)", False),
    "a method of another object": ("self.notes.info('open')", False),
}
HEAD = "import logging\nimport warnings\nlogger = logging.getLogger()\ndef shout(path):\n    print(path)\n"


@pytest.mark.parametrize(("code", "refused"), SHOWS.values(), ids=SHOWS)
def test_what_an_opener_shows(code, refused):
    reasons = opened(
        decorator=HEAD,
        init="self.path = path\nself.file = self._open()",
        opener="return self._open()",
        body=OPENER.format(code=code),
    )
    assert refused == any("when the resource is first used, not" in reason for reason in reasons)


def test_what_the_constructor_still_shows_is_not_late():
    reasons = opened(
        init="print(path)\nself.path = path\nself.file = h5py.File(path, 'r')",
        later="print(path)\nself.path = path",
    )
    assert not any("when the resource is first used, not" in reason for reason in reasons)


SETS = {
    "a function of the parent": (
        "def main():\n    Rows.scale = 2\n    rows = Rows('a')\n\nmain()\n",
        False,
    ),
    "a function of the script": (
        "def main():\n    Rows.scale = 2\n    rows = Rows('a')\n\nif __name__ == '__main__':\n    main()\n",
        True,
    ),
    "a function that gets the name": (
        "def main():\n    setattr(Rows, 'scale', 2)\n\nif __name__ == '__main__':\n    main()\n",
        True,
    ),
    "a method": (
        "def main():\n    Rows.__getitem__ = print\n\nif __name__ == '__main__':\n    main()\n",
        True,
    ),
    "the module": ("Rows.scale = 2\nrows = Rows('a')\n", False),
    "what workers do not read": (
        "def main():\n    Rows.other = 2\n\nif __name__ == '__main__':\n    main()\n",
        False,
    ),
}


@pytest.mark.parametrize(("program", "refused"), SETS.values(), ids=SETS)
def test_what_the_parent_sets_on_the_class(program, refused):
    reads = "def __getitem__(self, index):\n    return self.file['x'][index] * self.scale\n"
    reasons = opened(body=reads, program=program)
    assert refused == any("set on the class by the parent" in reason for reason in reasons)


@pytest.mark.parametrize(("name", "refused"), [("setting", True), ("test_rows", False)])
def test_what_tests_set_on_the_class_is_no_matter_of_workers(name, refused):
    reads = "def __getitem__(self, index):\n    return self.file['x'][index] * self.scale\n"
    program = (
        "from main import Rows\n\ndef patch():\n    Rows.scale = 2\n\ndef test_it():\n    patch()\n"
    )
    reasons = opened(body=reads, **{name: program})
    assert refused == any("set on the class by the parent" in reason for reason in reasons)


LOCK = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
"""
ENTERED = (
    "def __enter__(self):\n    self.lock.acquire()\n\n"
    "def __exit__(self, *exc_info):\n    self.lock.release()\n"
)
LOCKS = {
    "begins and ends": ("def begin(self):\n    self.lock.acquire()\n", "", True),
    "in one method": (
        "def begin(self):\n    self.lock.acquire()\n    self.lock.release()\n",
        "",
        False,
    ),
    "with": ("def begin(self):\n    with self.lock:\n        pass\n", "", False),
    "by a worker": ("def __getitem__(self, index):\n    self.lock.acquire()\n", "", False),
    "by the caller": ("", "def main(rows):\n    rows.lock.acquire()\n\nmain(Rows('a'))\n", True),
    "by a with statement": (ENTERED, "", False),
    "by a with statement that keeps it": (ENTERED.replace("release", "locked"), "", True),
    "by an exit stack": (
        ENTERED,
        "def main(rows, stack):\n    stack.enter_context(rows)\n\nmain(Rows('a'), s)\n",
        True,
    ),
    "by hand, in one function": (
        ENTERED,
        "def main(rows):\n    rows.__enter__()\n    rows.__exit__(None)\n\nmain(Rows('a'))\n",
        False,
    ),
    "by hand": (ENTERED, "rows = Rows('a')\nrows.__enter__()\n", True),
    "another lock": ("def begin(self):\n    self.other.acquire()\n", "", False),
}


@pytest.mark.parametrize(("body", "program", "refused"), LOCKS.values(), ids=LOCKS)
def test_a_lock_that_is_taken_and_kept(body, program, refused):
    init = "self.lock = threading.Lock()"
    reasons = opened(init=init, later=init, getter=LOCK, body=body, program=program)
    assert refused == any("not released in the same function" in reason for reason in reasons)


CLOSES = "def close(self):\n    self.file.close()\n\n"
USED = {
    "a handler": (
        "rows.close()\ntry:\n    rows[0]\nexcept ValueError:\n    print('closed')\n",
        True,
    ),
    "an error that ends it": (
        "rows.close()\ntry:\n    rows[0]\nexcept ValueError:\n    raise\n",
        False,
    ),
    "before it is closed": (
        "try:\n    rows[0]\nexcept ValueError:\n    print(1)\nrows.close()\n",
        False,
    ),
    "another object": (
        "rows.close()\ntry:\n    other[0]\nexcept ValueError:\n    print(1)\n",
        False,
    ),
}


@pytest.mark.parametrize(("code", "refused"), USED.values(), ids=USED)
def test_a_use_once_closed_whose_error_is_handled(code, refused):
    reasons = opened(body=CLOSES, program="rows = Rows('a')\n" + code)
    assert refused == any("the error of a closed" in reason for reason in reasons)


CONTEXT = "import contextvars\nROOT = contextvars.ContextVar('ROOT')\n"


@pytest.mark.parametrize(("sets", "refused"), [("ROOT.set('a')\n", True), ("", False)])
def test_a_context_variable_that_is_set_is_not_read_later(sets, refused):
    reasons = opened(
        decorator=CONTEXT,
        init="self.file = h5py.File(ROOT.get(), 'r')",
        later="pass",
        opener="return h5py.File(ROOT.get(), 'r')",
        program=sets + "rows = Rows('a')\n",
    )
    assert refused == any("is a context variable" in reason for reason in reasons)
