"""State methods are what the class has, and leave out what every object has."""

import pytest

from tests.fixing.proof.pairs import LAZY, opened, worse

LOCKED = """
class Cached{base}:
    def __init__(self):
        self.cache = {{}}
        self.lock = threading.Lock()
{members}
    def load(self, index):
        with self.lock:
            return self.cache[index]
{more}
"""
PAIR = """
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
"""


def locked(members=PAIR, more="", base="", above="", **others):
    before = above + LOCKED.format(base=base, members="", more=more)
    return worse(before, above + LOCKED.format(base=base, members=members, more=more), **others)


def test_a_lock_is_left_out_and_made_again():
    assert locked() == []


def test_no_later_state_method_replaces_one_of_the_same_name():
    later = "    def __setstate__(self, state):\n        self.__dict__.update(state)\n"
    assert any("is defined twice" in reason for reason in locked(PAIR + later))


MISSING = {
    "a subclass that skips the constructor": """
class Frozen(Cached):
    def __init__(self):
        self.cache = None

    def load(self, index):
        return index
""",
    "a subclass that calls it under a condition": """
class Maybe(Cached):
    def __init__(self, locked):
        if locked:
            super().__init__()
        else:
            self.cache = {}
""",
    "a subclass of a subclass": """
class Middle(Cached):
    pass

class Frozen(Middle):
    def __init__(self):
        self.cache = None
""",
    "a method that deletes it": """
    def freeze(self):
        del self.lock
""",
}


@pytest.mark.parametrize("more", MISSING.values(), ids=MISSING)
def test_nothing_is_deleted_from_the_state_that_some_object_lacks(more):
    assert any("is removed from the pickled state" in reason for reason in locked(more=more))


def test_it_may_be_popped_where_it_may_be_missing():
    careful = PAIR.replace('del state["lock"]', 'state.pop("lock", None)')
    assert locked(members=careful, more=MISSING["a method that deletes it"]) == []


def test_a_subclass_in_another_module_counts():
    other = """
    from main import Cached

    class Frozen(Cached):
        def __init__(self):
            self.cache = None
    """
    assert locked(other=other)


def test_an_attribute_that_only_one_branch_sets_is_not_deleted():
    before = """
    class Rows:
        def __init__(self, shared):
            self.shared = shared
            if shared:
                self.lock = threading.Lock()
    """
    after = before + PAIR.replace("\n", "\n    ")
    assert any("but an object may not have it" in reason for reason in worse(before, after))


OWN = {
    "by an assignment": "    def _state(self):\n        return {}\n\n    __getstate__ = _state\n",
    "by a reduce": "    def __reduce__(self):\n        return Cached, ()\n",
    "by an assigned reduce": "    __reduce_ex__ = lambda self, protocol: (Cached, ())\n",
}


@pytest.mark.parametrize("more", OWN.values(), ids=OWN)
def test_a_state_method_is_not_added_to_a_class_that_has_one(more):
    assert locked(more=more)


BASES = {
    "its state": "class Base:\n    def __getstate__(self):\n        return {}\n\n",
    "its restoring": "class Base:\n    def __setstate__(self, state):\n        self.ready = True\n\n",
    "its reduce": "class Base:\n    def __reduce__(self):\n        return (Cached, ())\n\n",
}


@pytest.mark.parametrize("above", BASES.values(), ids=BASES)
def test_what_a_base_does_is_not_replaced(above):
    assert locked(above=above, base="(Base)")


def test_a_base_of_another_module_is_found_by_its_import():
    other = "class Base:\n    def __getstate__(self):\n        return {}\n"
    assert locked(above="from other import Base as Root\n", base="(Root)", other=other)


DECORATORS = {
    "a function": "def stateless(cls):\n    cls.__getstate__ = lambda self: {}\n    return cls\n",
    "a factory": "def leaving(*names):\n    def decorate(cls):\n        def __getstate__(self):\n            return {}\n        cls.__getstate__ = __getstate__\n        return cls\n    return decorate\n",
    "by name": "def stateless(cls):\n    setattr(cls, '__getstate__', dict)\n    return cls\n",
}


@pytest.mark.parametrize("above", DECORATORS.values(), ids=DECORATORS)
def test_a_state_method_that_a_decorator_adds_is_not_replaced(above):
    use = "@leaving('lock')" if "leaving" in above else "@stateless"
    assert locked(above=f"{above}\n\n{use}")


def test_a_state_method_set_from_outside_is_not_replaced():
    assert locked(more="\n\ndef state(self):\n    return {}\n\n\nCached.__getstate__ = state\n")


NESTED = {
    "in a dict": ('{"version": 2, "state": {**self.__dict__}}', True),
    "in a tuple": ("2, self.__dict__.copy()", True),
    "all there is": ('{**self.__dict__, "_h5": None}', False),
}


@pytest.mark.parametrize(("returned", "refused"), NESTED.values(), ids=NESTED)
def test_nothing_is_left_out_of_a_state_that_a_base_puts_into_another_object(returned, refused):
    above = f"class Base:\n    def __getstate__(self):\n        return {returned}\n\n"
    members = PAIR.replace("self.__dict__.copy()", "dict(super().__getstate__())")
    reasons = locked(members=members, base="(Base)", above=above)
    assert refused == any("inside another object" in reason for reason in reasons)


@pytest.mark.parametrize("base", ["", "(Dataset)", "(Plain)"])
def test_no_base_is_asked_for_a_state_method_that_it_lacks(base):
    members = PAIR.replace("self.__dict__.copy()", "dict(super().__getstate__())")
    reasons = locked(members=members, base=base, above="class Plain:\n    pass\n\n")
    assert any("but no base class has it before Python 3.11" in reason for reason in reasons)


def test_the_restoring_of_a_module_may_be_called():
    members = PAIR.replace("self.__dict__.update(state)", "super().__setstate__(state)")
    assert locked(members=members, base="(torch.nn.Module)") == []
    assert locked(members=members)


FLAGS = {
    "that is set with it": """
        def _open(self):
            self.file = h5py.File(self.path)
            self.is_open = True

        def __getitem__(self, index):
            if not self.is_open:
                self._open()
            return self.file[index]
        """,
    "with the opening in place": """
        def __getitem__(self, index):
            if self.state != 1:
                self.file, self.state = h5py.File(self.path), 1
                self.state = 1
            return self.file[index]
        """,
}


@pytest.mark.parametrize("body", FLAGS.values(), ids=FLAGS)
def test_a_flag_is_not_kept_when_what_it_speaks_of_is_left_out(body):
    assert opened(
        init="self.path = path\nself.is_open = False\nself.state = 0\nself.file = None",
        later="self.path = path\nself.is_open = False\nself.state = 0\nself.file = None",
        getter='\n    def __getstate__(self):\n        state = self.__dict__.copy()\n        state["file"] = None\n        return state\n',
        body=body,
    )


@pytest.mark.parametrize(
    ("above", "kept"),
    [("self.rows = {}", True), ("self.rows = {}\n    self.rows[0] = 1", False)],
)
def test_a_flag_may_stay_that_was_set_beside_an_empty_container(above, kept):
    text = (
        "class Rows(Dataset):\n"
        "    def __init__(self, path):\n"
        f"        {above.replace(chr(10), chr(10) + '    ')}\n"
        "        self.warns = True\n"
        "    def __getitem__(self, i):\n"
        "        if self.warns:\n"
        "            print(self.rows)\n"
        "        self.warns = False\n"
    )
    state = (
        "    def __getstate__(self):\n"
        "        state = self.__dict__.copy()\n"
        "        state['rows'] = None\n"
        "        return state\n"
    )
    assert kept != any("remains set" in each for each in worse(text, text + state))


def test_a_new_state_method_keeps_to_lazy_attributes():
    assert (
        worse("class A:\n    pass\n", "class A:\n" + LAZY.format(opener="return h5py.File('a')"))
        == []
    )


QUEUE = """
class Queued:
    def __init__(self, n):
        self.n = n
        self.q = queue.Queue(n)
{0}
    def size(self):
        return self.q.qsize()
"""
AGAIN = """
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["q"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.q = queue.Queue(self.n)
"""


def test_a_queue_is_made_again():
    assert worse(QUEUE.format(""), QUEUE.format(AGAIN)) == []


def test_what_it_is_made_again_from_is_in_the_state():
    wrong = AGAIN.replace("self.n)", "self.limit)")
    assert any(
        "while the instance is unpickled" in r for r in worse(QUEUE.format(""), QUEUE.format(wrong))
    )
    grown = "    def grow(self):\n        self.n += 1\n"
    assert any(
        "`n` is read later" in r for r in worse(QUEUE.format(grown), QUEUE.format(grown + AGAIN))
    )


def test_what_the_constructor_put_into_it_is_put_again():
    filled = "        self.q.put(1)\n"
    assert any(
        "`q` is filled" in r for r in worse(QUEUE.format(filled), QUEUE.format(filled + AGAIN))
    )
    both = AGAIN + "        self.q.put(1)\n"
    assert worse(QUEUE.format(filled), QUEUE.format(filled + both)) == []


ERROR = """
class Broken(Exception):
    def __init__(self, name, line):
        super().__init__(f"{{name}}:{{line}}")
        self.name = {0}
        self.line = line
{1}
{2}
"""
REDUCE = "\n    def __reduce__(self):\n        return type(self), (self.name, self.line)\n"


def test_an_error_is_made_again_from_what_it_was_made_of():
    assert worse(ERROR.format("name", "", ""), ERROR.format("name", REDUCE, "")) == []
    upper = ERROR.format("name.upper()", "", ""), ERROR.format("name.upper()", REDUCE, "")
    assert any("but it differs from the original argument" in reason for reason in worse(*upper))
    heir = "class Odd(Broken):\n    def __init__(self, name):\n        super().__init__(name, 1)\n"
    other = ERROR.format("name", "", heir), ERROR.format("name", REDUCE, heir)
    assert any("may not accept" in reason for reason in worse(*other))


SLOTTED = """
class Cached(Dataset):
    __slots__ = ("cache", "lock")
    def __init__(self):
        self.cache = {{}}
        self.lock = threading.Lock()
{members}
"""


def test_a_state_of_the_dict_alone_leaves_out_what_is_in_slots():
    reasons = worse(SLOTTED.format(members=""), SLOTTED.format(members=PAIR))
    assert any("`cache` is in `__slots__`" in each for each in reasons)


ENTERED = """
import settings

class Rows(Dataset):
    def __init__(self):
        self.file = None

    def __enter__(self):
        self.file = open(settings.path)
        return self
{members}
"""
ENTER_AGAIN = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state["_is_open"] = self.file is not None
        state["file"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.__dict__.pop("_is_open"):
            self.__enter__()
"""


@pytest.mark.parametrize("setter", [True, False])
def test_unpickling_reads_no_name_that_the_program_sets(setter):
    settings = "path = None\n"
    settings += "def use(given):\n    global path\n    path = given\n" if setter else ""
    before, after = ENTERED.format(members=""), ENTERED.format(members=ENTER_AGAIN)
    reasons = worse(before, after, settings=settings)
    assert setter == any("`settings.path` is read later" in each for each in reasons)


NESTED = """
class Volume:
    def __init__(self, path):
        {opened}
{members}
class Slices(Dataset):
    def __init__(self, path):
        self.volume = Volume(path)
        {kept}

    def __getitem__(self, index):
        return {read}[index]
"""
BY_PROCESS = """
    @property
    def file(self):
        if os.getpid() not in self._files:
            self._files[os.getpid()] = h5py.File(self.path)
        return self._files[os.getpid()]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files"] = {}
        return state
"""


@pytest.mark.parametrize(
    ("kept", "refused"), [("file.shape", False), ("file.dtype", False), ("file.get", True)]
)
def test_the_shape_of_what_each_process_opens_may_be_kept(kept, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = h5py.File(path)['x']\nself.kept = self.{kept}",
        later=f"self.path = path\nself.kept = self.{kept}\nself.file.file.close()\ndel self.file",
        opener="return h5py.File(self.path)['x']",
    )
    assert any("`kept` holds `file`" in each for each in reasons) is refused


def test_what_each_process_opens_for_itself_is_kept_nowhere():
    before = NESTED.format(
        opened="self.file = h5py.File(path)",
        members="",
        kept="self.values = self.volume.file['x']",
        read="self.values",
    )
    opened = "self.path, self._files = path, {}"
    kept = {"kept": "self._file = self.volume.file", "read": "self._file['x']"}
    after = NESTED.format(opened=opened, members=BY_PROCESS, **kept)
    assert any("holds `file`, but each process opens" in reason for reason in worse(before, after))
    kept = {"kept": "pass", "read": "self.volume.file['x']"}
    after = NESTED.format(opened=opened, members=BY_PROCESS, **kept)
    assert not any("each process opens" in reason for reason in worse(before, after))


HOOKS = {
    "once": ("if name in self.__dict__:\n            raise AttributeError(name)", False, True),
    "once, as `hasattr` says": (
        "if hasattr(self, name):\n            raise AttributeError(name)",
        False,
        True,
    ),
    "until it is sealed": (
        "if self.__dict__.get('sealed'):\n            raise AttributeError(name)",
        True,
        True,
    ),
    "never": ("raise AttributeError(name)", True, True),
    "under some names": (
        "if name.startswith('__'):\n            raise AttributeError(name)",
        False,
        False,
    ),
}


@pytest.mark.parametrize(("check", "removed", "kept"), HOOKS.values(), ids=HOOKS)
def test_a_restored_attribute_is_one_that_may_be_set(check, removed, kept):
    hook = (
        f"\n    def __setattr__(self, name, value):\n        {check}\n"
        "        object.__setattr__(self, name, value)\n"
    )
    marked = PAIR.replace('del state["lock"]', 'state["lock"] = True')
    for members, expected in ((PAIR, removed), (marked, kept)):
        reasons = locked(members=members, more=hook)
        assert any("`Cached.__setattr__` may raise" in each for each in reasons) is expected


@pytest.mark.parametrize(("removed", "refused"), [("'path'", True), ("'lock'", False)])
@pytest.mark.parametrize(
    "restored", ["self.lock_it()", "if self.path:\n            self.lock = make()"]
)
def test_what_a_method_sets_again_may_be_set(removed, refused, restored):
    hook = (
        "\n    def __setattr__(self, name, value):\n        if name in self.__dict__:\n"
        "            raise AttributeError(name)\n        self.__dict__[name] = value\n"
        "\n    def lock_it(self):\n        self.lock = threading.Lock()\n"
    )
    members = PAIR.replace("self.lock = threading.Lock()", restored).replace('"lock"', removed)
    reasons = locked(members=members, more=hook)
    assert any("may raise" in each for each in reasons) is refused


FROZEN = {
    "frozen": ("@dataclass(frozen=True)", True),
    "frozen, of another library": ("@attrs.frozen", True),
    "not frozen": ("@dataclass(frozen=False)", False),
    "a field of that name": ("@dataclass(eq=False)", False),
}


@pytest.mark.parametrize(("decorator", "refused"), FROZEN.values(), ids=FROZEN)
def test_no_attribute_of_a_frozen_class_is_assigned(decorator, refused):
    restored = "self._lock = threading.Lock()"
    program = f"""
{decorator}
class Cached:
    size: int
    _lock: object = field(default_factory=threading.Lock)
{{members}}
DataLoader(Cached(3), num_workers=2)
"""
    for written, expected in (
        (restored, refused),
        (f"if state:\n            {restored}", refused),
        ("object.__setattr__(self, '_lock', threading.Lock())", False),
    ):
        after = program.format(members=_PAIR_OF_A_FIELD.format(written=written))
        reasons = worse(program.format(members=""), after)
        assert any("is frozen" in each for each in reasons) is expected


_PAIR_OF_A_FIELD = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        {written}
"""


KEPT_BY_CALLERS = {
    "under another name": ("rows.spare = rows.file", True),
    "under another name, by setattr": ("setattr(rows, 'spare', rows.file)", True),
    "in its `__dict__`": ("rows.__dict__['spare'] = rows.file", True),
    "on another object": ("other.spare = rows.file", False),
    "by a variable": ("spare = rows.path", False),
}


@pytest.mark.parametrize(("line", "refused"), KEPT_BY_CALLERS.values(), ids=KEPT_BY_CALLERS)
def test_callers_do_not_keep_the_handle_on_its_object_under_another_name(line, refused):
    reasons = opened(program=f"rows = Rows('a.h5')\n{line}\nDataLoader(rows, num_workers=2)\n")
    assert any("`spare` holds `file`" in reason for reason in reasons) is refused


OPENED_WITH = """
class Rows(Dataset):
    def __init__(self, path, split="test"):
        self.path = path{kept}
        self.connect({passed})

    def connect(self, split="train"):
        self.file = sqlite3.connect(self.path + split)
{members}
    def __getitem__(self, index):
        return self.file.execute("SELECT 1").fetchone()

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files"] = {{}}
        return state
"""
PROPERTY = """
    @property
    def file(self):
        if os.getpid() not in self._files:
            self.connect({again})
        return self._files[os.getpid()]

    @file.setter
    def file(self, file):
        self._files[os.getpid()] = file
"""


@pytest.mark.parametrize(
    ("passed", "again", "refused"),
    [
        ("split", "", True),
        ("split=split", "", True),
        ("'valid'", "", True),
        ("", "", False),
        ("split", "self.split", False),
    ],
)
def test_a_property_that_opens_again_passes_what_the_constructor_passed(passed, again, refused):
    before = OPENED_WITH.format(kept="", passed=passed, members="")
    after = OPENED_WITH.format(
        kept="\n        self._files = {}\n        self.split = split",
        passed=passed,
        members=PROPERTY.format(again=again),
    )
    assert refused == any("calls `connect` again" in reason for reason in worse(before, after))


@pytest.mark.parametrize(
    ("check", "refused"), [("raise AttributeError(name)", True), ("print(name)", False)]
)
def test_a_deleted_attribute_is_one_that_may_be_deleted(check, refused):
    reasons = opened(
        init="self.path = path\nself.file = h5py.File(path, 'r')\nself.size = len(self.file)",
        later="self.path = path\nself.size = len(self.file)\nself.file.close()\ndel self.file",
        body=f"def __delattr__(self, name):\n    {check}\n",
    )
    assert any("`Rows.__delattr__` may raise" in each for each in reasons) is refused


@pytest.mark.parametrize(
    ("above", "base", "more"),
    [
        (
            "",
            "",
            "\n\nclass Scaled(Cached):\n    __slots__ = ('scale',)\n\n"
            "    def __init__(self):\n        super().__init__()\n        self.scale = 3\n",
        ),
        (
            "class Base:\n    __slots__ = ('scale',)\n\n"
            "    def __init__(self):\n        self.scale = 3\n\n\n",
            "(Base)",
            "",
        ),
    ],
)
def test_a_state_of_the_dict_alone_leaves_out_slots_of_subclasses_and_bases(above, base, more):
    reasons = locked(above=above, base=base, more=more)
    assert any("`scale` is in `__slots__`" in each for each in reasons)


def test_a_slot_that_setstate_sets_need_not_be_in_the_state():
    members = PAIR.replace('        del state["lock"]\n', "        state['cache'] = self.cache\n")
    program = LOCKED.replace(
        "    def __init__", "    __slots__ = ('cache', 'lock', '__dict__')\n    def __init__"
    )
    before = program.format(base="", members="", more="")
    after = program.format(base="", members=members, more="")
    assert not any("in `__slots__`" in each for each in worse(before, after))


HEIRS = {
    "it is popped": ("state.pop('file')", True),
    "it is deleted": ("del state['file']", True),
    "it is read": ("state['name'] = state['file'].name", True),
    "it is popped where it is": ("state.pop('file', None)", False),
    "another is popped": ("state.pop('path')", False),
}


@pytest.mark.parametrize(("takes", "refused"), HEIRS.values(), ids=HEIRS)
def test_a_subclass_expects_in_the_state_what_was_there(takes, refused):
    program = (
        "class Sub(Rows):\n    def __getstate__(self):\n        state = super().__getstate__()\n"
        f"        {takes}\n        return state\n"
    )
    base = "class Counted(Dataset):\n    def __getstate__(self):\n        return self.__dict__.copy()\n\n"
    getter = LAZY.replace("self.__dict__.copy()", "super().__getstate__()")
    reasons = opened(decorator=base, bases="Counted", getter=getter, program=program)
    assert refused == any("expects `file` in the state" in each for each in reasons)


TAKEN = {
    "the constructor of a subclass": ("__init__", "super().__init__()\n        {}", True),
    "a method of the parent": ("begin", "{}", True),
    "a method in workers": ("__getitem__", "{}", False),
}


@pytest.mark.parametrize(("method", "body", "refused"), TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("released", [True, False])
def test_a_lock_that_is_taken_and_kept_is_not_made_again(method, body, refused, released):
    statement = "self.lock.acquire()" + ("; self.lock.release()" if released else "")
    more = f"class Sub(Cached):\n    def {method}(self):\n        {body.format(statement)}\n"
    reasons = locked(more=more)
    assert (refused and not released) == any("is acquired and not released" in r for r in reasons)
