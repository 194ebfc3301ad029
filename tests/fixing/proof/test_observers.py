"""What others could see of an object they can still see."""

import textwrap

import pytest

from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project
from tests.fixing.proof.pairs import LAZY, ROOT, opened, worse

BY_PROCESS = """
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
LAZILY = {
    "init": "self.path = path",
    "later": "self._file_by_pid = {}\nself.path = path",
    "getter": BY_PROCESS,
}

CATCHES = {
    "in a loop over paths": """
        def first(paths):
            for path in paths:
                try:
                    return Rows(path)
                except OSError:
                    continue
        """,
    "around a function that makes one": """
        def make(path):
            return Rows(path)

        def make_or_none(path):
            try:
                return make(path)
            except Exception as error:
                print(error)
        """,
    "around a class that holds one": """
        class Both:
            def __init__(self, path):
                self.rows = Rows(path)

        def both(path):
            try:
                return Both(path)
            except (OSError, ValueError):
                return None
        """,
    "with suppress": """
        def known(paths):
            rows = []
            for path in paths:
                with contextlib.suppress(OSError):
                    rows.append(Rows(path))
            return rows
        """,
    "around a class by a variable": """
        class Zipped(Dataset):
            pass

        def open_any(path):
            for kind in (Rows, Zipped):
                try:
                    return kind(path)
                except OSError:
                    pass
        """,
    "around a class that is passed in": """
        def first(kind, paths):
            for path in paths:
                try:
                    return kind(path)
                except OSError:
                    pass

        rows = first(Rows, ["a", "b"])
        """,
    "around a class in a table": """
        KINDS = {"rows": Rows}

        def make(name, path):
            try:
                return KINDS[name](path)
            except OSError:
                return None
        """,
    "with a bare except": """
        try:
            rows = Rows('a')
        except:
            rows = []
        """,
}


MANAGERS = """
import contextlib
from contextlib import contextmanager as managed


@managed
def attempt(log):
    try:
        yield
    except OSError as error:
        log.append(error)


@managed
def noted(log):
    try:
        yield
    except OSError as error:
        log.append(error)
        raise


@managed
def timed(log):
    yield
    log.append("done")


@managed
def either(log):
    with attempt(log):
        yield


@managed
def ended(log):
    try:
        yield
    finally:
        return


def quiet(log):
    return attempt(log)


class Tolerant:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(error)
        return kind is not None and issubclass(kind, OSError)


class Timer(Tolerant):
    def __exit__(self, kind, error, trace):
        self.log.append("done")
        return False


class Holder(Tolerant):
    def __exit__(self, *error):
        return self.log.__exit__(*error)


class Job:
    def __init__(self, guard):
        self.guard = Tolerant([])
        self.clock = Timer([])


def trying(function):
    @functools.wraps(function)
    def wrapper(*args):
        try:
            return function(*args)
        except OSError:
            return None

    return wrapper


def retry(times):
    def decorate(function):
        def wrapper(*args):
            for _ in range(times):
                with contextlib.suppress(OSError):
                    return function(*args)

        return wrapper

    return decorate


class Safely:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        try:
            return self.function(*args)
        except OSError:
            return None


def counted(function):
    def wrapper(*args):
        return function(*args)

    return wrapper


def first(makers):
    for each in makers:
        try:
            return each()
        except OSError:
            pass


def every(makers):
    return [each() for each in makers]


def report(lines):
    try:
        print(lines)
    except OSError:
        pass

"""
BY_OTHERS = {
    "with a generator": ("with attempt([]):\n    rows = Rows('a')\n", True),
    "with a generator that raises again": ("with noted([]):\n    rows = Rows('a')\n", False),
    "with a generator that only notes": ("with timed([]):\n    rows = Rows('a')\n", False),
    "with a generator over another": ("with either([]):\n    rows = Rows('a')\n", True),
    "with a generator that returns at its end": ("with ended([]):\n    rows = Rows('a')\n", True),
    "with what a function gives": ("with quiet([]):\n    rows = Rows('a')\n", True),
    "with a class": ("with Tolerant([]):\n    rows = Rows('a')\n", True),
    "with a class that says no": ("with Timer([]):\n    rows = Rows('a')\n", False),
    "with a class that asks its own": ("with Holder(log):\n    rows = Rows('a')\n", False),
    "with a variable": ("guard = Tolerant([])\nwith guard:\n    rows = Rows('a')\n", True),
    "with one of two": (
        "with attempt([]) if LOG else timed([]):\n    rows = Rows('a')\n",
        True,
    ),
    "with a parameter": (
        "def make(guard):\n    with guard:\n        return Rows('a')\n",
        True,
    ),
    "with an attribute": (
        "class Run(Job):\n    def make(self):\n        with self.guard:\n            return Rows('a')\n",
        True,
    ),
    "with another attribute": (
        "class Run(Job):\n    def make(self):\n        with self.clock:\n            return Rows('a')\n",
        False,
    ),
    "in a stack": (
        "def make():\n    with contextlib.ExitStack() as stack:\n"
        "        stack.enter_context(attempt([]))\n        return Rows('a')\n",
        True,
    ),
    "in a stack of others": (
        "def make():\n    with contextlib.ExitStack() as stack:\n"
        "        stack.enter_context(timed([]))\n        return Rows('a')\n",
        False,
    ),
    "by a decorator": ("@trying\ndef make(path):\n    return Rows(path)\n", True),
    "by a decorator with options": ("@retry(3)\ndef make(path):\n    return Rows(path)\n", True),
    "by a class that decorates": ("@Safely\ndef make(path):\n    return Rows(path)\n", True),
    "by a manager that decorates": ("@attempt([])\ndef make(path):\n    return Rows(path)\n", True),
    "by a decorator of a library": (
        "import tenacity\n@tenacity.retry(stop=3)\ndef make(path):\n    return Rows(path)\n",
        True,
    ),
    "by a decorator that counts": ("@counted\ndef make(path):\n    return Rows(path)\n", False),
    "by who gets lambdas": ("rows = first([lambda: Rows('a'), lambda: Rows('b')])\n", True),
    "by who gets partials": (
        "rows = first([functools.partial(Rows, 'a'), functools.partial(Rows, 'b')])\n",
        True,
    ),
    "by who gets functions": (
        "def near():\n    return Rows('a')\n\nrows = first([near])\n",
        True,
    ),
    "by who takes errors of threads for results": (
        "async def every_one(make, paths):\n    calls = [asyncio.to_thread(make, path) for path in paths]\n"
        "    return await asyncio.gather(*calls, return_exceptions=True)\n\nevery_one(Rows, 'ab')\n",
        True,
    ),
    "by who asks a future": (
        "def later(pool, make):\n    future = pool.submit(make, 'a')\n    try:\n        return future.result()\n"
        "    except OSError:\n        return None\n\nlater(pool, Rows)\n",
        True,
    ),
    "by nobody, where a future is asked": (
        "def later(pool, make):\n    return pool.submit(make, 'a').result()\n\nlater(pool, Rows)\n",
        False,
    ),
    "by who gets lambdas and handles nothing": ("rows = every([lambda: Rows('a')])\n", False),
    "by who gets the object": ("report(Rows('a'))\n", False),
}


@pytest.mark.parametrize(("program", "caught"), BY_OTHERS.values(), ids=BY_OTHERS)
def test_an_error_of_the_constructor_is_handled_by_others(program, caught):
    reasons = opened(program=MANAGERS + program)
    said = "an error is now raised when the resource is first used"
    assert any(said in reason for reason in reasons) == caught


def test_an_opening_in_a_block_that_goes_on_after_an_error_stays_in_one():
    for manager, refused in (("attempt([])", True), ("Timer([])", False)):
        reasons = opened(
            init=f"self.path = path\nwith {manager}:\n    self.file = h5py.File(path)",
            program=MANAGERS,
        )
        assert any("no longer handled by" in reason for reason in reasons) == refused


@pytest.mark.parametrize("program", CATCHES.values(), ids=CATCHES)
def test_an_error_of_the_constructor_is_still_raised_there_where_it_is_caught(program):
    assert any(
        "an error is now raised when the resource is first used" in reason
        for reason in opened(program=program)
    )


@pytest.mark.parametrize("program", CATCHES.values(), ids=CATCHES)
def test_it_is_caught_where_a_new_method_opens(program):
    opener = "    def _open_file(self):\n        return h5py.File(self.path, 'r')\n"
    getter = LAZY.format(opener="return self._open_file()") + "\n" + opener
    reasons = opened(getter=getter, opener="", program=program)
    assert any("an error is now raised when the resource" in reason for reason in reasons)


def test_it_is_caught_in_another_module_too():
    other = """
    import main

    def load(path):
        try:
            return main.Rows(path)
        except OSError:
            return None
    """
    assert "an error is now raised when the resource is first used" in opened(other=other)[0]


REGISTERED = """
    KINDS = []

    def register(name):
        def add(cls):
            KINDS.append(cls)
            return cls
        return add

    class Kept:
        def __init_subclass__(cls):
            KINDS.append(cls)
    """
TRIES = """
    from registry import KINDS

    def first(path):
        for kind in KINDS:
            try:
                return kind(path)
            except OSError:
                pass
    """


@pytest.mark.parametrize(
    "written",
    [
        {"decorator": "@register('rows')"},
        {"decorator": "from registry import Kept\n", "bases": "Kept, Dataset"},
    ],
    ids=["a decorator", "the base"],
)
def test_it_is_caught_where_a_registry_makes_it_that(written):
    """The registry is in one module, what goes through it in another."""
    reasons = opened(registry=REGISTERED, tries=TRIES, program="import registry\n", **written)
    assert "an error is now raised when the resource is first used" in reasons[0]


def test_a_test_that_waits_for_the_error_catches_it():
    test = """
    import pytest
    from main import Rows

    def test_missing():
        with pytest.raises(OSError):
            Rows('missing')
    """
    assert opened(test_rows=test)


NO_FALLBACK = {
    "reraises": "try:\n    rows = Rows('a')\nexcept OSError as error:\n    raise SystemExit(1) from error\n",
    "waits for something else": "try:\n    rows = Rows('a')\nexcept KeyboardInterrupt:\n    print('stopped')\n",
    "only cleans up": "try:\n    rows = Rows('a')\nfinally:\n    print('done')\n",
    "calls a variable that holds no class": "rows, shown = Rows('a'), print\ntry:\n    shown(1)\nexcept OSError:\n    pass\n",
    "is around other code": "rows = Rows('a')\ntry:\n    print(rows.path)\nexcept OSError:\n    pass\n",
}


@pytest.mark.parametrize("program", NO_FALLBACK.values(), ids=NO_FALLBACK)
def test_the_error_may_come_later_where_the_handler(program):
    assert opened(program=program) == []


def test_an_error_that_the_constructor_still_raises_may_be_caught():
    assert not opened(
        init="self.path = path\nself.file = h5py.File(path)\nself.n = len(self.file['x'])",
        later="self.path = path\nwith contextlib.closing(self.file):\n    self.n = len(self.file['x'])\ndel self.file",
        program="try:\n    rows = Rows('a')\nexcept OSError:\n    rows = []\n",
    )


def test_a_handler_of_the_constructor_goes_with_what_it_guards():
    tried = "self.path = path\ntry:\n    self.file = h5py.File(path)\nexcept OSError:\n    self.file = None"
    assert any("is no longer handled by the constructor" in each for each in opened(init=tried))
    moved = "try:\n    return h5py.File(self.path)\nexcept OSError:\n    return None"
    assert opened(init=tried, opener=moved) == []


def test_an_error_that_the_constructor_handled_is_raised_later_for_one_of_a_list():
    init = "self.all = []\nfor each in path:\n    try:\n        self.all.append(h5py.File(each))\n    except OSError:\n        self.bad = each"
    before = f"class Rows:\n    def __init__(self, path):\n{textwrap.indent(init, ' ' * 8)}\n"
    after = """class Rows:
    def __init__(self, path):
        self.path = path
    @functools.cached_property
    def all(self):
        return [h5py.File(each) for each in self.path]
"""
    assert any(
        "is no longer handled by the constructor" in reason for reason in worse(before, after)
    )


ASKS = {
    "in __dict__": "if 'file' not in self.__dict__:\n    self.file = h5py.File(self.path)\nreturn self.file",
    "in vars": "if 'file' not in vars(self):\n    self.file = h5py.File(self.path)\nreturn self.file",
    "by hasattr": "if not hasattr(self, 'file'):\n    self.file = h5py.File(self.path)\nreturn self.file",
    "by the error": "try:\n    return self.file\nexcept AttributeError:\n    self.file = h5py.File(self.path)\n    return self.file",
    "by getattr": "f = getattr(self, 'file', 0)\nreturn f or self.path",
}


@pytest.mark.parametrize("question", ASKS.values(), ids=ASKS)
def test_an_attribute_that_may_be_missing_stays_one_where_it_is_asked_for(question):
    body = "def opened(self):\n    " + question.replace("\n", "\n    ") + "\n"
    assert opened(**LAZILY, body=body)


def test_a_subclass_may_ask_for_it_too():
    assert opened(
        **LAZILY,
        program="""
        class Reopened(Rows):
            def read(self):
                if "file" not in self.__dict__:
                    self.file = h5py.File(self.path)
                return self.file
        """,
    )


def test_what_ends_an_object_does_not_open_it():
    ending = "def __del__(self):\n    if hasattr(self, 'file'):\n        self.file.close()\n"
    assert "which now opens the resource" in opened(body=ending)[0]


FIELDS = {
    "a dataclass": ("@dataclass", "Dataset"),
    "attrs": ("@attrs.define", "Dataset"),
    "pydantic": ("", "BaseModel"),
    "a named tuple": ("", "NamedTuple"),
}


@pytest.mark.parametrize(("decorator", "base"), FIELDS.values(), ids=FIELDS)
def test_a_field_does_not_become_a_property_of(decorator, base):
    before = f"{decorator}\nclass Rows({base}):\n    path: str\n    file: h5py.File\n"
    assert worse(before, before + LAZY.format(opener="return h5py.File(self.path)"))
    taken = before.replace("    file: h5py.File\n", "")
    assert worse(before, taken + LAZY.format(opener="return h5py.File(self.path)"))


SLOTS = {
    "without a place for the value": "('path',)",
    "with the attribute": "('path', 'file')",
}


@pytest.mark.parametrize("slots", SLOTS.values(), ids=SLOTS)
def test_slots_have_no_cached_property(slots):
    assert opened(bases="object", body=f"__slots__ = {slots}\n")


def test_slots_have_a_place_for_new_attributes():
    assert opened(
        bases="object",
        body="__slots__ = ('path',)\n",
        later="self.path = path\nself._kept = path",
        getter="\n    @property\n    def file(self):\n        {opener}\n",
    )


HOOKS = {
    "__getattr__": "def __getattr__(self, name):\n    return getattr(self.file, name)\n",
    "__getattr__ of a subclass": """
        class Proxy(Rows):
            def __getattr__(self, name):
                return self.file.attrs[name]
        """,
}


def test_a_lookup_hook_does_not_open_while_the_object_is_unpickled():
    assert "while the object is unpickled" in opened(body=HOOKS["__getattr__"])[0]
    assert "while the object is unpickled" in opened(program=HOOKS["__getattr__ of a subclass"])[0]
    guarded = "def __getattr__(self, name):\n    if name.startswith('__'):\n        raise AttributeError(name)\n    return getattr(self.file, name)\n"
    assert opened(body=guarded) == []


TAKEN = {
    "a base that sets it": (
        "class Base:\n    def note(self):\n        self._path = 'elsewhere'\n",
        "Base",
        "",
    ),
    "a subclass that sets it": (
        "",
        "Dataset",
        "class Sub(Rows):\n    def mark(self):\n        self._path = None\n",
    ),
    "a subclass's method": (
        "",
        "Dataset",
        "class Sub(Rows):\n    def _path(self):\n        return 1\n",
    ),
    "a base's class attribute": ("class Base:\n    _path = 'cache'\n", "Base", ""),
}


@pytest.mark.parametrize(("above", "base", "below"), TAKEN.values(), ids=TAKEN)
def test_a_name_that_is_kept_is_not_one_of(above, base, below):
    before = (
        f"class Rows({base}):\n    def __init__(self, path):\n        self.file = h5py.File(path)\n"
    )
    after = f"class Rows({base}):\n    def __init__(self, path):\n        self._path = path\n"
    after += LAZY.format(opener="return h5py.File(self._path)")
    reasons = worse(f"{above}\n{before}\n{below}", f"{above}\n{after}\n{below}")
    assert any("already uses this name" in reason for reason in reasons)


WHOLE = {
    "compared": "def __eq__(self, other):\n    return self.__dict__ == other.__dict__\n",
    "shown": "def __repr__(self):\n    return f'Rows({vars(self)})'\n",
    "hashed": "def key(self):\n    return tuple(sorted(self.__dict__.items()))\n",
    "listed": "def settings(self):\n    return {k: v for k, v in self.__dict__.items()}\n",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_all_attributes_together_stay_as_they_are_where_they_are(body):
    assert any("but the fix " in reason for reason in opened(body=body))


STEPS = (
    "class Steps:\n    def __init__(self):\n        self.steps = 1\n\n"
    "def show(rows):\n    print(rows.steps)\n    return rows.__dict__\n"
)
SEEN_OUTSIDE = {
    "by a function": ("def show(thing):\n    return getattr(thing, '__dict__', None)\n\nshow(rows)\n", True),
    "by what a library calls": (
        "def show(thing):\n    return getattr(thing, '__dict__', None)\n\n"
        "def number(*parts):\n    return json.dumps(parts, default=show)\n\nnumber(rows, 1)\n",
        True,
    ),
    "of something else": ("def show(thing):\n    return getattr(thing, '__dict__', None)\n\nshow(Other())\n", False),
    "what is asked for an attribute that only another class sets": (STEPS, False),
    "what is asked for an attribute that code sets on anything": (
        f"{STEPS}\n\ndef mark(rows):\n    rows.steps = 1\n", True,
    ),
    "and that ends its variable": (f"{STEPS}\n".replace("return rows.__dict__", "print(vars(rows))\n    del rows"), False),
    "and that binds its variable again": (
        f"{STEPS}\n".replace("return rows.__dict__", "del rows\n    rows = made()\n    print(vars(rows))"), True,
    ),
    "of a variable with an attribute that it lacks": (
        f"{STEPS}\n".replace("show(rows):\n", "show():\n    rows = found(Rows)\n"), False,
    ),
    "of a variable with an attribute that it may lack": (
        f"{STEPS}\n".replace("show(rows):\n    print(", "show():\n    rows = found(Rows)\n    print(flag and "), True,
    ),
    "what a method asks for a name of its own object": (
        f"{STEPS}\nclass Both:\n    def show(self, rows):\n        print(rows.steps, hasattr(self, 'a'))\n"
        "        return rows.__dict__\n".replace("def show", "def shown"), False,
    ),
    "what is asked whether it has the attribute": (
        f"{STEPS}\n".replace("print(rows", "print(hasattr(rows, 'steps') and rows"), True,
    ),
    "a copy": ("def show(rows):\n    return copy.copy(rows).__dict__\n", True),
    "another attribute": ("def show(thing):\n    return getattr(thing, '__name__', None)\n\nshow(rows)\n", False),
}  # fmt: skip


@pytest.mark.parametrize(("code", "refused"), SEEN_OUTSIDE.values(), ids=SEEN_OUTSIDE)
def test_all_attributes_stay_as_they_are_where_other_code_reads_them(code, refused):
    reasons = opened(program=f"class Other:\n    pass\n\nrows = Rows('a')\n{code}")
    assert refused == any("reads all attributes" in reason for reason in reasons)


CONSTRUCTED = {
    "listed": ("self.seen = sorted(self.__dict__)", True),
    "counted": ("self.count = len(vars(self))", True),
    "set together": ("self.__dict__.update(width=2)", False),
    "set one by one": ("for name in ('a', 'b'):\n    self.__dict__[name] = 1", False),
}


@pytest.mark.parametrize(("line", "refused"), CONSTRUCTED.values(), ids=CONSTRUCTED)
def test_all_attributes_together_stay_as_they_are_where_the_constructor_reads_them(line, refused):
    init = f"self.path = path\nself.file = h5py.File(path, 'r')\n{line}"
    reasons = opened(init=init, later=f"self.path = path\n{line}")
    assert refused == any("reads all attributes" in reason for reason in reasons)


def test_all_attributes_together_stay_as_they_are_where_a_function_is_handed_the_object():
    names = "def run_name(obj):\n    return repr(vars(obj))\n"
    program = "from names import run_name\nrows = Rows('a.h5')\nprint(run_name(rows))\n"
    assert any("but the fix " in r for r in opened(program=program, names=names))


def test_all_attributes_of_something_else_may_be_read():
    names = "def run_name(obj):\n    return repr(vars(obj))\n"
    program = "from names import run_name\nrows = Rows('a.h5')\nprint(run_name(options))\n"
    assert opened(program=program, names=names) == []


@pytest.mark.parametrize("given", ["rows=rows", "**{'rows': rows}", "**dict(rows=rows)"])
def test_all_attributes_together_stay_as_they_are_where_objects_are_gone_through(given):
    names = (
        "def record(**parts):\n    return {n: [*p.__dict__.items()] for n, p in parts.items()}\n"
    )
    program = f"from names import record\nrows = Rows('a.h5')\nprint(record({given}))\n"
    assert any("but the fix " in r for r in opened(program=program, names=names))


def test_all_names_of_a_module_may_be_read():
    program = (
        "import losses.scale\nrows = Rows('a.h5')\nprint(losses.scale.__dict__[rows.path](rows))\n"
    )
    assert opened(program=program) == []


@pytest.mark.parametrize(
    ("line", "whole"),
    [("obj.run_name", False), ("obj.path", True), ("hasattr(obj, 'run_name')", True)],
)
def test_a_function_that_reads_another_attribute_is_not_handed_the_object(line, whole):
    names = f"def run_name(obj):\n    {line}\n    return repr(vars(obj))\n"
    program = "from names import run_name\nrows = Rows('a.h5')\nprint(run_name(rows))\n"
    assert any("but the fix " in r for r in opened(program=program, names=names)) is whole


COMPARES = """
class Options:
    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def update(self, other):
        self.__dict__.update(other.__dict__)
"""


def test_what_a_class_compares_with_is_one_of_its_own():
    project = Project([ROOT / "main.py"], {ROOT / "main.py": COMPARES})
    assert [node.lineno for _, node, _ in Program(project).shown("__dict__")] == [7]


KEPT = """
class Rows:
    def __init__(self, path):
        self.path = path
        self.parts = {"x": h5py.File(path)}
"""
NOT_KEPT = """
class Rows:
    def __init__(self, path):
        self.path = path
"""


@pytest.mark.parametrize(
    ("reader", "is_read"),
    [
        ("def first(rows):\n    return rows.parts['x']\n", True),
        ("class Data:\n    def get(self):\n        return self.rows.parts\n", True),
        ("from main import Rows\nprint(Rows('a').parts)\n", True),
        ("class Data:\n    parts = ()\n    def get(self):\n        return self.parts\n", False),
        ("import parts\nimport os\nprint(os.parts, parts.parts)\n", False),
        ("class Other:\n    pass\nother = Other()\nprint(other.parts)\n", False),
        ("def put(rows):\n    rows.parts = {}\n", False),
    ],
)
def test_an_attribute_stays_that_other_code_reads(reader, is_read):
    reasons = worse(KEPT, NOT_KEPT, reader=reader)
    assert any("no longer have it" in reason for reason in reasons) is is_read


WRAPPING = "        init = cls.__init__\n        def made(self, *a):\n            init(self, *a)\n"
REPLACED = {
    "by a decorator": (
        f"def tracked(cls):\n    def wrap(cls):\n{WRAPPING}        cls.__init__ = made\n        return cls\n    return wrap(cls)\n",
        "",
        "@tracked\n",
        True,
    ),
    "by a base": (
        "class Base:\n    def __init_subclass__(cls):\n        setattr(cls, '__init__', print)\n",
        "Base",
        "",
        True,
    ),
    "by nobody": (
        "def tracked(cls):\n    print(cls.__init__)\n    return cls\n", "", "@tracked\n", False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("above", "base", "decorator", "refused"), REPLACED.values(), ids=REPLACED)
def test_what_replaces_the_constructor_may_use_what_that_has_opened(
    above, base, decorator, refused
):
    text = "{}class Rows({}):\n    def __init__(self, path):\n        self.path = path\n{}"
    reads = "    def read(self):\n        return self.file['x']\n"
    opens = "        self.file = h5py.File(path)\n\n" + reads
    lazy = LAZY.format(opener="return h5py.File(self.path)")
    before = above + text.format(decorator, base, opens)
    reasons = worse(before, above + text.format(decorator, base, lazy + "\n" + reads))
    assert refused == any("the constructor of" in each for each in reasons)


REPLACED = """
def replace(net, made, names):
    for name, layer in net.{through}():
        parent = layer
        for each in names:
            parent = getattr(parent, each)
        setattr(parent, names[-1], made)

rows = Rows("a.h5")
replace({given}, 1, [])
"""


@pytest.mark.parametrize(
    ("through", "given", "refused"),
    [("named_children", "rows", False), ("items", "{'a': rows}", True)],
)
def test_what_is_set_on_layers_of_a_network_is_not_set_on_datasets(through, given, refused):
    found = opened(program=REPLACED.format(through=through, given=given))
    assert any("reassigned" in each for each in found) is refused
