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


STEPPED = """
class Nothing:
    def __getattr__(self, name):
        return print

class Saver:
    def __init__(self, rows, out, other):
        self.rows = rows
        self.kept = {path}
        self.spare = f"{{out}}/spare.pt"

    def at(self, path):
        {at}

    def step(self, path=None):
        self.save({passed})

    def save(self, path=None):
        os.rename({renamed}, self.spare)

def main(args):
    rows = Rows(args.rows)
    saver = {made}
    saver.step({given})
    return DataLoader(rows, num_workers=2)
"""
SAVER = "Saver(rows, args.out, args.other)"
STEPS = {
    "another path": ({}, False),
    "one of two classes": (
        {"made": f"Nothing()\n    if args.first:\n        saver = {SAVER}"},
        False,
    ),
    "the path of the object": ({"path": "out", "made": "Saver(rows, args.rows, 'x')"}, True),
    "an attribute of the object": ({"path": "rows.path"}, True),
    "set by another method": ({"at": "self.kept = path"}, True),
    "passed on": ({"renamed": "path", "passed": "path", "given": "args.rows"}, True),
    "one of two in an expression": ({"made": f"Nothing() if args.first else {SAVER}"}, False),
    "the path of the object, one of two in an expression": (
        {"path": "out", "made": "args.first and Nothing() or Saver(rows, args.rows, 'x')"},
        True,
    ),
    "of a class that is not known": ({"made": "make(rows, args.out)"}, True),
    "an item of a list": ({"path": "out", "made": "[Saver(rows, args.rows, 'x')][0]"}, True),
}


@pytest.mark.parametrize(("parts", "refused"), STEPS.values(), ids=STEPS)
def test_a_method_that_calls_another_of_its_object(parts, refused):
    named = {
        "path": "f'{out}/a.pt'",
        "at": "pass",
        "passed": "",
        "renamed": "self.kept",
        "made": SAVER,
        "given": "",
    }
    program = STEPPED.format(**named | parts)
    found = opened(program=program)
    assert any("removed, renamed or modified" in each for each in found) is refused


ON_DEMAND = """
    @property
    def file(self):
        return self._file_by_pid.get(os.getpid())

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {{}}
        return state
"""
GONE = {
    "renames": "rows = Rows(path)\nos.renames(path, 'used/a')",
    "another name of remove": "rows = Rows(path)\ndrop = os.remove\ndrop(path)",
    "a temporary directory": "scratch = tempfile.TemporaryDirectory()\n"
    "path = shutil.copy(path, scratch.name)\nrows = Rows(path)\nscratch.cleanup()",
    "after its attributes were gone through": "rows = Rows(path)\n"
    "print([type(part) for part in vars(rows).values()])\nos.remove(path)\nprint(rows[0])",
    "between two epochs": "rows = Rows(path)\nloader = DataLoader(rows, num_workers=2)\n"
    "for row in loader:\n    print(row)\nos.remove(path)\nfor row in loader:\n    print(row)",
    "each after it is opened": "rows = [(Rows(path), os.remove(path)) for path in [path]]",
    "by a generator expression": "rows = [Rows(path) for path in (os.remove(path) or path for path in [path])]",
    "by what a second loop goes through": "rows = [Rows(path) for _ in range(2) for _ in [os.remove(path)]]",
    "written where another file is missing": "rows = Rows(path)\nif not os.path.exists(other):\n    open(path, 'w')",
    "written if forced": "rows = Rows(path)\nif FORCED or not os.path.exists(path):\n    open(path, 'w')",
    "written where it is": "rows = Rows(path)\nif os.path.exists(path):\n    open(path, 'w')",
    "written under the name of another": "rows = Rows(path)\nspare = path + '.1'\nif not os.path.exists(spare):\n"
    "    spare = path\n    open(spare, 'w')",
    "a temporary file": "scratch = tempfile.NamedTemporaryFile()\nrows = Rows(scratch.name)\nscratch.close()",
}
THERE = {
    "another temporary directory": "scratch = tempfile.TemporaryDirectory()\nrows = Rows(path)\nscratch.cleanup()",
    "another name of another function": "rows = Rows(path)\ndrop = print\ndrop(path)",
    "another file is closed": "log = open('log')\nrows = Rows(path)\nlog.close()",
    "written before the first is opened": "rows = [Rows(path) for path in [shutil.copy('a', path)]]",
    "written where there was none": "rows = Rows(path)\nif not os.path.isfile(path):\n    open(path, 'w')",
    "written beside a cache that was read": "rows = Rows(path)\nspare = path + str(len(rows))\n"
    "if os.path.exists(spare):\n    keys = open(spare).read()\nelse:\n    np.save(spare, list(rows))",
    "written after a cache was returned": "rows = Rows(path)\nspare = pathlib.Path(path).with_suffix(name())\n"
    "if spare.exists():\n    return spare\nnp.save(spare, list(rows))",
    "written by a function where there was none": "rows = Rows(path)\nif not os.path.exists(path) and True:\n"
    "    write(path)\n\ndef write(where):\n    open(where, 'w')",
    "removed before the first is opened": "rows = {path: Rows(path) for path in fresh(os.remove(path))}",
}


@pytest.mark.parametrize("program", GONE.values(), ids=GONE)
def test_a_file_is_gone_once_its_temporary_home_is(program):
    program = "def main(path):\n" + textwrap.indent(program, "    ")
    assert any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize("program", THERE.values(), ids=THERE)
def test_a_file_stays_where_another_goes(program):
    program = "def main(path):\n" + textwrap.indent(program, "    ")
    assert not any("may be removed" in reason for reason in opened(program=program))


LISTED = {
    "os": ("for each in os.listdir():\n    os.remove(each)", True),
    "os, by name": ("for each in sorted(os.listdir('.')):\n    os.remove(each)", True),
    "entries": ("for each in os.scandir(os.curdir):\n    os.remove(each.path)", True),
    "trees": ("for at, _, names in os.walk(os.getcwd()):\n    os.remove(names[0])", True),
    "pathlib": ("for each in pathlib.Path('.').iterdir():\n    each.unlink()", True),
    "pathlib, where it is": ("for each in pathlib.Path.cwd().iterdir():\n    each.unlink()", True),
    "another folder": ("for each in os.listdir('old'):\n    os.remove('old/' + each)", False),
    "a folder by name": ("for each in folder.iterdir():\n    each.unlink()", False),
    "a dict": ("for each in folder.walk.items():\n    os.remove(each)", False),
}


@pytest.mark.parametrize(("loop", "refused"), LISTED.values(), ids=LISTED)
def test_what_the_working_directory_lists_may_be_the_file(loop, refused):
    program = "import pathlib\ndef main(folder):\n    rows = Rows('rows.h5')\n"
    found = opened(program=program + textwrap.indent(loop, "    "))
    assert any("may be removed" in reason for reason in found) is refused


@pytest.mark.parametrize("remove", ["os.remove(path)", "self.clean(path)"])
def test_a_constructor_that_removes_its_file_does_not_open_it_later(remove):
    reasons = opened(
        init=f"self.file = h5py.File(path)\n{remove}\nself.length = len(self.file)\nself.file.close()",
        later=f"{remove}\nwith h5py.File(path) as file:\n    self.length = len(file)",
        body="def clean(self, path):\n    os.remove(path)\n",
    )
    assert any("the constructor removes" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("called", "refused"), [("data.build(path)", True), ("nets.build(path)", False)]
)
def test_only_the_function_that_makes_the_object_counts(called, refused):
    reasons = opened(
        data="from main import Rows\n\ndef build(path):\n    return Rows(path)\n",
        nets="def build(path):\n    return path\n",
        script=f"import os\nimport data\nimport nets\nrows = {called}\nos.remove(path)\n",
    )
    assert refused == any("may be removed" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("os.path.join(folder, 'config.yaml')", False),
        ("f'{name}.json'", False),
        ("path.split('/')[-1] + '/results.csv'", False),
        ("path + '.h5'", True),
        ("os.path.join(path, name)", True),
    ],
)
def test_a_text_file_is_not_what_a_library_opened(path, refused):
    program = f"def main(path, folder, name):\n    rows = Rows(path)\n    open({path}, 'w')\n"
    assert refused == any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("f'find {path} -name a | sort'", False),
        ("'cd {}; ls | wc -l'.format(path)", False),
        ("['ls', path]", False),
        ("'find %s -delete' % path", True),
        ("f'ls {path}; rm {path}'", True),
        ("'cat a > ' + path", True),
        ("path", True),
    ],
)
def test_a_command_that_only_reads_leaves_the_file(command, refused):
    program = f"def main(path):\n    rows = Rows(path)\n    subprocess.check_call({command}, shell=True)\n"
    assert refused == any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize(
    ("body", "refused"), [("return rank() > 0", False), ("return load(p)", True)]
)
def test_a_library_opens_no_text_file_whatever_functions_give_its_options(body, refused):
    program = (
        f"def is_first(p):\n    {body}\n"
        "def main(path, name):\n    rows = Rows(path)\n    open(f'{path}/{name}.json', 'w')\n"
    )
    reasons = opened(
        init="self.path = path\nself.file = h5py.File(path, 'r', swmr=is_first(path))",
        opener="return h5py.File(self.path, 'r', swmr=is_first(self.path))",
        program=program,
    )
    assert refused == any("may be removed" in reason for reason in reasons)


LATER = """
def connect(self):
    if self.file is None:
        self.file = h5py.File(self.path)

def __getitem__(self, i):
    self.connect()
    return self.file[i]
"""


@pytest.mark.parametrize(
    ("first", "refused"), [("self.file = None", False), ("self.file = None\nself.connect()", True)]
)
def test_a_constructor_may_remove_what_is_only_opened_after_it(first, refused):
    reasons = opened(
        init=f"self.path = path\n{first}\nos.unlink(path)",
        later=f"self._file_by_pid = {{}}\nself.path = path\n{first}\nos.unlink(path)".replace(
            "self.file = None\n", ""
        ),
        getter=ON_DEMAND,
        body=LATER,
    )
    assert refused == any("the constructor removes" in reason for reason in reasons)


FIRST = {
    "once": ("os.unlink(path)\nself.build(path)", False),
    "in a loop": ("for each in parts:\n    os.remove(each)\nself.build(path)", False),
    "by a method": ("self.clean(path)\nself.build(path)", False),
    "after it was opened": ("self.build(path)\nos.unlink(path)", True),
    "in the next turn": ("for each in parts:\n    os.remove(each)\n    self.build(each)", True),
    "by a method that is called twice": (
        "self.clean(path)\nself.build(path)\nself.clean(path)",
        True,
    ),
}


@pytest.mark.parametrize(("lines", "refused"), FIRST.values(), ids=FIRST)
def test_a_constructor_may_remove_what_it_builds_and_opens_then(lines, refused):
    reasons = opened(
        init=f"{lines}\nself.path = path\nself.file = h5py.File(path, 'r')",
        later=f"{lines}\nself.path = path",
        parameters="path, parts",
        body="""
            def clean(self, path):
                os.remove(path)

            def build(self, path):
                with h5py.File(path, "w") as file:
                    file["x"] = [1]
        """,
    )
    assert refused == any("the constructor removes" in reason for reason in reasons)


def test_a_parameter_may_be_the_file_though_it_has_another_default():
    program = """
def main(path):
    rows = Rows(path)
    write(path)

def write(out):
    if not out:
        out = "a.json"
    open(out, "w")
"""
    assert any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize(
    ("key", "refused"),
    [("options['out']", False), ("options.get('out', '')", False), ("options['path']", True)],
)
def test_another_entry_of_the_options_is_another_file(key, refused):
    reasons = opened(
        init="self.file = h5py.File(options['path'])",
        later="self.path = options['path']",
        parameters="options",
        opener="return h5py.File(self.path)",
        program=f"def main(options):\n    rows = Rows(options)\n    os.remove({key})\n",
    )
    assert refused == any("may be removed" in reason for reason in reasons)


@pytest.mark.parametrize("source", ["made(path)", "sorted(made(path))"])
def test_a_generator_may_remove_a_file_after_each_object(source):
    program = f"""
def made(path):
    for each in [path]:
        yield each
        os.remove(path)

def main(path):
    rows = [Rows(each) for each in {source}]
"""
    assert any("may be removed" in reason for reason in opened(program=program))


def test_a_function_that_returns_removes_before_the_first_object_is_made():
    program = """
def made(path):
    os.remove(path)
    return [path]

def main(path):
    rows = [Rows(each) for each in made(path)]
"""
    assert not any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize(
    ("opener", "refused"), [("h5py.File(self.path)", False), ("open(self.path)", True)]
)
def test_what_is_opened_on_demand_is_what_fills_the_attribute(opener, refused):
    reasons = opened(
        init="self.path = path\nself.file = None\nself.begin()",
        later="self.path = path\nself._file_by_pid = {}\nself.begin()",
        opener="",
        getter=ON_DEMAND,
        body=f"def begin(self):\n    if self.file is None:\n        self.file = {opener}\n",
        program="def main(path):\n    rows = Rows(path)\n    open(path + '/log.txt', 'w')\n",
    )
    assert refused == any("may be removed" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("lock", "refused"), [("filelock.FileLock(path)", False), ("sqlite3.connect(path)", True)]
)
def test_a_lock_file_is_opened_when_it_is_acquired(lock, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = {lock}",
        opener=f"return {lock.replace('path', 'self.path')}",
        program="import filelock\nimport shutil\n\ndef main(path):\n    try:\n        rows = Rows(path)\n"
        "    except ValueError:\n        return\n    shutil.rmtree(path)\n",
    )
    assert refused == any("may be removed" in reason for reason in reasons)
    assert refused == any("outside the `try`" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("made", "again", "refused"),
    [
        ("functools.cache(self.read)", "functools.cache(self.read)", False),
        ("h5py.File(io.BytesIO(path))", "h5py.File(io.BytesIO(self.path))", False),
        ("h5py.File(path)", "h5py.File(self.path)", True),
        ("h5py.File(path, io.BytesIO())", "h5py.File(self.path, io.BytesIO())", True),
    ],
)
def test_what_wraps_a_function_or_reads_memory_opens_no_file(made, again, refused):
    """`mace` decorates a method in the constructor; `spot` sends modules as bytes: a report is written meanwhile."""
    reasons = opened(
        init=f"self.path = path\nself.file = {made}",
        opener=f"return {again} if isinstance(self.path, bytes) else None",
        program="import io\nimport torch\n\ndef main(path):\n    rows = Rows(path)\n    report(path)\n\n"
        "def report(path):\n    with open(path, 'w') as file:\n        file.write('done')\n",
    )
    assert refused == any("may be removed" in reason for reason in reasons)


COPIES = {
    "elsewhere": ("os.system('cp ' + path + ' kept/')", False),
    "under a computed name elsewhere": ("os.system(f'cp \"{path}\" kept/{number}.h5')", False),
    "as arguments": ("subprocess.run(['cp', path, 'kept'])", False),
    "over it": ("os.system('cp other.h5 ' + path)", True),
    "over it, by format": ("os.system('cp {} {}'.format(other, path))", True),
    "and removes it": ("os.system('cp ' + path + ' kept/; rm ' + path)", True),
    "to a folder given first": ("subprocess.run(['cp', '-t', path, 'other.h5'])", True),
    "by what is not spelled out": ("os.system(path + ' other.h5 kept')", True),
    "with an open quote": ("os.system(\"cp '\" + path + ' kept')", True),
}


@pytest.mark.parametrize(("copy", "counts"), COPIES.values(), ids=COPIES)
def test_a_command_that_copies_writes_only_where_it_copies_to(copy, counts):
    program = f"def main(path, other):\n    rows = Rows(path)\n    {copy}\n    return DataLoader(rows, num_workers=2)\n"
    found = [each for each in opened(program=program) if "removed, renamed or modified" in each]
    assert bool(found) is counts


@pytest.mark.parametrize(("name", "counts"), [("ids.txt", False), ("rows.h5", True)])
def test_a_function_writes_the_file_that_it_is_called_with(name, counts):
    writes = "def keep(rows, out):\n    with open(out, 'w') as kept:\n        kept.write(str(len(rows)))\n"
    program = (
        "from own import keep\n\ndef main(folder):\n    rows = Rows(os.path.join(folder, 'rows.h5'))\n"
        f"    keep(rows, os.path.join(folder, {name!r}))\n    return DataLoader(rows, num_workers=2)\n"
    )
    found = [each for each in opened(program=program, own=writes) if "renamed or modified" in each]
    assert bool(found) is counts
    assert all(
        "(own.py:2)" in each for each in found
    )  # where it is written, not where it is called


DONE = {
    "read before only": ("assert len(rows) == 3\nassert rows[0] == 1", False),
    "a loader that is gone through before": ("for batch in DataLoader(rows): print(batch)", False),
    "a loader that is read by its place after": (
        "for batch in DataLoader(rows): print(batch)",
        "print(rows[0])",
        True,
    ),
    "a loader that a function goes through after": (
        "loader = DataLoader(rows)\nfor batch in loader: print(batch)",
        "def show():\n    for batch in loader: print(batch)\nshow()",
        True,
    ),
    "never read": ("pass", True),
    "batches that are kept": (
        "loader, out = DataLoader(rows), []\nfor batch in loader: out.append(batch)",
        "print(out)",
        True,  # a tuple is not followed
    ),
    "batches of a loader that are kept": (
        "loader = DataLoader(rows)\nout = []\nfor batch in loader: out += batch.tolist()",
        "print(out)",
        False,
    ),
    "batches that are counted": (
        "total = 0\nfor step, batch in enumerate(DataLoader(rows)): total += batch",
        "print(total)",
        False,
    ),
    "batches that a function makes": (
        "out = []\nfor batch in DataLoader(rows, collate_fn=fitter): out.append(batch)",
        "print(out)",
        True,
    ),
    "samples that are not collated": (
        "out = []\nfor one in DataLoader(rows, batch_size=None): out.append(one)",
        "print(out)",
        True,
    ),
    "a loader that a list keeps": (
        "loader, kept = DataLoader(rows), []\nkept.append(loader)\nfor batch in loader: print(batch)",
        "print(list(kept[0]))",
        True,
    ),
    "read after": ("assert len(rows) == 3", "print(rows[0])", True),
    "a loader that is read after": ("loader = DataLoader(rows)", "print(next(iter(loader)))", True),
    "kept by an object that is used after": ("fitter.fit(rows)", "fitter.test()", True),
    "kept under an attribute": ("fitter.rows = rows", True),
    "in a list": ("both = [rows, rows]", "print(both[0][0])", True),
    "read by a function that is defined": ("def show():\n    print(rows[0])", "show()", True),
    "yielded before": ("yield rows", True),
    "returned": ("pass", "return rows", True),
    "in the turns of a loop": ("for path in paths:\n    print(rows[0])\n    os.remove(path)", True),
}


def test_a_script_is_done_with_what_its_main_guard_makes():
    body = "rows = Rows('a.h5')\nfor batch in DataLoader(rows): print(batch)\nos.remove('a.h5')"
    last = "print(rows[0])"
    for lines, counts in ((body, False), (f"{body}\n{last}", True)):
        program = f"if __name__ == '__main__':\n{textwrap.indent(lines, '    ')}\n"
        found = opened(program=program)
        assert any("removed, renamed or modified" in each for each in found) is counts


PASSED = (
    "def main(path, other):\n    file = h5py.File(path, 'r')\n    {then}\n    return Rows(file)\n"
)


@pytest.mark.parametrize(
    ("then", "refused"), [("os.remove(path)", True), ("os.remove(other)", False)]
)
def test_a_file_that_the_caller_opened_is_there_until_it_is_opened_again(then, refused):
    found = opened(
        init="self.file = file",
        later="self.given = {os.getpid(): file}\nself.name = file.filename",
        opener="return self.given.get(os.getpid()) or h5py.File(self.name, 'r')",
        parameters="file",
        program=PASSED.format(then=then),
    )
    assert any("removed, renamed or modified" in each for each in found) is refused


@pytest.mark.parametrize("case", DONE.values(), ids=DONE)
def test_a_file_that_is_removed_at_last_is_not_opened_later(case):
    before, *after, counts = case
    body = "\n".join(["rows = Rows(path)", before, "os.remove(path)", *after])
    program = f"def main(path, paths, fitter):\n{textwrap.indent(body, '    ')}\n"
    found = [each for each in opened(program=program) if "removed, renamed or modified" in each]
    assert bool(found) is counts


LOOPS = {
    "after all of it": ("for batch in loader:\n    print(batch)\nos.remove(path)", False),
    "after all of it, by a function": ("show(loader)\nos.remove(path)", False),
    "between two batches": ("for batch in loader:\n    print(batch)\n    os.remove(path)", True),
    "between two batches, in a list": ("print([os.remove(path) for batch in loader])", True),
    "in each epoch": (
        "for epoch in range(2):\n    for batch in loader:\n        print(batch)\n    os.remove(path)",
        True,
    ),
    "after an epoch, by a function": ("while go():\n    show(loader)\n    os.remove(path)", True),
}


@pytest.mark.parametrize(("loop", "counts"), LOOPS.values(), ids=LOOPS)
def test_a_loop_is_over_before_a_file_is_removed_and_does_not_begin_again(loop, counts):
    program = (
        "def show(loader):\n    for batch in loader:\n        print(batch)\n\n"
        "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
    )
    found = opened(program=program + textwrap.indent(loop, "    "))
    assert any("removed, renamed or modified" in each for each in found) is counts


TIDY = "def tidy(place):\n    os.remove(place)\n\n"
REACHED = {
    "by a table": (TIDY, "steps = {'check': tidy}\nsteps['check'](path)", True),
    "by a table of the module": (TIDY + "STEPS = {'check': tidy}\n\n", "STEPS['check'](path)", True),
    "by the name of a global": (TIDY, "globals()['tidy'](path)", True),
    "by a partial": (TIDY, "ready = functools.partial(tidy, path)\nready()", True),
    "by a thread": (TIDY, "threading.Thread(target=tidy, args=(path,)).start()", True),
    "by map": (TIDY, "list(map(tidy, [path]))", True),
    "by a loop": (TIDY, "for step in [tidy]:\n    step(path)", True),
    "by a default": (TIDY + "def run(place, step=tidy):\n    step(place)\n\n", "run(path)", True),
    "by more arguments": ("def tidy(*places):\n    os.remove(places[0])\n\n", "tidy(path)", True),
    "by a constructor": (
        "class Tools:\n    def __init__(self, place):\n        os.remove(place)\n\n",
        "Tools(path)",
        True,
    ),
    "by an object that is called": (
        "class Tools:\n    def __call__(self, place):\n        os.remove(place)\n\n",
        "check = Tools()\ncheck(path)",
        True,
    ),
    "by a property": (
        "class Tools:\n    @property\n    def place(self):\n        return None\n\n"
        "    @place.setter\n    def place(self, place):\n        os.remove(place)\n\n",
        "tools = Tools()\ntools.place = path",
        True,
    ),
    "by an object that is gone": (
        "class Lease:\n    def __init__(self, place):\n        self.place = place\n\n"
        "    def __del__(self):\n        os.remove(self.place)\n\n",
        "lease = Lease(path)\ndel lease",
        True,
    ),
    "by a property that spells the file out": (
        "class Tools:\n    @property\n    def place(self):\n        return None\n\n"
        "    @place.setter\n    def place(self, place):\n        os.remove('a.bin')\n\n",
        "rows = Rows('a.bin')\ntools = Tools()\ntools.place = 1",
        True,
    ),
    "by a local function": ("", "def check():\n    os.remove(path)\ncheck()", True),
    "under another name": ("from os import remove as tidy\n", "tidy(path)", True),
    "by what calls a method": ("import operator\n", "operator.methodcaller('unlink')(path)", True),
    "by a command in parts": (
        "import subprocess\n",
        "command = ['mv']\ncommand += [path, 'b']\nsubprocess.run(command)",
        True,
    ),
    "by a program that it spawns": ("", "os.spawnlp(os.P_WAIT, 'rm', 'rm', path)", True),
    "by a library": ("import toolbox\n", "toolbox.refresh(path)", True),
    "by a library, of the object": ("import toolbox\n", "toolbox.refresh(rows.path)", True),
    "a library that may look": ("import toolbox\n", "toolbox.load_index(path)", True),
    "a library that gets the object": ("import toolbox\n", "toolbox.report(rows)", False),
    "a library with other options": ("import toolbox\n", "toolbox.seed_all(args.seed)", False),
    "a table for another file": (TIDY, "steps = {'check': tidy}\nsteps['check'](other)", False),
    "a function that looks": ("def tidy(place):\n    print(os.stat(place))\n\n", "tidy(path)", False),
    "a command that looks": ("import subprocess\n", "subprocess.run(args=['cat', path])", False),
}  # fmt: skip


@pytest.mark.parametrize(("above", "does", "refused"), REACHED.values(), ids=REACHED)
def test_what_removes_a_file_is_found_however_it_is_called(above, does, refused):
    body = textwrap.indent(
        f"rows = Rows(path)\n{does}\nreturn DataLoader(rows, num_workers=2)", "    "
    )
    reasons = opened(program=f"{above}def main(path, other, args):\n{body}\n")
    assert refused == any("may be removed" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("call", "counts"),
    [
        ("package.pack(path)", True),
        ("np.outer(path, path)", False),
        ("np.savez(path)", True),
        ("torch.save(path, 'a.pt')", False),
        ("torch.save(1, path)", True),
        ("super().__init__(path)", False),
        ("net(path)", False),
    ],
)
def test_only_what_a_library_is_called_by_may_change_a_file(call, counts):
    program = (
        "import package\nimport torch\nfrom .parts import net\n\ndef main(path, net):\n    rows = Rows(path)\n"
        f"    {call}\n    return DataLoader(rows, num_workers=2)\n"
    )
    found = [each for each in opened(program=program) if "removed, renamed or modified" in each]
    assert bool(found) is counts


def test_an_item_under_a_key_that_is_no_name_names_no_function():
    program = (
        "def main(options):\n    rows = Rows(options['the path'])\n"
        "    run = options['a-b']\n    run(options['the path'])\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert not any("internal error" in each for each in opened(program=program))


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("toolbox.sweep(path)", True),
        ("toolbox.sweep(os.path.dirname(path))", True),
        ("toolbox.sweep(where := str(path).strip())", True),
        ("toolbox.sweep(Model(path))", False),
        ("toolbox.sweep(net)", False),
        ("toolbox.sweep(os.path.join(path, 'events.log'))", False),
        ("toolbox.sweep('%s.cache' % path)", False),
    ],
)
def test_a_library_may_change_a_file_only_if_it_gets_its_path(call, refused):
    program = (
        "import toolbox\n\ndef main(path):\n    rows = Rows(path)\n    net = build(path)\n"
        f"    {call}\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("os.path.join(out, 'infos_' + rows.path + '.pkl')", False),
        ("out + '/{}.json'.format(rows.path)", False),
        ("rows.path + '.json'", False),
        ("os.path.join(rows.path, out)", True),
    ],
)
def test_a_file_whose_name_is_partly_the_path_is_another_one(name, refused):
    program = (
        f"def main(path, out):\n    rows = Rows(path)\n    open({name}, 'w').close()\n"
        "    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in reason for reason in opened(program=program))


def test_a_library_may_change_the_file_that_a_function_asks_its_object_for():
    program = (
        "import toolbox\n\ndef refresh(given):\n    where = given.path\n    toolbox.sweep(where)\n\n"
        "def main(path):\n    rows = Rows(path)\n    refresh(rows)\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert any("may be removed" in reason for reason in opened(program=program))


LIBRARIES = {
    "a function of arrays": ("np.log(path)", False),
    "a function that reads": ("h5py.is_hdf5(path)", False),
    "a function that writes": ("np.save(path, 1)", True),
    "what it writes is another": ("np.save(other, path)", False),
    "a file under its parameter": ("torch.save(f=path, obj=1)", True),
    "the object that is saved": ("torch.save({'path': path}, other)", False),
    "unpacked arguments": ("torch.save(*[1, path])", True),
    "a method of a table": ("frame.to_csv(path)", True),
    "a method of an image": ("frame.save(other)", False),
    "a class without a row": ("toolbox.Cleaner(path)", True),
    "a name that sounds harmless": ("toolbox.load_index(path)", True),
    "a module in a module": ("np.linalg.norm(path)", False),
}


@pytest.mark.parametrize(("call", "refused"), LIBRARIES.values(), ids=LIBRARIES)
def test_rows_say_what_functions_of_libraries_do_with_files(call, refused):
    program = (
        "import toolbox\nimport torch\n\ndef main(path, other, frame):\n    rows = Rows(path)\n"
        f"    {call}\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in reason for reason in opened(program=program))


def test_a_function_of_the_program_is_no_method_of_a_library():
    own = "def save(path, out):\n    print(path, out)\n"
    program = (
        "import own\n\ndef main(path):\n    rows = Rows(path)\n    own.save(path, 1)\n"
        "    return DataLoader(rows, num_workers=2)\n"
    )
    assert not any("may be removed" in reason for reason in opened(program=program, own=own))


@pytest.mark.parametrize(
    ("parameter", "more", "refused"),
    [
        ("cutoff", "pass", True),
        ("cutoff: str", "pass", True),
        ("cutoff: float", "pass", False),
        ("cutoff=5.0", "pass", False),
        ("*, cutoff=5", "pass", False),
        ("cutoff=False", "pass", True),
        ("cutoff: float", "cutoff = path", True),
    ],
)
def test_a_library_changes_no_file_by_a_number(parameter, more, refused):
    """`path` stands in front of it in the call of the constructor, and a library gets the other alone."""
    program = f"""
    import matscipy

    def main(path, {parameter}):
        {more}
        rows = Rows(path, cutoff)
        return rows, matscipy.neighbours(cutoff)
    """
    reasons = opened(
        parameters="path, cutoff",
        init="self.path, self.cutoff = path, cutoff\nself.file = h5py.File(f'{path}{cutoff}')",
        later="self.path, self.cutoff = path, cutoff",
        opener="return h5py.File(f'{self.path}{self.cutoff}')",
        program=textwrap.dedent(program),
    )
    assert refused == any("may be removed" in reason for reason in reasons)


WRITERS = {
    "a block around": (
        "with open(path, 'w') as log:\n        log.write('a')\n        rows = Rows(path)\n        log.write('b')",
        True,
    ),
    "open all the time": ("log = open(path, 'w')\n    rows = Rows(path)\n    log.write('b')", True),
    "passed to what writes": (
        "log = open(path, 'w')\n    rows = Rows(path)\n    json.dump({}, log)",
        True,
    ),
    "of another file": (
        "log = open('log.txt', 'w')\n    rows = Rows(path)\n    log.write('b')",
        False,
    ),
    "closed before": ("log = open(path, 'w')\n    log.close()\n    rows = Rows(path)", False),
    "a block before": (
        "with open(path, 'w') as log:\n        log.write('b')\n    rows = Rows(path)",
        False,
    ),
    "a reader": ("log = open(path)\n    rows = Rows(path)\n    log.read()", False),
}


@pytest.mark.parametrize(("writes", "counts"), WRITERS.values(), ids=WRITERS)
def test_a_writer_that_stays_open_changes_the_file_afterwards(writes, counts):
    program = f"import json\n\ndef main(path):\n    {writes}\n    return DataLoader(rows, num_workers=2)\n"
    found = [each for each in opened(program=program) if "renamed or modified" in each]
    assert bool(found) is counts


@pytest.mark.parametrize(
    ("given", "refused"),
    [("place", True), ("options", False), ("table", False)],
)
def test_a_library_gets_a_path_only_by_what_is_used_as_one(given, refused):
    """Code reads of `options` and `table` what no path has: a library that gets them knows no file by them."""
    program = (
        "import toolbox\n\ndef main(place, options, table):\n"
        "    rows = Rows(place or options.path or table)\n"
        "    print(place.suffix, options.rate, table.shape)\n"
        f"    toolbox.sweep({given})\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in reason for reason in opened(program=program))


@pytest.mark.parametrize(
    ("given", "refused"),
    [("path", True), ("width", False), ("*path", True)],
)
def test_only_the_argument_that_a_factory_makes_the_path_of_may_name_the_file(given, refused):
    starred = "*more" if given.startswith("*") else "path"
    program = (
        f"import toolbox\n\ndef build(width, {starred}):\n"
        f"    return Rows({starred.removeprefix('*')})\n\n"
        "def main(path, width):\n"
        f"    rows = build(width, {'*path' if given.startswith('*') else 'path'})\n"
        f"    toolbox.sweep({given})\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in reason for reason in opened(program=program))


def removed(program, **others):
    return any("may be removed" in reason for reason in opened(program=program, **others))


@pytest.mark.parametrize(
    ("size", "refused"), [("rows.shape[0]", False), ("rows.path", True), ("rows.sizes[0]", True)]
)
def test_the_shape_of_an_array_is_no_path_that_a_library_may_change(size, refused):
    program = (
        "import fields\ndef main(path):\n    rows = Rows(path)\n"
        f"    fields.Grid({size})\n    return rows\n"
    )
    later = "self.path, self.sizes = path, [1]\nprint(np.ones(2).shape, self.path, self.sizes)"
    init = later + "\nself.file = h5py.File(self.path, 'r')"
    assert removed(program, init=init, later=later) is refused


HELD = """
class Holder:
    def __init__(self, path):
        self.rows = Rows(path)

class Single(Holder):
    def __init__(self, path):
        {init}

def main(path):
    single = Single(path)
    os.remove(path)
"""


@pytest.mark.parametrize(
    ("init", "refused"),
    [
        ("self.path = path", False),
        ("super().__init__(path)", True),
        ("Holder.__init__(self, path)", True),
        ("self.fill(path)\n\n    def fill(self, path):\n        super().__init__(path)", True),
    ],
)
def test_a_class_that_does_not_run_the_constructor_of_its_base_holds_no_object(init, refused):
    assert removed(HELD.format(init=init)) is refused


@pytest.mark.parametrize(
    ("end", "opener", "refused"),
    [
        ("npz", "h5py.File", False),
        ("npz", "zipfile.ZipFile", True),
        ("json", "h5py.File", False),
        ("h5", "h5py.File", True),
    ],
)
def test_a_removed_file_of_another_format_is_not_what_a_library_opened(end, opener, refused):
    program = (
        "def main(path, rank):\n    rows = Rows(path)\n"
        f"    part = os.path.join(path, f'part_{{rank}}.{end}')\n    os.remove(part)\n"
    )
    init, getter = (
        f"self.path = path\nself.file = {opener}(path, 'r')",
        f"return {opener}(self.path)",
    )
    assert removed(program, init=init, opener=getter) is refused


@pytest.mark.parametrize(
    ("gone", "refused"),
    [
        ("table[key]['copy']", False),
        ("table[key]['path']", True),
        ("table[other]['path']", True),
        ("table[key]", True),
        ("entry['path']", True),
    ],
)
def test_another_key_of_the_same_item_is_another_file(gone, refused):
    program = (
        "def main(table, key, other):\n    entry = table[key]\n"
        f"    rows = Rows(table[key]['path'])\n    os.remove({gone})\n"
    )
    assert removed(program) is refused


@pytest.mark.parametrize("gone", ["table[key]['path']", "table[other]['path']"])
def test_an_item_that_has_a_name_is_that_of_all(gone):
    program = (
        "def main(table, key, other):\n    entry = table[key]\n"
        f"    rows = Rows(entry['path'])\n    os.remove({gone})\n"
    )
    assert removed(program)


OPENERS = {
    "a connection": ("redis.Redis({})", "", False),
    "a connection that a library is told of": (
        "redis.Redis({})",
        "\nagents.add_user(self.file)",
        False,
    ),
    "a connection, and a file": ("redis.Redis({})", "\nself.key = agents.load(self.path)", True),
    "a connection with a certificate": ("redis.Redis(ssl_certfile={})", "", True),
    "a key file": (
        "google.cloud.storage.Client.from_service_account_json({})",
        "",
        True,
    ),
    "a file that a library is told of": ("h5py.File({})", "\nagents.add_user(self.file)", True),
}


@pytest.mark.parametrize(("opener", "then", "refused"), OPENERS.values(), ids=OPENERS)
def test_a_connection_is_no_file_that_a_program_writes(opener, then, refused):
    program = "\ndef main(path):\n    rows = Rows(path)\n    open(path, 'w').write('x')\n    print(rows[0])\n"
    again = f"self.file = {opener.format('self.path')}{then}"
    found = opened(
        decorator="import agents\nimport redis\nimport google.cloud.storage\n",
        init=f"self.path = path\nself.file = {opener.format('path')}{then}",
        later=f"self.path = path\nself.file = {opener.format('path')}{then}",
        getter="\n    def __getstate__(self):\n        state = self.__dict__.copy()\n        del state['file']\n"
        "        return state\n\n    def __setstate__(self, state):\n        self.__dict__.update(state)\n"
        "        {opener}\n",
        opener=again,
        program=program,
    )
    assert refused == any("removed, renamed or modified" in reason for reason in found)


EVALUATED = """
TABLE = {{}}

def evaluate(rows, opt, name="latest.json"):
    path = os.path.join(opt.results, name)
    paths = [path]
    {more}
    return len(rows), {gives}

def main(opt):
    rows = Rows(opt.features)
    {taken} = evaluate(rows, opt)
    for each in paths:
        os.renames(each, each + ".best")
    return DataLoader(rows, num_workers=2)
"""
RETURNED = {
    "a path of its own": ({}, False),
    "paths that are added": ({"more": "paths += [path.replace('.json', '.csv')]"}, False),
    "the file of the object": ({"gives": "[rows.path]"}, True),
    "the file by its option": ({"gives": "[opt.features]"}, True),
    "the object": ({"gives": "[str(rows)]"}, True),
    "what is put into a list": ({"more": "paths.append(opt.features)"}, True),
    "what is put under a key": ({"more": "paths[0] = rows.path"}, True),
    "what another function puts into a list": ({"more": "collect(paths, rows)"}, True),
    "what a table holds": ({"more": "TABLE[0] = rows.path", "gives": "[TABLE[0], path]"}, True),
    "another item": ({"taken": "paths, score", "more": "return [rows.path], paths"}, True),
    "all items": ({"taken": "paths", "more": "return [rows.path], paths"}, True),
    "another file on one way": ({"more": "if opt.all: return 0, [opt.features]"}, True),
    "nothing that is seen": ({"gives": "sorted()"}, True),
}


@pytest.mark.parametrize(("parts", "refused"), RETURNED.values(), ids=RETURNED)
def test_a_path_that_comes_back_is_made_of_what_a_function_returns(parts, refused):
    parts = {"more": "pass", "gives": "paths", "taken": "score, paths"} | parts
    found = opened(program=EVALUATED.format(**parts))
    assert refused == any("removed, renamed or modified" in reason for reason in found)


BRANCHES = {
    "at module level": ("if mode:\n    {used}\nelse:\n    {removed}", False),
    "further down": (
        "if mode:\n    if path:\n        {used}\nelif path:\n    with open('a.log') as log:\n        {removed}",
        False,
    ),
    "below both": ("if mode:\n    {used}\n{removed}", True),
    "in one of them": ("if mode:\n    {used}\n    if other:\n        {removed}", True),
    "on another turn": (
        "for mode in modes:\n    if mode:\n        {used}\n    else:\n        {removed}",
        True,
    ),
    "in two tests": ("if mode:\n    {used}\nif not other:\n    {removed}", True),
    "where an error leads": ("try:\n    {used}\nexcept OSError:\n    {removed}", True),
    "once it has returned": (
        "def make(mode):\n    if mode:\n        return Rows(path)\n    else:\n        {removed}\nrows = make(1)\nmake(0)",
        True,
    ),
    "in a function of the script": (
        "def main(mode):\n    if mode:\n        {used}\n    else:\n        {removed}\nmain(1)",
        False,
    ),
    "and the object is used below": (
        "def main(mode):\n    rows = None\n    if mode:\n        {used}\n    else:\n        {removed}\n    print(rows)\nmain(1)",
        False,
    ),
    "in another call": (
        "def main(mode):\n    rows = None\n    if mode:\n        {used}\n        main(0)\n    else:\n        {removed}\n"
        "    print(rows)\nmain(1)",
        True,
    ),
}


@pytest.mark.parametrize(("program", "refused"), BRANCHES.values(), ids=BRANCHES)
def test_a_branch_that_is_not_taken_removes_nothing(program, refused):
    program = program.format(used="rows = Rows(path)", removed="os.remove(path)")
    found = opened(program=program)
    assert refused == any("removed, renamed or modified" in reason for reason in found)
