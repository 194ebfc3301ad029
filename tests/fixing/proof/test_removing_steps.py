"""What removes a file behind an attribute, an exit stack, a decorator, or a copy of what names it."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened

STORE = """
class Store:
    {members}

    def __init__(self, path):
        self.path = path
        self.log = "log.txt"

def main(path):
    store = Store(path)
    rows = Rows(store.path)
    {step}
    return DataLoader(rows, num_workers=2)
"""
DESCRIPTOR = """
class Moved:
    def __get__(self, obj, kind=None):
        return obj.path

    def __set__(self, obj, value):
        os.replace(obj.path, value)

    def __delete__(self, obj):
        os.remove(obj.{kept})

"""
SETTER = "state = 1\n@property\ndef where(self):\n    return 1\n@where.setter\ndef where(self, value):\n    {}"
BEHIND_ATTRIBUTES = {
    "a setter": (SETTER.format("os.remove(self.path)"), "store.where = 1"),
    "a setter by setattr": (SETTER.format("os.remove(self.path)"), "setattr(store, 'where', 1)"),
    "a setter of `+=`": (SETTER.format("os.remove(self.path)"), "store.where += 1"),
    "a property call": (
        "def drop(self, value):\n    os.remove(self.path)\nwhere = property(None, drop)",
        "store.where = 1",
    ),
    "a deleter": (
        "@property\ndef where(self):\n    return 1\n@where.deleter\ndef where(self):\n    os.remove(self.path)",
        "del store.where",
    ),
    "a descriptor that is set": ("where = Moved()", "store.where = 'b'"),
    "a descriptor that is deleted": ("where = Moved()", "del store.where"),
}
STAYS_BEHIND_ATTRIBUTES = {
    "a setter of another file": (SETTER.format("os.remove(self.log)"), "store.where = 1"),
    "a descriptor that is read": ("where = Moved()", "store.where"),
    "another attribute": ("where = Moved()", "store.other = 'b'"),
}
STACKS = {
    "close": "stack = contextlib.ExitStack()\nstack.callback(os.remove, path)\nrows = Rows(path)\nstack.close()",
    "a decorator": "stack = contextlib.ExitStack()\n@stack.callback\ndef tidy():\n    os.remove(path)\n"
    "rows = Rows(path)\nstack.close()",
    "__exit__": "stack = contextlib.ExitStack()\n"
    "folder = stack.enter_context(tempfile.TemporaryDirectory())\npath = os.path.join(folder, 'a')\n"
    "rows = Rows(path)\nstack.__exit__(None, None, None)",
    "a stack of the caller": "rows = Rows(path)\nsearch.callback(os.remove, path)",
    "a stack that is kept": "rows = Rows(path)\nsearch.stack.callback(os.remove, path)\nend(search)",
}
STAYING_STACKS = {
    "never ended": "stack = contextlib.ExitStack()\nstack.callback(os.remove, path)\nrows = Rows(path)",
    "another file": "stack = contextlib.ExitStack()\nstack.callback(os.remove, 'log.txt')\n"
    "rows = Rows(path)\nstack.close()",
    "before": "stack = contextlib.ExitStack()\nstack.callback(os.remove, path)\nstack.close()\nrows = Rows(path)",
    "around all that is done": "with contextlib.ExitStack() as stack:\n    stack.callback(os.remove, path)\n"
    "    rows = Rows(path)\n    print(list(DataLoader(rows, num_workers=2)))",
}
NOTED = """
MADE = []
OTHERS = {{}}

def noted(make):
    def call({given}):
        path = make({given})
        MADE.append(path)
        return path
    return call

def at(path):
    def register(function):
        OTHERS[function.__name__] = path
        return function
    return register

{decorator}
def prepare(name):
    return name

def tidy():
    for path in {gone}:
        os.remove(path)

def main(name):
    rows = Rows({opened})
    tidy()
    return DataLoader(rows, num_workers=2)
"""
LISTS = {
    "of what it gives": {"decorator": "@noted", "opened": "prepare(name)"},
    "of what it gets": {"decorator": "@noted", "opened": "prepare(name)", "given": "name"},
    "read from the list": {"decorator": "@noted", "opened": "MADE[1]"},
    "by its argument": {
        "decorator": "@at('a')",
        "opened": "OTHERS['prepare']",
        "gone": "OTHERS.values()",
    },
}
OTHER_LISTS = {
    "no decorator": {"decorator": "", "opened": "prepare(name)"},
    "another list": {"decorator": "@noted", "opened": "prepare(name)", "gone": "OTHERS"},
    "a list of others": {"decorator": "@at('a')", "opened": "MADE[0]", "gone": "OTHERS.values()"},
}
COPIES = {
    "replace": "finish(dataclasses.replace(place, count=0))",
    "_replace": "finish(place._replace(count=0))",
    "copy": "finish(copy.copy(place))",
}


def refused(**parts):
    return any("removed, renamed or modified" in each for each in opened(**parts))


def behind_attributes(members, step):
    descriptor = DESCRIPTOR.format(kept="path")
    program = STORE.format(members=textwrap.indent(members, "    ").strip(), step=step)
    return refused(program=descriptor + program)


@pytest.mark.parametrize("parts", BEHIND_ATTRIBUTES.values(), ids=BEHIND_ATTRIBUTES)
def test_what_stands_behind_an_attribute_removes_the_file(parts):
    assert behind_attributes(*parts)


@pytest.mark.parametrize("parts", STAYS_BEHIND_ATTRIBUTES.values(), ids=STAYS_BEHIND_ATTRIBUTES)
def test_what_does_not_run_or_removes_another_file_is_no_reason(parts):
    assert not behind_attributes(*parts)


def in_a_function(step):
    body = textwrap.indent(step, "    ")
    ended = "def end(search):\n    search.stack.close()\n\n"
    return refused(program=f"{ended}def main(path, search):\n{body}\n    return rows\n")


@pytest.mark.parametrize("step", STACKS.values(), ids=STACKS)
def test_an_exit_stack_that_ends_removes_the_file(step):
    assert in_a_function(step)


@pytest.mark.parametrize("step", STAYING_STACKS.values(), ids=STAYING_STACKS)
def test_an_exit_stack_that_does_not_end_in_between_is_no_reason(step):
    assert not refused(program="def main(path):\n" + textwrap.indent(step, "    "))


def in_a_list(given="*args", gone="MADE", **parts):
    return refused(program=NOTED.format(given=given, gone=gone, **parts))


@pytest.mark.parametrize("parts", LISTS.values(), ids=LISTS)
def test_a_list_that_a_decorator_fills_leads_to_the_file(parts):
    assert in_a_list(**parts)


@pytest.mark.parametrize("parts", OTHER_LISTS.values(), ids=OTHER_LISTS)
def test_a_list_without_the_path_does_not(parts):
    assert not in_a_list(**parts)


@pytest.mark.parametrize("step", COPIES.values(), ids=COPIES)
def test_a_copy_of_what_names_a_file_names_it(step):
    program = (
        "def finish(place):\n    os.rename(place.path, 'old')\n\n"
        f"def main(place):\n    rows = Rows(place.path)\n    {step}\n    return rows\n"
    )
    assert refused(program=program)


ELSEWHERE = {
    "a partial": "tidy = functools.partial(os.remove, path)\nrows = Rows(path)\ntidy()",
    "a bound method": "tidy = path.unlink\nrows = Rows(path)\ntidy()",
    "a lambda that is kept": "TODO.append(lambda: os.remove(path))\nrows = Rows(path)\nwork()",
    "a function that is kept": "def tidy():\n    os.remove(path)\nrows = Rows(path)\nTODO.append(tidy)\nwork()",
    "a generator": "source = staged(path)\nrows = Rows(next(source))\nsource.close()",
    "a generator that goes on": "source = staged(path)\nrows = Rows(next(source))\nnext(source, None)",
    "whoever gets `os.remove`": "TODO.append(os.remove)\nrows = Rows(path)\nfor each in TODO:\n    each(path)",
}
NOT_THERE = {
    "a partial of another file": "tidy = functools.partial(os.remove, 'log.txt')\nrows = Rows(path)\ntidy()",
    "a partial before": "tidy = functools.partial(os.remove, path)\ntidy()\nrows = Rows(path)",
    "a lambda for the end": "atexit.register(lambda: os.remove(path))\nrows = Rows(path)",
    "a lambda that reads": "TODO.append(lambda: os.stat(path))\nrows = Rows(path)\nwork()",
    "a generator that is not asked again": "rows = Rows(next(staged(path)))",
    "no path is passed": "TODO.append(os.remove)\nrows = Rows(path)\nfor each in TODO:\n    each('log.txt')",
}
INDIRECT = """
TODO = []

def work():
    while TODO:
        TODO.pop()()

def staged(name):
    with open(name + ".tmp", "wb") as out:
        out.write(b"1")
    try:
        yield name
    finally:
        os.remove(name)

def main(path):
    {step}
    return DataLoader(rows, num_workers=2)
"""


def indirectly(step):
    return refused(program=INDIRECT.format(step=textwrap.indent(step, "    ").strip()))


@pytest.mark.parametrize("step", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_call_that_no_text_names_removes_the_file(step):
    assert indirectly(step)


@pytest.mark.parametrize("step", NOT_THERE.values(), ids=NOT_THERE)
def test_one_of_another_file_or_at_another_time_does_not(step):
    assert not indirectly(step)


LISTED = {
    "a local list": "made = []\nrows = Rows(path)\nmade.append(path)\nfor each in made:\n    os.remove(each)",
    "a list before": "made = []\nmade.append(path)\nrows = Rows(path)\nfor each in made:\n    os.remove(each)",
    "the result of a call": "rows = Rows(where())\nos.remove(where())",
    "members of an enumeration": "rows = Rows(Where.TRAIN.value)\nfor each in Where:\n    os.remove(each.value)",
    "a queue": "todo = queue.Queue()\nrows = Rows(path)\ntodo.put(path)\nos.remove(todo.get())",
    "a pattern": "rows = Rows('a.h5')\nfor each in glob.glob('*.h5'):\n    shutil.move(each, 'old')",
    "a part of a match": "rows = Rows(path)\nmatch ('drop', path):\n    case ('drop', name):\n        os.remove(name)",
    "bytes": "rows = Rows('a.h5')\nos.remove(b'a.h5')",
    "a word of a command": "rows = Rows('data/a.h5')\nos.system('rm -f data/a.h5')",
    "a word of code": "rows = Rows('data/a.h5')\nsubprocess.run(['python', '-c', 'os.remove(\"data/a.h5\")'])",
}
UNLISTED = {
    "a list of others": "made = []\nrows = Rows(path)\nmade.append('log.txt')\nfor each in made:\n    os.remove(each)",
    "the result of another call": "rows = Rows(where())\nos.remove(other())",
    "members of another": "rows = Rows(Where.TRAIN.value)\nfor each in Logs:\n    os.remove(each.value)",
    "another pattern": "rows = Rows('a.h5')\nfor each in glob.glob('*.log'):\n    shutil.move(each, 'old')",
    "a queue of others": "todo = queue.Queue()\nrows = Rows(path)\ntodo.put('log.txt')\nos.remove(todo.get())",
    "a word of another command": "rows = Rows('data/a.h5')\nos.system('rm -f data/b.h5')",
}
KNOWN = """
import enum
import glob
import queue
import shutil
import subprocess

class Where(enum.Enum):
    TRAIN = "train.h5"

class Logs(enum.Enum):
    FIRST = "first.log"

@functools.lru_cache
def where():
    return tempfile.mktemp()

def other():
    return tempfile.mktemp()

def main(path):
    {step}
    return DataLoader(rows, num_workers=2)
"""


def listed(step):
    return refused(program=KNOWN.format(step=textwrap.indent(step, "    ").strip()))


@pytest.mark.parametrize("step", LISTED.values(), ids=LISTED)
def test_what_removes_the_file_knows_it_from_elsewhere(step):
    assert listed(step)


@pytest.mark.parametrize("step", UNLISTED.values(), ids=UNLISTED)
def test_what_removes_other_files_is_no_reason(step):
    assert not listed(step)


JOB = """
class Job:
    def __init__(self, path):
        self.path = path
        self.steps = {"clean": self.clean}

    def clean(self):
        os.remove({gone})

    def run(self, name):
        return self.steps[name]()

def main(path):
    job = Job(path)
    rows = Rows(job.path)
    {step}
    return DataLoader(rows, num_workers=2)
"""
LOOKED_UP = {
    "in a table": ("job.run('clean')", "self.path", True),
    "by its name": ("getattr(job, 'do_' + path)()", "self.path", True),
    "of another file": ("job.run('clean')", "'log.txt'", False),
}
SCRATCH = {
    "a function ends": ("rows = Rows(path)\nreturn rows", True),
    "a call that returns": ("return Rows(path)", True),
    "it is returned, too": ("return Rows(path), folder", False),
    "it is kept": ("rows = Rows(path)\nrows.folder = folder\nreturn rows", False),
    "another name is made of it": ("rows = Rows('data/a')\nreturn rows", False),
}


@pytest.mark.parametrize(("step", "gone", "removes"), LOOKED_UP.values(), ids=LOOKED_UP)
def test_a_method_that_is_looked_up_may_be_any_of_its_object(step, gone, removes):
    assert removes == refused(program=JOB.replace("{gone}", gone).replace("{step}", step))


@pytest.mark.parametrize(("step", "removes"), SCRATCH.values(), ids=SCRATCH)
@pytest.mark.parametrize("made", ["tempfile.TemporaryDirectory()", "tempfile.NamedTemporaryFile()"])
def test_temporary_files_go_with_the_name_that_holds_them(made, step, removes):
    body = f"folder = {made}\npath = os.path.join(folder.name, 'a')\n{step}"
    program = f"def build():\n{textwrap.indent(body, '    ')}\n\nrows = build()\n"
    assert removes == refused(program=program + "DataLoader(rows, num_workers=2)\n")


def test_temporary_files_go_where_the_next_turn_of_a_loop_makes_others():
    loop = (
        "made = []\nfor base in (0, 1):\n    folder = tempfile.TemporaryDirectory()\n"
        "    made.append(Rows(os.path.join(folder.name, 'a')))\n"
        "loaders = [DataLoader(each, num_workers=2) for each in made]\n"
    )
    assert refused(program=loop)


@pytest.mark.parametrize(
    "target", ["one.file, two.file = two.file, one.file", "one.file = two.file"]
)
@pytest.mark.parametrize(
    "made", ["one, two = Rows('a'), Rows('b')", "one = Rows('a'); two = Rows('b')"]
)
def test_a_handle_that_is_put_there_from_outside_is_not_opened_again(target, made):
    program = f"def main():\n    {made}\n    {target}\n    return DataLoader(one, num_workers=2)\n"
    assert any("is set outside the class" in each for each in opened(program=program))
