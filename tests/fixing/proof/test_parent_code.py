"""A method runs in the parent alone only where all code that names it surely does."""

import pytest

from tests.fixing.proof.pairs import worse

ROWS = """
class Rows(Dataset):
    def __init__(self, path):
        self.notes = sqlite3.connect(path)
        self.scale = 2
{state}
    def __getitem__(self, index):
        return index * self.scale

    def note(self, line):
        self.notes.execute("insert into notes values (?)", (line,))
{more}

{program}
"""
STATE = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("notes", None)
        return state
"""
PARENT = """
def train(rows):
    for batch in DataLoader(rows, num_workers=2):
        rows.note(str(batch))

train(Rows("notes.db"))
"""


def without_notes(program, more=""):
    before = ROWS.format(state="", program=program, more=more)
    return worse(before, ROWS.format(state=STATE, program=program, more=more))


def test_what_only_the_parent_calls_may_read_what_the_state_leaves_out():
    assert without_notes(PARENT) == []


@pytest.mark.parametrize(
    ("program", "more"),
    [
        ("loader = DataLoader(Rows('a'), num_workers=2)", ""),  # nobody calls it
        (PARENT + "init = lambda worker: rows.note(str(worker))", ""),
        (PARENT + "method = rows.note", ""),
        (PARENT + "getattr(rows, 'note')('done')", ""),
        (
            PARENT
            + "class Shown(Dataset):\n    def __getitem__(self, index):\n"
            + "        self.rows.note(str(index))\n",
            "",
        ),
        (
            PARENT
            + "def shown(rows):\n    rows.note('')\n\n"
            + "class Shown(Dataset):\n    def __getitem__(self, index):\n        shown(self.rows)\n",
            "",
        ),
        (PARENT + "def setup(worker):\n    rows.note(str(worker))\n\nstart(setup)", ""),
        (PARENT, "\n    def __len__(self):\n        self.note('asked')\n        return 6\n"),
    ],
)
def test_what_a_worker_may_call_may_not(program, more):
    reasons = without_notes(program, more)
    assert any("`notes`" in each and "in a worker" in each for each in reasons)


@pytest.mark.parametrize(
    ("name", "bases", "call"),
    [
        ("run", "multiprocessing.Process", "rows.run('')"),
        ("state_dict", "Dataset", "rows.state_dict('')"),
        ("note", "Dataset", "App().note('')"),  # of another class
        ("note", "Dataset", "app = App()\napp.note('')"),
    ],
)
def test_what_a_library_may_call_is_no_method_of_the_parent_alone(name, bases, call):
    app = f"\nimport multiprocessing\n\nclass App:\n    def {name}(self, line):\n        pass\n\n"
    program = f"{app}rows = Rows('a')\nloader = DataLoader(rows, num_workers=2)\n{call}\n"
    text = ROWS.replace("(Dataset)", f"({bases})").replace("def note", f"def {name}")
    before = text.format(state="", program=program, more="")
    reasons = worse(before, text.format(state=STATE, program=program, more=""))
    assert any("`notes`" in each and "in a worker" in each for each in reasons), reasons


@pytest.mark.parametrize(
    "opener", ["self.stack.enter_context(open(self.path))", "open(self.stack)"]
)
def test_what_opens_later_does_not_read_what_the_state_left_out_before(opener):
    program = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.stack = contextlib.ExitStack()
        {opened}
{opener}
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("stack", None)
        {left_out}
        return state

    def __getitem__(self, index):
        return self.file.readline()

rows = Rows("rows.txt")
"""
    later = f"\n    @functools.cached_property\n    def file(self):\n        return {opener}\n"
    before = program.format(opened=f"self.file = {opener}", opener="", left_out="")
    after = program.format(opened="", opener=later, left_out='state.pop("file", None)')
    reasons = worse(before, after)
    assert any("`stack`" in each and "in a worker" in each for each in reasons), reasons


SCHEDULE = """
class Rows(Dataset):
    def __init__(self, limits):
        self.limits = limits
        self.advance()
{state}
    def advance(self):
        self.limit = next(self.limits)

    def __getitem__(self, index):
        return index * self.limit
{more}

def made(limits):
    return Factory().rows(limits)

class Factory:
    def rows(self, limits):
        return Rows(limits)

{program}
"""
ADVANCED = """
rows = made(iter(range(3)))
for batch in DataLoader(rows, num_workers=2):
    pass
rows.advance()
"""


def without_limits(program, more=""):
    before = SCHEDULE.format(state="", program=program, more=more)
    after = SCHEDULE.format(state=STATE.replace("notes", "limits"), program=program, more=more)
    return worse(before, after)


def test_what_constructors_call_is_run_by_the_parent_where_all_other_callers_are():
    assert without_limits(ADVANCED) == []


@pytest.mark.parametrize(
    ("program", "more"),
    [
        ("loader = DataLoader(made(iter(range(3))), num_workers=2)", ""),  # nobody else calls it
        (ADVANCED + "init = lambda worker: get_worker_info().dataset.advance()", ""),
        (ADVANCED, "    def __getitems__(self, indices):\n        self.advance()\n"),
        (ADVANCED, "    def sample(self):\n        self.advance()\n"),  # which nobody calls
        (ADVANCED + "getattr(rows, 'advance')()", ""),
        (ADVANCED.replace("rows.advance()", "Other().advance()"), ""),
    ],
)
def test_what_constructors_call_may_run_in_a_worker(program, more):
    assert without_limits(program, more) != []
