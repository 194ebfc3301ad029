"""Calls may be delayed, reads may not."""

import textwrap

import pytest

from tests.fixing.proof.pairs import LAZY, opened, worse

PLAIN = "rows = Rows('a.h5')\n"


def test_a_path_that_is_kept_may_be_read_later():
    assert opened(program=PLAIN) == []


def test_a_local_value_that_is_kept_may_be_read_later():
    assert not opened(
        init="full = os.path.join(root, name)\nself.file = h5py.File(full, 'r')",
        later="full = os.path.join(root, name)\nself.full = full",
        opener="return h5py.File(self.full, 'r')",
        parameters="root, name",
    )


def test_a_copy_of_a_list_may_be_read_later():
    assert not opened(
        init="self.file = [h5py.File(p, 'r') for p in paths]",
        later="self.paths = list(paths)",
        opener="return [h5py.File(p, 'r') for p in self.paths]",
        parameters="paths",
    )


def test_a_value_of_a_configuration_that_is_kept_may_be_read_later():
    assert not opened(
        init="self.config = config\nself.file = h5py.File(config.path, 'r')",
        later="self.config = config\nself._path = config.path",
        opener="return h5py.File(self._path, 'r')",
        parameters="config",
    )


def test_names_that_are_bound_once_may_be_read_later():
    assert not opened(
        init="self.file = h5py.File(ROOT + path, 'r', driver=DRIVER)",
        opener="return h5py.File(ROOT + self.path, 'r', driver=DRIVER)",
        program="ROOT = '/data/'\nDRIVER = 'core'\n",
    )


def test_an_attribute_set_together_with_the_handle_may_be_read_later():
    assert not opened(
        body="""
        def move(self, path):
            self.path = path
            self.file = h5py.File(path, 'r')
        """
    )


AGAIN = {
    "by a method": {
        "body": """
        def switch(self, path):
            self.path = path
        """
    },
    "by a subclass": {
        "program": """
        class Named(Rows):
            def __init__(self, path):
                super().__init__(path)
                self.path = os.path.basename(path)
        """
    },
    "by a method of a subclass": {
        "program": """
        class Moving(Rows):
            def move(self, path):
                self.path = path
        """
    },
    "from outside": {"program": "rows = Rows('a.h5')\nrows.path = 'the first'\n"},
    "from another module": {
        "other": """
        from main import Rows

        def shorten(name):
            rows = Rows(name)
            rows.path = name[:3]
            return rows
        """
    },
    "by name": {
        "body": """
        def update(self, **values):
            for name, value in values.items():
                setattr(self, name, value)
        """
    },
    "later in the constructor": {
        "init": "self.path = path\nself.file = h5py.File(self.path, 'r')\nself.path = path.name",
        "later": "self.path = path\nself.path = path.name",
    },
    "in a branch of the constructor": {
        "init": "self.path = path\nself.file = h5py.File(self.path, 'r')\nif path:\n    self.path = 1",
        "later": "self.path = path\nif path:\n    self.path = 1",
    },
    "by a tuple": {
        "body": """
        def forget(self):
            self.path, self.name = None, None
        """
    },
}


@pytest.mark.parametrize("case", AGAIN.values(), ids=AGAIN)
def test_an_attribute_is_not_read_later_where_it_is_set_again(case):
    assert "`path` is read later" in opened(**case)[0]


INSIDE = {
    "an attribute of a configuration": ("self.config.path", "config.path"),
    "an item of a configuration": ("self.config['path']", "config['path']"),
    "an attribute of an attribute": ("self.config.data.path", "config.data.path"),
    "what a method of it gives": ("self.config.resolve_path()", "config.resolve_path()"),
    "what a method of a dict gives": ("self.config.get('path')", "config.get('path')"),
}


@pytest.mark.parametrize(("later", "now"), INSIDE.values(), ids=INSIDE)
def test_what_is_inside_an_object_of_the_caller_is_not_read_later(later, now):
    reasons = opened(
        init=f"self.config = config\nself.file = h5py.File({now}, 'r')",
        later="self.config = config",
        opener=f"return h5py.File({later}, 'r')",
        parameters="config",
        program="config = {}\nfor phase in 'ab':\n    config['path'] = phase\n    Rows(config)\n",
    )
    assert "`config`" in reasons[0]


LISTS = {
    "grows": "paths = ['a']\nfirst = Rows(paths)\npaths.append('b')\nsecond = Rows(paths)\n",
    "is emptied": "paths = ['a']\nrows = Rows(paths)\npaths.clear()\n",
    "is emptied on the same line": "paths = ['a']; rows = Rows(paths); paths.clear()\n",
    "is filled first and emptied later": (
        "paths = []\npaths.append('a')\nrows = Rows(paths)\npaths.clear()\n"
    ),
    "is filled in a loop": "paths = []\nfor name in 'ab':\n    paths += [name]\n    Rows(paths)\n",
    "is held by another object": "def make(store):\n    return Rows(store.paths)\n",
    "comes from nobody knows where": "",
}


@pytest.mark.parametrize("program", LISTS.values(), ids=LISTS)
def test_a_list_of_the_caller_is_not_read_later_where_it(program):
    assert opened(
        init="self.file = [h5py.File(p, 'r') for p in paths]",
        later="self.paths = paths",
        opener="return [h5py.File(p, 'r') for p in self.paths]",
        parameters="paths",
        program=program,
    )


HEIRS = {
    "in another place": (
        "def __init__(self, other, paths):\n        super().__init__(paths)",
        "more, paths",
    ),
    "by another name": (
        "def __init__(self, more, found):\n        Rows.__init__(self, paths=found)",
        "more, paths",
    ),
    "as it comes": (
        "def __init__(self, *args, **options):\n        super().__init__(*args, **options)",
        "paths=paths",
    ),
    "a list of its own": (
        "def __init__(self, more, paths):\n        super().__init__(list(paths))",
        "more, paths",
    ),
    "the other list": (
        "def __init__(self, more, paths):\n        super().__init__(more)",
        "more, paths",
    ),
}


@pytest.mark.parametrize(("init", "given"), HEIRS.values(), ids=HEIRS)
def test_a_list_that_a_derived_class_passes_on_is_the_callers(init, given):
    program = f"class Heir(Rows):\n    {init}\n\nmore, paths = [], ['a']\nrows = Heir({given})\npaths.clear()\n"
    reasons = opened(
        init="self.file = [h5py.File(p, 'r') for p in paths]",
        later="self.paths = paths",
        opener="return [h5py.File(p, 'r') for p in self.paths]",
        parameters="paths",
        program=program,
    )
    expected = "list(paths)" not in init and "(more)" not in init
    assert any("`paths` is modified" in reason for reason in reasons) is expected


def test_a_list_that_a_method_changes_is_not_read_later():
    reasons = opened(
        init="self.names = list(names)\nself.file = {n: h5py.File(n) for n in self.names}",
        later="self.names = list(names)",
        opener="return {n: h5py.File(n) for n in self.names}",
        parameters="names",
        body="def drop(self):\n    self.names.pop()\n",
    )
    assert "but its contents are modified" in reasons[0]


EFFECTS = {
    "random.choice": "h5py.File(random.choice(self.path))",
    "numpy's generator": "h5py.File(np.random.choice(self.path))",
    "pop": "h5py.File(self.path.pop('file'))",
    "next": "h5py.File(next(self.path))",
    "the working directory": "h5py.File(os.path.join(os.getcwd(), self.path))",
    "input": "h5py.File(input(self.path))",
    "a temporary file": "h5py.File(tempfile.mkstemp(self.path)[1])",
    "the time": "h5py.File(self.path, time.time())",
}


@pytest.mark.parametrize("expression", EFFECTS.values(), ids=EFFECTS)
def test_a_call_with_an_effect_or_another_result_is_not_delayed(expression):
    now = expression.replace("self.path", "path")
    reasons = opened(init=f"self.file = {now}", opener=f"return {expression}")
    assert any("runs later than before" in reason for reason in reasons)


def test_a_method_that_the_opener_calls_is_read_too():
    reasons = opened(
        init="self.root = root\nself.split = split\nself.file = h5py.File(self.name(), 'r')",
        later="self.root = root\nself.split = split",
        opener="return h5py.File(self.name(), 'r')",
        parameters="root, split",
        body="""
        def name(self):
            return os.path.join(self.root, self.split)

        def use(self, split):
            self.split = split
        """,
    )
    assert "`split` is read later" in reasons[0]


def test_a_property_that_the_opener_reads_is_read_too():
    reasons = opened(
        init="self.base = base\nself.file = h5py.File(self.full, 'r')",
        later="self.base = base",
        opener="return h5py.File(self.full, 'r')",
        parameters="base",
        body="""
        @property
        def full(self):
            return self.base + '.h5'
        """,
        program="rows = Rows('a')\nrows.base = 'b'\n",
    )
    assert "`base` is read later" in reasons[0]


GLOBALS = {
    "is assigned again": "ROOT = 'a'\nROOT = 'b'\n",
    "bound by a function": "ROOT = 'a'\n\ndef use(root):\n    global ROOT\n    ROOT = root\n",
    "bound in a loop": "for ROOT in 'ab':\n    Rows('x')\n",
}


@pytest.mark.parametrize("program", GLOBALS.values(), ids=GLOBALS)
def test_a_name_of_the_module_is_not_read_later_where_it_is(program):
    reasons = opened(
        init="self.file = h5py.File(ROOT + path)",
        opener="return h5py.File(ROOT + self.path)",
        program=program,
    )
    assert "`ROOT` is read later" in reasons[0]


def test_a_name_that_another_module_sets_is_not_read_later():
    reasons = opened(
        init="self.file = h5py.File(ROOT + path)",
        opener="return h5py.File(ROOT + self.path)",
        program="ROOT = 'a'\n",
        other="import main\n\nmain.ROOT = 'b'\n",
    )
    assert "`ROOT` is read later" in reasons[0]


def test_options_of_the_module_that_are_changed_are_not_read_later():
    reasons = opened(
        init="self.file = h5py.File(path, **OPTIONS)",
        opener="return h5py.File(self.path, **OPTIONS)",
        program="OPTIONS = {'mode': 'r'}\nrows = Rows('a')\nOPTIONS['mode'] = 'w'\n",
    )
    assert "`OPTIONS` is read later" in reasons[0]


def test_a_value_is_kept_where_it_was_used():
    reasons = opened(
        init="self.file = h5py.File(path, 'r')\npath = os.path.basename(path)\nself.name = path",
        later="path = os.path.basename(path)\nself.path = path\nself.name = path",
    )
    assert "differs from the value" in reasons[0]


def test_a_value_is_kept_after_the_local_name_is_bound():
    reasons = opened(
        init="path = path or 'default.h5'\nself.file = h5py.File(path, 'r')",
        later="self.path = path\npath = path or 'default.h5'",
    )
    assert "differs from the value" in reasons[0]


def test_a_relative_path_is_not_opened_later_where_the_directory_changes():
    assert (
        "after the working directory changed"
        in opened(program="rows = Rows('a')\nos.chdir('/')\n")[0]
    )
    assert opened(other="import os\n\ndef enter(run):\n    os.chdir(run)\n")


ENTERS = {
    "by an import of its own": ("from contextlib import chdir as inside", "inside(run)", True),
    "by an import in the function": ("", "import os as system\n    system.chdir(run)", True),
    "by a name of its own": ("import os\n\ngo = os.chdir", "go(run)", True),
    "by a descriptor": ("from os import fchdir as go", "go(run)", True),
    "handed on": ("import os\n\n", "atexit.register(os.chdir, run)", True),
    "by a name that is another's": ("from shell import change as inside", "inside(run)", False),
    "by the name of a local function": (
        "from contextlib import chdir as inside",
        "inside = print\n    inside(run)",
        False,
    ),
}


@pytest.mark.parametrize(("head", "enters", "changes"), ENTERS.values(), ids=ENTERS)
def test_the_directory_changes_by_whatever_name(head, enters, changes):
    reasons = opened(other=f"{head}\n\ndef enter(run):\n    {enters}\n")
    assert any("the working directory changed" in reason for reason in reasons) == changes


@pytest.mark.parametrize("later", ["os.chdir('/')", "os.remove('a')"])
def test_a_generator_of_random_numbers_opens_nothing(later: str):
    made = "import numpy\nself.path = path\nself.file = numpy.random.default_rng(path)"
    seed = "return np.random.default_rng(self.path)"
    program = f"import numpy as np\nimport os\nrows = Rows('a')\n{later}\n"
    assert opened(init=made, opener=seed, program=program) == []


NOTES = """
    OPENED, COUNT = [], 0

    def noted(path):
        global COUNT
        COUNT += 1
        OPENED.append(path)
        return open(path)
    """
OPENS_WITH_NOTE = {
    "init": "self.path = path\nself.file = notes.noted(path)",
    "later": "self.path = path",
    "opener": "return notes.noted(self.path)",
}


@pytest.mark.parametrize("read", ["OPENED", "COUNT"])
def test_a_call_is_not_delayed_that_notes_what_other_code_reads(read):
    program = f"import notes\nrows = Rows('a')\nprint(notes.{read})\n"
    reasons = opened(notes=NOTES, program=program, **OPENS_WITH_NOTE)
    assert f"changes `{read}`, which other code reads" in reasons[0]


def test_a_call_may_be_delayed_that_notes_for_itself():
    program = "import notes\nrows = Rows('a')\n"
    assert opened(notes=NOTES, program=program, **OPENS_WITH_NOTE) == []


COUNTED = """
def counted(self, path):
    self.opens += 1
    return h5py.File(path)
"""


def test_a_call_that_counts_does_not_run_once_more():
    made = "self.opens = 0\nself.path = path\nself.file = self.counted(path)\nself.size = len(self.file)"
    later = "self.opens = 0\nself.path = path\nwith self.counted(path) as file:\n    self.size = len(file)"
    of_rows = {"init": made, "later": later, "opener": "return self.counted(self.path)"}
    program = "rows = Rows('a')\n"
    body = COUNTED
    assert opened(body=body, program=program, **of_rows) == []
    reasons = opened(body=body, program=program + "print(rows.opens)\n", **of_rows)
    assert "changes `opens`, which other code reads" in reasons[0]
    assert "runs once more" in reasons[0]


def of_the_class(program):
    """Open what a class keeps for all its objects once in each process."""
    rows = "class Rows(Dataset):\n    {}\n\n    def __init__(self, path, name=''):\n        self.path = path\n{}"
    once = (
        "        if type(self).file is None:\n            type(self).file = h5py.File(self.path)\n"
    )
    lazy = (
        "\n    @property\n    def file(self):\n        pid = os.getpid()\n"
        "        if pid not in self._file_by_pid:\n"
        "            self._file_by_pid[pid] = h5py.File(self.path)\n"
        "        return self._file_by_pid[pid]\n"
    )
    before, after = rows.format("file = None", once), rows.format("_file_by_pid = {}", lazy)
    return worse(before + program, after + program)


SHARED = {
    "one object": "rows = Rows('a')\n",
    "the same path": "rows = Rows('a')\nother = Rows('a', 'test')\n",
    "a path from outside of a loop": "def main(path):\n    for split in ('a', 'b'):\n        Rows(path, split)\n",
    "the same name": "def main(path):\n    return Rows(path, 'train'), Rows(path, name='test')\n",
}
NOT_SHARED = {
    "another path": "rows = Rows('a')\nother = Rows('b')\n",
    "a path of a loop": "made = [Rows(each) for each in ['a', 'b']]\n",
    "a path of several callers": "def make(path):\n    return Rows(path)\n\nmake('a')\nmake('b')\n",
    "the same name of another function": "def one(path):\n    return Rows(path)\n\n"
    "def two(path):\n    return Rows(path)\n",
}


@pytest.mark.parametrize("program", SHARED.values(), ids=SHARED)
def test_what_a_class_keeps_for_all_objects_is_opened_in_each_process(program):
    assert of_the_class(program) == []


@pytest.mark.parametrize("program", NOT_SHARED.values(), ids=NOT_SHARED)
def test_what_the_first_object_opens_is_not_opened_by_another(program):
    assert any("all objects share" in reason for reason in of_the_class(program))


def test_a_test_may_change_its_directory():
    test = "def test_rows(monkeypatch):\n    monkeypatch.chdir('/')\n"
    assert opened(test_rows=test) == []
    assert opened(test_rows=test.replace("monkeypatch.chdir", "os.chdir")) == []


def test_a_packaging_script_may_change_its_directory():
    script = "import os\nimport setuptools\n\nos.chdir('/')\nsetuptools.setup()\n"
    assert opened(setup=script) == []
    assert opened(setup=script.replace("setuptools", "notes"))


FIRST = "import os, sys\n\nsys.path.append('.')\nos.chdir('/')\n"


@pytest.mark.parametrize(
    ("program", "is_open"),
    [
        (FIRST + "import notes\n", True),
        ("if __name__ == '__main__':\n    import os\n    os.chdir('/')\n\nimport notes\n", True),
        ("import notes\n" + FIRST, False),
        ("from . import notes\n" + FIRST, False),
        ("class A:\n    pass\n" + FIRST, False),
        ("import os\n\ndef main():\n    os.chdir('/')\n", False),
        ("import os\nif __name__ == '__main__':\n    import main\n    os.chdir('/')\n", False),
    ],
)
def test_a_script_may_change_its_directory_before_all_else(program, is_open):
    assert (opened(script=program) == []) is is_open


GONE = {
    "the constructor unlinks it": {
        "init": "self.path = path\nself.file = h5py.File(path)\nos.unlink(path)",
        "later": "self.path = path\nos.unlink(path)",
    },
    "the constructor unpacks into a temporary directory": {
        "init": "with tempfile.TemporaryDirectory() as d:\n    self.file = h5py.File(d + path)",
        "later": "with tempfile.TemporaryDirectory() as d:\n    self.path = d + path",
    },
    "the caller removes it": {
        "program": "def make(name):\n    r = Rows(name)\n    os.remove(name)\n    return r\n"
    },
    "a caller of the caller moves it away": {
        "program": "def build(name):\n    return Rows(name)\ndef make(name, final):\n    r = build(name)\n    os.replace(name, final)\n    return r\n"
    },
    "it is moved away by what the object says of it": {
        "program": "def build(names):\n    r = Rows(next(names))\n    print(r)\n    return r\n"
        "def make(names, final):\n    r = build(names)\n    os.replace(r.path, final)\n    return r\n"
    },
    "a class method makes it, which opens another thing": {
        "body": "@classmethod\ndef build(cls, name):\n    h5py.File(name, 'w').close()\n    return cls(name)\n",
        "program": "def make(name):\n    r = Rows.build(name)\n    os.remove(name)\n    return r\n",
    },
    "the caller returns from a temporary directory": {
        "program": "def make():\n    with tempfile.TemporaryDirectory() as d:\n        return Rows(d)\n"
    },
    "a function makes it for who leaves the directory": {
        "program": "def make(d):\n    return Rows(d)\nwith tempfile.TemporaryDirectory() as d:\n    rows = make(d)\nprint(rows[0])\n"
    },
    "it is appended to a list that outlives the directory": {
        "program": "found = []\nwith tempfile.TemporaryDirectory() as d:\n    found.append(Rows(d))\nDataLoader(found[0])\n"
    },
    "a context manager of the program removes its copy": {
        "program": "@contextlib.contextmanager\ndef staged(p):\n    copy(p)\n    try:\n        yield p\n    finally:\n        os.remove(p)\n"
        "with staged('a') as local:\n    rows = Rows(local)\nprint(rows[0])\n"
    },
    "a class of the program removes its copy when it is left": {
        "program": "class Staged:\n    def __enter__(self):\n        return copy()\n    def __exit__(self, *e):\n        os.unlink(self.path)\n"
        "with Staged() as local:\n    rows = Rows(local)\nprint(rows[0])\n"
    },
    "a registry makes it inside the directory": {
        "program": "KINDS = {'rows': Rows}\ndef make(kind):\n    with tempfile.TemporaryDirectory() as d:\n        return KINDS[kind](d)\n"
    },
    "a subclass removes it": {
        "program": "class Once(Rows):\n    def __init__(self, p):\n        super().__init__(p)\n        os.remove(p)\n"
    },
    "another object keeps it, made from a class attribute": {
        "program": "class Pair(Dataset):\n    PATH = None\n    def __init__(self):\n        self.rows = Rows(self.PATH)\nPair.PATH = p\npair = Pair()\nos.remove(p)\nDataLoader(pair, num_workers=2)\n"
    },
    "a table gives the function that opens it": {
        "init": "self.path = path\nself.file = OPENERS['plain'](path)",
        "later": "self.path = path\nself._open = OPENERS['plain']",
        "opener": "return self._open(self.path)",
        "program": "rows = Rows('a')\nfor name in ('a', 'b'):\n    os.unlink(name)\n",
    },
    "the constructor removes what a function of a table has opened": {
        "init": "self.path = path\nself.file = OPENERS['plain'](path)\nos.unlink(path)",
        "later": "self.path = path\nself._open = OPENERS['plain']\nos.unlink(path)",
        "opener": "return self._open(self.path)",
    },
    "every copy removes it": {
        "body": "def __del__(self):\n    shutil.rmtree(self.path)\n",
        "program": "rows = Rows('a')\n",
    },
    "it is one of two that a function returns": {
        "program": "def build(d):\n    return len(d), Rows(d)\ndef run():\n    with tempfile.TemporaryDirectory() as d:\n        n, rows = build(d)\n    return rows[0]\n"
    },
    "an exit stack enters the directory": {
        "program": "with contextlib.ExitStack() as stack:\n    d = stack.enter_context(tempfile.TemporaryDirectory())\n    rows = Rows(d)\nprint(rows[0])\n"
    },
    "another object keeps it when the directory is left": {
        "program": "class Pair(Dataset):\n    def __init__(self, d):\n        self.rows = Rows(d)\n    def __getitem__(self, index):\n        return self.rows.file['x'][index]\nwith tempfile.TemporaryDirectory() as d:\n    pair = Pair(d)\nprint(list(DataLoader(pair)))\n"
    },
    "its text reads the file once the directory is left": {
        "body": "def __repr__(self):\n    return str(self.file)\n",
        "program": "with tempfile.TemporaryDirectory() as d:\n    r = Rows(d)\nprint(f'{r}')\n",
    },
    "the caller leaves the temporary directory": {
        "program": "with tempfile.TemporaryDirectory() as d:\n    rows = Rows(d)\nprint(list(DataLoader(rows)))\n"
    },
}


SEEN_FROM_AFAR = {
    "by the name it is joined from": "def make(p):\n    root, name = os.path.split(p)\n    full = root + name\n    r = Rows(full)\n    os.unlink(p)\n    return r\n",
    "by a configuration that holds it": "def make(p):\n    config = Config(p)\n    r = Rows(config.path)\n    os.unlink(p)\n    return r\n",
    "with the folder around it": "def make(d):\n    r = Rows(os.path.join(d, 'a'))\n    shutil.rmtree(d)\n    return r\n",
}


@pytest.mark.parametrize("program", SEEN_FROM_AFAR.values(), ids=SEEN_FROM_AFAR)
def test_a_file_is_not_opened_later_where_its_caller_removes_it(program):
    assert "the file may be removed" in opened(program=program)[0]


UNRELATED = {
    "other options of the command line": "def main():\n    args = parser.parse_args()\n    r = Rows(args.path)\n    os.unlink(args.log)\n    return r\n",
    "after the loader was gone through": "def main(p):\n    r = Rows(p)\n    loader = DataLoader(r)\n    for b in loader:\n        print(b)\n    os.unlink(p)\n",
    "when the object is no longer used": "with tempfile.TemporaryDirectory() as d:\n    found = [Rows(d)]\n    print(found[0])\nprint(len(found))\n",
    "when the object that keeps it is no longer used": "class Pair:\n    def __init__(self, d):\n        self.rows = Rows(d)\n        self.size = 2\nwith tempfile.TemporaryDirectory() as d:\n    pair = Pair(d)\n    print(pair.rows[0])\nprint(pair.size)\n",
    "its text once the directory is left": "with tempfile.TemporaryDirectory() as d:\n    r = Rows(d)\n    print(r.path)\nprint(f'{r!r}')\n",
    "nothing when its context is left": "@contextlib.contextmanager\ndef timed(p):\n    yield p\n    print(p)\nwith timed('a') as p:\n    r = Rows(p)\nloader = DataLoader(r)\n",
    "a part of its name": "def main(p):\n    r = Rows(p)\n    print(p.replace('a', 'b'))\n    return r\n",
}


@pytest.mark.parametrize("program", UNRELATED.values(), ids=UNRELATED)
def test_a_file_may_be_opened_later_where_its_caller_removes(program):
    assert opened(program=program) == []


def test_a_local_name_for_an_attribute_is_bound_where_it_was():
    reasons = opened(
        init="self.path = path\nsource = self.path\nself.path = 'gone'\nself.file = h5py.File(source)",
        later="self.path = path\nself.path = 'gone'",
        opener="source = self.path\nreturn h5py.File(source)",
    )
    assert "when it may have been reassigned" in reasons[0]


@pytest.mark.parametrize("case", GONE.values(), ids=GONE)
def test_a_file_is_not_opened_later_where(case):
    assert opened(**case)


def test_what_a_function_returns_beside_the_object_may_be_used_after_its_files():
    program = "def build(d):\n    return len(d), Rows(d)\ndef run():\n    with tempfile.TemporaryDirectory() as d:\n        n, rows = build(d)\n        print(rows[0])\n    return n\n"
    assert opened(program=program) == []


POSITIONS = {
    "a header was read by readline": ("self.columns = self.file.readline()", "readline"),
    "a header was read by next": ("self.columns = next(self.file)", "next"),
    "some bytes were skipped": ("self.file.seek(128)", "seek"),
    "lines were gone through": ("for line in self.file:\n    if line == '':\n        break", "for"),
}


@pytest.mark.parametrize(("advance", "word"), POSITIONS.values(), ids=POSITIONS)
def test_a_position_is_kept_where(advance, word):
    program = {
        "init": f"self.path = path\nself.file = open(path)\n{advance}",
        "later": f"self.path = path\nwith contextlib.closing(self.file):\n    {advance.replace(chr(10), chr(10) + '    ')}\ndel self.file",
        "body": "def __iter__(self):\n    for line in self.file:\n        yield line\n",
        "bases": "IterableDataset",
    }
    reasons = opened(**program, opener="return open(self.path)")
    assert any(f"`{word}`" in reason for reason in reasons)


def test_a_position_does_not_matter_to_what_seeks_first():
    assert not opened(
        init="self.path = path\nself.file = open(path)\nself.head = self.file.readline()",
        later="self.path = path\nwith contextlib.closing(self.file):\n    self.head = self.file.readline()\ndel self.file",
        opener="return open(self.path)",
        body="def __getitem__(self, i):\n    self.file.seek(i)\n    return self.file.read(1)\n",
    )


STATE_PAIR = """
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["file"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        {opener}
"""

_HOOK = "def load(self):\n    return h5py.File(self.path)\n"
_SETUP = "def setup(self):\n    self.file = self.load()\n" + _HOOK
RUN_AGAIN = {
    "by a method": ("self.file = self.load()", "self.file = self.load()", _HOOK),
    "by a method of a method": ("self.setup()", "self.setup()", _SETUP),
    "by a method that another one calls": ("self.setup()", "self.file = self.load()", _SETUP),
}


@pytest.mark.parametrize(("call", "opener", "body"), RUN_AGAIN.values(), ids=RUN_AGAIN)
def test_what_a_constructor_sets_after_it_opened_is_not_read_later(call, opener, body):
    same = f"self.path = path\n{call}"
    pair = {"opener": opener, "getter": STATE_PAIR, "body": body}
    assert not opened(init=same, later=same, **pair)
    assert not opened(init=f"self.path = 'a'\n{same}", later=f"self.path = 'a'\n{same}", **pair)
    branches = (
        f"self.path = path\nif path:\n    {call}\nelse:\n    self.path = None\n    self.file = None"
    )
    assert not any("reassigned" in why for why in opened(init=branches, later=branches, **pair))
    again = f"{same}\nself.path = None"
    assert "reassigned" in opened(init=again, later=again, **pair)[0]


def test_a_base_that_sets_it_after_its_subclass_opened():
    before = """
    class Base:
        def __init__(self, path):
            self.path = path
            self.setup()
            self.path = None
    class Rows(Base, Dataset):
        def setup(self):
            self.file = h5py.File(self.path)
        def __getitem__(self, i):
            return self.file[i]
    rows = Rows('a')
    """
    getter = """
        @property
        def file(self):
            return h5py.File(self.path)
    """
    after = before.replace("self.file = h5py.File(self.path)", "pass").replace(
        "        def __getitem__", getter.rstrip(" ") + "        def __getitem__"
    )
    assert "reassigned" in worse(before, after)[0]
    fine = [text.replace("            self.path = None\n", "") for text in (before, after)]
    assert not worse(*fine)


def test_what_is_opened_again_for_a_state_reads_what_it_read():
    restored = STATE_PAIR
    same = "self.path = path\nself.file = h5py.File(path)"
    opener = "self.file = h5py.File(self.path)"
    assert not opened(init=same, later=same, opener=opener, getter=restored)
    assert opened(
        init=same,
        later=same,
        opener=opener,
        getter=restored,
        program="rows = Rows('a')\nrows.path = 'b'\n",
    )
    nested = "self.c = c\nself.file = h5py.File(c.path)"
    assert opened(
        init=nested,
        later=nested,
        opener="self.file = h5py.File(self.c.path)",
        getter=restored,
        parameters="c",
    )


PASSED_ON = {
    "a function": "def open_it(config):\n    return h5py.File(config.path)\n",
    "a class": "class open_it:\n    def __init__(self, config):\n        self.file = h5py.File(config['path'])\n",
}


@pytest.mark.parametrize("program", PASSED_ON.values(), ids=PASSED_ON)
def test_what_the_opener_passes_on_is_not_looked_into_later_by(program):
    assert (
        "`config`"
        in opened(
            init="self.config = config\nself.file = open_it(config)",
            later="self.config = config",
            opener="return open_it(self.config)",
            parameters="config",
            program=program,
        )[0]
    )


KEYS = {
    "object.__setattr__": "object.__setattr__(rows, 'path', 'b')",
    "an update of __dict__": "rows.__dict__.update(path='b')",
    "an assignment to a copy": "twin = copy.copy(rows)\ntwin.path = 'b'",
    "an assignment to a copy under its own name": "rows = copy.copy(rows)\nrows.path = 'b'",
    "an assignment in a function to a copy of what it takes": "def moved(one):\n    one = copy.copy(one)\n    one.path = 'b'\n    return one\n\nrows = moved(rows)",
    "an item of vars": "vars(rows)['path'] = 'b'",
    "setattr": "setattr(rows, 'path', 'b')",
}


@pytest.mark.parametrize("statement", KEYS.values(), ids=KEYS)
def test_an_attribute_is_not_read_later_where_it_is_set_by(statement):
    reasons = opened(program=f"rows = Rows('a')\n{statement}\n")
    assert any("`path` is read later" in reason for reason in reasons)


STORING = {
    "under the name it gets": ("self.__dict__[key] = value", False),
    "by the method of object": ("object.__setattr__(self, key, value)", False),
    "under another name": ("self.__dict__[self.names[key]] = value", True),
    "under a name it gets, bound again": ("key = own(key)\nself.__dict__[key] = value", True),
}


@pytest.mark.parametrize(("line", "refused"), STORING.values(), ids=STORING)
def test_a_hook_that_stores_what_assignments_give_sets_nothing_again(line, refused):
    hook = "def __setattr__(self, key, value):\n" + textwrap.indent(line, "    ") + "\n"
    reasons = opened(body=hook)
    assert refused == any("`path` is read later" in reason for reason in reasons)


NAMED = {
    "other names": ("for key in ['lr', 'size']:", False),
    "other names under a name": ("keys = ('lr', 'size')\nfor key in keys:", False),
    "this name too": ("for key in ['lr', 'path']:", True),
    "a list that grows": ("keys = ['lr']\nkeys.append('path')\nfor key in keys:", True),
    "no names": ("keys = []\nfor key in keys:", False),
    "names from elsewhere": ("for key in options:", True),
}


@pytest.mark.parametrize(("loop", "refused"), NAMED.values(), ids=NAMED)
def test_names_that_a_loop_spells_out_are_those_that_are_set(loop, refused):
    reasons = opened(program=f"rows = Rows('a')\n{loop}\n    setattr(rows, key, options[key])\n")
    assert refused == any("`path` is read later" in reason for reason in reasons)


@pytest.mark.parametrize(("made", "refused"), [("Rows(path)", True), ("Other()", False)])
def test_what_a_function_gives_is_an_object_only_if_one_comes_there(made, refused):
    program = f"""
class Other:
    pass

def build(path):
    return {made}

def main(path, options):
    held = build(path)
    for key in options:
        setattr(held, key, options[key])
    return Rows(path)
"""
    assert refused == any("`path` is read later" in reason for reason in opened(program=program))


WRITES = [
    "h5py.File(path, 'w')",
    "open(path, 'wb')",
    "open(path, mode='a')",
    "zipfile.ZipFile(path, 'r+')",
]


@pytest.mark.parametrize("expression", WRITES)
def test_what_is_written_is_opened_once(expression):
    later = expression.replace("path", "self.path", 1)
    reasons = opened(init=f"self.path = path\nself.file = {expression}", opener=f"return {later}")
    assert any("is opened for writing" in reason for reason in reasons)


def test_the_environment_is_not_read_later_where_it_changes():
    case = {
        "init": "self.path = path\nself.file = h5py.File(os.environ['ROOT'] + path)",
        "opener": "return h5py.File(os.environ['ROOT'] + self.path)",
    }
    assert opened(**case) == []
    assert (
        "the environment is read later" in opened(**case, program="os.environ['ROOT'] = 'a'\n")[0]
    )


REPLACED = {
    "written": "with open(p, 'w') as f:\n        f.write('x')",
    "copied over": "shutil.copy('new.h5', p)",
    "unlinked": "p.unlink()",
    "renamed": "os.rename(p, 'b')",
}


@pytest.mark.parametrize("statement", REPLACED.values(), ids=REPLACED)
def test_a_file_is_not_opened_later_where_its_caller_has_it(statement):
    program = f"def prepare(p):\n    rows = Rows(p)\n    {statement}\n    return rows\n"
    assert "the file may be removed" in opened(program=program)[0]


def test_a_cursor_keeps_its_query():
    reasons = opened(
        init="self.path = path\nself.file = sqlite3.connect(path).cursor()\nself.file.execute('SELECT 1')",
        opener="return sqlite3.connect(self.path).cursor()",
        body="def __iter__(self):\n    yield from self.file\n",
    )
    assert any(
        "with `execute`, but the reopened resource starts at the beginning" in reason
        for reason in reasons
    )


def test_a_path_that_was_kept_absolute_may_be_opened_after_the_directory_changes():
    assert not opened(
        later="self._path = os.path.abspath(path)",
        opener="return h5py.File(self._path)",
        program="rows = Rows('a')\nos.chdir('/')\n",
    )


def test_a_file_that_is_opened_for_a_state_is_still_there():
    members = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state["file"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = h5py.File(self.path, "r")
"""
    init = "self.path = path\nself.file = h5py.File(path, 'r')"
    program = "def make(p):\n    r = Rows(p)\n    {0}\n    return r\n"
    for statement, allowed in (("print(p)", True), ("os.unlink(p)", False)):
        reasons = opened(
            init=init, later=init, opener="", getter=members, program=program.format(statement)
        )
        assert allowed != any("the file may be removed" in reason for reason in reasons)


TALK = """
def ask(self, text):
    self.file.sendall(text)
    return self.file.recv(9)

def __getitem__(self, i):
    return self.ask(b'row')
"""
CONNECT = "return socket.create_connection(self.path)"


def test_what_was_said_through_a_connection_is_not_said_again():
    reasons = opened(
        init="self.path = path\nself.file = socket.create_connection(path)\nself.dim = self.ask(b'hello')",
        later="self.path = path\nself.dim = self.ask(b'hello')\nself.file.close()\ndel self.file",
        opener=CONNECT,
        body=TALK,
    )
    assert any("a new connection does not have this state" in reason for reason in reasons)


def test_a_connection_that_says_nothing_yet_may_be_made_later():
    reasons = opened(
        init="self.path = path\nself.file = socket.create_connection(path)",
        opener=CONNECT,
        body=TALK,
    )
    assert not any("connection" in reason for reason in reasons)


ENVIRONMENT = """
def locate(name):
    return os.path.join(os.environ["ROOT"], name)

def main():
    os.environ["ROOT"] = "b"
"""


def test_a_function_that_an_opener_calls_does_not_read_the_environment_later():
    reasons = opened(
        init="self.name = name\nself.file = h5py.File(locate(name), 'r')",
        later="self.name = name",
        opener="return self._open_file()",
        getter=LAZY
        + "\n    def _open_file(self):\n        return h5py.File(locate(self.name), 'r')\n",
        parameters="name",
        program=ENVIRONMENT,
    )
    assert any("the environment is read later than before the fix" in reason for reason in reasons)


HEADER = """
    def __getitem__(self, index):
        return self.archive.read(str(index))
"""


def test_a_header_is_read_before_the_file_becomes_an_archive():
    before = """
class Packed(Dataset):
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.raw = open(self.path, "rb")
        self.note = self.raw.readline()
        self.archive = zipfile.ZipFile(self.raw)
"""
    after = """
class Packed(Dataset):
    def __init__(self, path):
        self.path = os.path.abspath(path)
        with open(self.path, "rb") as raw{}
            self.note = raw.readline(){}

    @functools.cached_property
    def raw(self):
        return open(self.path, "rb")

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self.raw)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("raw", None)
        state.pop("archive", None)
        return state
"""
    swapped = after.format(", zipfile.ZipFile(raw) as archive:", "")
    kept = after.format(":", "\n            zipfile.ZipFile(raw).close()")
    reason = "`readline` ran before the file was passed to `ZipFile` but now runs after it"
    assert reason in worse(before + HEADER, swapped + HEADER)
    assert reason not in worse(before + HEADER, kept + HEADER)


def test_a_log_that_an_heir_starts_by_a_method_of_its_base_is_opened_for_writing_once():
    base = """
        class Audited:
            def start(self, path):
                {start}
            {members}

        class Rows(Audited, Dataset):
            def __init__(self, path):
                self.start(path)
            def __getitem__(self, index):
                self.log.write("read")
                return index
    """
    before = base.format(start='self.log = open(path, mode="w")', members="")
    after = base.format(
        start="self.path = path",
        members=(
            "@functools.cached_property\n"
            "            def log(self):\n"
            '                return open(self.path, mode="w")'
        ),
    )
    assert any("opened for writing" in reason for reason in worse(before, after))


@pytest.mark.parametrize(
    ("program", "refused"),
    [("rows.path = 'b'", True), ("rows.scale = 2", False), ("path = 'b'", False)],
)
def test_a_worker_opens_what_the_parent_had_opened_on_first_use(program, refused):
    text = (
        "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n\n"
        "    @functools.cached_property\n    def file(self):\n        return h5py.File(self.path)\n{}\n"
        f"rows = Rows('a')\nprint(rows.file)\n{program}\nDataLoader(rows, num_workers=2)\n"
    )
    state = "    def __getstate__(self):\n        state = self.__dict__.copy()\n        state.pop('file', None)\n        return state\n"
    reasons = worse(text.format(""), text.format("\n" + state))
    assert refused == any("may open another `file`" in reason for reason in reasons)


@pytest.mark.parametrize(("read", "refused"), [("_scale", True), ("scale", False)])
def test_a_function_in_a_method_still_reads_what_is_current(read, refused):
    reasons = opened(
        init="self.path = path\nself.scale = 2\nself.file = sqlite3.connect(path)\n"
        "self.file.create_function('by', 1, lambda v: v * self.scale)",
        later="self.path = path\nself.scale = 2\nself._scale = self.scale",
        opener="file = sqlite3.connect(self.path)\n"
        f"file.create_function('by', 1, lambda v: v * self.{read})\nreturn file",
    )
    assert refused == any("it read the current one" in each for each in reasons)


@pytest.mark.parametrize(("then", "refused"), [("", False), ("\nscale = 3", True)])
def test_a_function_in_a_constructor_may_read_a_kept_argument_that_stays_as_it_is(then, refused):
    reasons = opened(
        parameters="path, scale",
        init="self.path = path\nself.file = sqlite3.connect(path)\n"
        f"self.file.create_function('by', 1, lambda v: v * scale){then}",
        later=f"self.path = path\nself._scale = scale{then}",
        opener="file = sqlite3.connect(self.path)\n"
        "file.create_function('by', 1, lambda v: v * self._scale)\nreturn file",
    )
    assert refused == any("it read the current one" in each for each in reasons)


@pytest.mark.parametrize(("given", "refused"), [("Place('a')", True), ("str(Place('a'))", False)])
def test_a_path_that_an_object_gives_when_it_is_opened_may_change(given, refused):
    program = (
        "class Place:\n    def __init__(self, name):\n        self.name = name\n\n"
        f"    def __fspath__(self):\n        return self.name\n\nrows = Rows({given})\n"
    )
    reasons = opened(program=program)
    assert refused == any("may give another path" in each for each in reasons)


COMPUTED = {
    "a function that is passed it": (
        "def fill(target, **options):\n    for name, value in options.items():\n"
        "        setattr(target, name, value)\n\nrows = Rows('a')\nfill(rows, path='b')\n",
        True,
    ),
    "other names passed to it": (
        "def fill(target, **options):\n    for name, value in options.items():\n"
        "        setattr(target, name, value)\n\nrows = Rows('a')\nfill(rows, scale=2)\n",
        False,
    ),
    "another object passed to it": (
        "def fill(target, options):\n    for name, value in options.items():\n"
        "        setattr(target, name, value)\n\nrows = Rows('a')\nother = object()\nfill(other, {'path': 1})\n",
        False,
    ),
    "an object among keyword arguments": (
        "def fill(**targets):\n    for name, target in targets.items():\n        for key, value in read(name):\n"
        "            setattr(target, key, value)\n\nrows = Rows('a')\nfill(rows=rows)\n",
        True,
    ),
    "objects of which none is seen there": (
        "def fill(targets):\n    for target in targets:\n        for key, value in read(target):\n"
        "            setattr(target, key, value)\n\nrows = Rows('a')\nfill([object()])\n",
        False,
    ),
    "a dict": ("rows = Rows('a')\nstate = read()\nvars(rows).update(state)\n", True),
    "a dict of known names": (
        "rows = Rows('a')\nstate = {'scale': 2}\nvars(rows).update(state)\n",
        False,
    ),
    "a union": ("rows = Rows('a')\nrows.__dict__ |= read()\n", True),
    "a key that is worked out": (
        "rows = Rows('a')\nfor key in read():\n    vars(rows)[key] = 1\n",
        True,
    ),
}


@pytest.mark.parametrize(("program", "refused"), COMPUTED.values(), ids=COMPUTED)
def test_what_is_set_under_names_that_are_worked_out(program, refused):
    reasons = opened(program=program)
    assert refused == any("`path` is read later" in reason for reason in reasons)


FOLDERS = (
    "FOLDERS = []\n\ndef find(name):\n    for folder in FOLDERS:\n        return folder + name\n"
)
GROWS = {
    "by its module": ("import places\nplaces.FOLDERS.append('b')\n", True),
    "by its name": ("from places import FOLDERS\nFOLDERS.append('b')\n", True),
    "of another module": ("import other\nother.FOLDERS.append('b')\n", False),
    "not at all": ("import places\nprint(places.FOLDERS)\n", False),
}


@pytest.mark.parametrize(("program", "refused"), GROWS.values(), ids=GROWS)
def test_a_list_of_another_module_that_a_function_reads_later(program, refused):
    reasons = opened(
        decorator="from places import find\n",
        init="self.path = path\nself.file = h5py.File(find(path), 'r')",
        opener="return h5py.File(find(self.path), 'r')",
        program=program + "rows = Rows('a')\n",
        places=FOLDERS,
        other="FOLDERS = []\n",
    )
    assert refused == any("`FOLDERS` is read later" in reason for reason in reasons)


@pytest.mark.parametrize("patched", ["os.environ", "options"])
def test_an_environment_that_is_patched_is_not_read_later(patched):
    reasons = opened(
        init="self.file = h5py.File(os.environ['ROWS'], 'r')",
        later="pass",
        opener="return h5py.File(os.environ['ROWS'], 'r')",
        program=f"options = {{}}\nwith mock.patch.dict({patched}, ROWS='a'):\n    rows = Rows('a')\n",
    )
    assert (patched == "os.environ") == any("environment is read later" in r for r in reasons)


FACTORY = "class Connection(sqlite3.Connection):\n    {shared} = []\n\n    def __init__(self, path):\n        self.opened.append(path)\n"


@pytest.mark.parametrize(("shared", "refused"), [("opened", True), ("other", False)])
@pytest.mark.parametrize("opener", ["sqlite3.connect({}, factory=Connection)", "Connection({})"])
def test_what_the_class_of_a_handle_notes_is_not_put_off(opener, shared, refused):
    reasons = opened(
        decorator=FACTORY.format(shared=shared),
        init=f"self.path = path\nself.file = {opener.format('path')}",
        opener=f"return {opener.format('self.path')}",
        program="rows = Rows('a')\nprint(Connection.opened)\n",
    )
    assert refused == any("changes `opened`" in reason for reason in reasons)
