"""What runs in the user's interpreter, in this process."""

from __future__ import annotations

import ast
import collections
import functools
import io
import multiprocessing
import pickle
import sqlite3
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from dlfix.runtime import probe as probe_module
from dlfix.runtime.inside import bootstrap, contents, culprits, objects, pickling


class Holder:
    def __init__(self, **values):
        self.__dict__.update(values)

    def method(self):
        return 1


class Slotted:
    __slots__ = ("lock", "size")

    def __init__(self, lock):
        self.lock = lock
        self.size = 3


class Dropping(Holder):
    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "lock"}


class Forgetful:
    """Comes back without what it was given later."""

    def __reduce__(self):
        return (Forgetful, ())


class Tape:
    """A file of sorts: it has a position, which is not pickled."""

    def __init__(self):
        self.at = 0

    def tell(self):
        return self.at

    def seek(self, to):
        self.at = to

    def __reduce__(self):
        return (Tape, ())


def walk(obj, label="dataset"):
    error = pickling.failure(obj)
    return culprits.find_culprits(obj, label, error) if error else []


def paths(obj):
    return {culprit["path"] for culprit in walk(obj)}


def local_function():
    def inner():
        return None

    return inner


LOCK = threading.Lock()

HANGS = {
    "an attribute": (Holder(a=Holder(lock=LOCK)), "dataset.a.lock"),
    "an item of a list": (Holder(items=[1, LOCK]), "dataset.items[1]"),
    "a value of a dict": (Holder(by={"x": (0, LOCK)}), "dataset.by['x'][1]"),
    "a key of a dict": (Holder(by={local_function(): 1}), "dataset.by.keys()[0]"),
    "a slot": (Slotted(LOCK), "dataset.lock"),
    "a partial's function": (functools.partial(lambda x: x, 1), "dataset.func"),
    "a partial's argument": (functools.partial(print, LOCK), "dataset.args[0]"),
    "a partial's keyword": (functools.partial(print, end=LOCK), "dataset.keywords['end']"),
    "a bound method's object": (Holder(lock=LOCK).method, "dataset.__self__.lock"),
    "a defaultdict's factory": (collections.defaultdict(lambda: 0), "dataset.default_factory"),
    "a deque": (Holder(queue=collections.deque([LOCK])), "dataset.queue[0]"),
    "an ordered dict": (collections.OrderedDict(a=LOCK), "dataset['a']"),
}


@pytest.mark.parametrize(("obj", "path"), HANGS.values(), ids=HANGS)
def test_a_culprit_is_found_where_it_hangs(obj, path):
    assert paths(obj) == {path}


def test_all_culprits_are_found_and_each_once_by_its_shortest_path():
    shared = threading.Lock()
    obj = Holder(deep=Holder(lock=shared), lock=shared, gen=(x for x in "ab"), module=sys)
    assert paths(obj) == {"dataset.lock", "dataset.gen", "dataset.module"}


@pytest.mark.parametrize(
    "obj",
    [
        Dropping(lock=threading.Lock(), size=3),
        Holder(f=len, g=print, cls=Holder, path=Path("x")),
        functools.partial(print, 1, end=""),
        collections.defaultdict(list, a=[1]),
        Holder(method=Holder(a=1).method),
    ],
    ids=["dropped by __getstate__", "functions by name", "partial", "defaultdict", "method"],
)
def test_what_pickles_has_no_culprit(obj):
    assert walk(obj) == []


def test_a_multiprocessing_lock_may_cross_when_a_process_starts():
    assert walk(Holder(lock=multiprocessing.get_context("spawn").Lock())) == []


def test_what_is_wrong_inside_a_library_s_object_is_that_object_s_fault(tmp_path):
    archive = zipfile.ZipFile(tmp_path / "a.zip", "w")
    (culprit,) = walk(Holder(zips=[archive], event=None))
    assert culprit["path"] == "dataset.zips[0]"
    assert culprit["type"] == "zipfile.ZipFile"
    assert ".fp" in culprit["inner"]


def test_the_exception_of_a_culprit_is_that_of_pickling_it():
    (culprit,) = walk(Holder(db=sqlite3.connect(":memory:")))
    assert culprit["error"]["type"] == "TypeError"
    assert culprit["error"]["message"] == "cannot pickle 'sqlite3.Connection' object"


def test_an_instance_of_a_local_class_is_named_with_the_class_s_line():
    class Inner:
        pass

    (culprit,) = walk(Holder(items=[Inner()]))
    assert culprit["path"] == "dataset.items[0]"
    assert culprit["type"].startswith("class test_an_instance")
    assert "class Inner" in Path(__file__).read_text().split("\n")[culprit["place"]["line"] - 1]


class Makes:
    def __init__(self):
        self.lock = None
        self.handles = {}
        for name in "ab":
            self.handles[name] = threading.Lock()
        self.first, self.second = threading.Lock(), 2
        self.lock = threading.RLock()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("dataset.lock", "self.lock = threading.RLock()"),
        ("dataset.first", "self.first, self.second ="),
        ("dataset.handles['a']", "self.handles[name] ="),
    ],
)
def test_the_line_that_made_a_culprit_is_that_of_the_assignment(path, text):
    found = {culprit["path"]: culprit["place"]["line"] for culprit in walk(Makes())}
    assert text in Path(__file__).read_text().split("\n")[found[path] - 1]


def test_modules_of_torch_are_reached_as_people_write_them():
    path = "dataset.net._modules['features']._modules['0']._parameters['weight']"
    assert objects.tidy(path) == "dataset.net.features[0].weight"


def test_bytes_are_counted_and_never_kept():
    cost = pickling.measure([b"x" * 1_000_000] * 3)  # pickled once: it is one object
    assert 1_000_000 <= cost["bytes"] < 1_001_000


def test_the_largest_attributes_come_first_and_a_lone_heavy_one_is_opened_up():
    inner = Holder(samples=list(range(50_000)), names=["a"] * 10)
    rows = contents.largest(Holder(inner=inner, small=1), "dataset")
    assert rows[0]["path"] == "dataset.inner.samples"


def differences(obj):
    back = pickle.loads(pickle.dumps(obj))
    return contents.differences(contents.outline(obj, "dataset"), contents.outline(back, "dataset"))


def test_an_attribute_that_does_not_come_back_is_a_difference():
    obj = Forgetful()
    obj.index = Holder()
    assert differences(Holder(a=obj)) == ["dataset.a.index does not exist in the worker"]


def test_a_position_that_does_not_come_back_is_a_difference():
    tape = Tape()
    tape.seek(7)
    assert differences(Holder(tape=tape)) == [
        "dataset.tape is at position 7 in the parent but at position 0 in the worker"
    ]


@pytest.mark.parametrize(
    "obj",
    [Dropping(lock=Holder(), size=3), Holder(buffer=io.BytesIO(b"abc")), Holder(a=[Holder(b=1)])],
    ids=["dropped on purpose", "a buffer", "plain"],
)
def test_what_comes_back_as_it_should_is_no_difference(obj):
    assert differences(obj) == []


def test_open_files_are_what_a_fork_would_share(tmp_path):
    with (tmp_path / "data").open("w") as file:
        (row,) = contents.descriptors(
            Holder(files={"a": file}, other=Holder(again=file)), "dataset"
        )
    assert row["path"] in ("dataset.files['a']", "dataset.other.again")
    assert row["name"].endswith("data")


@pytest.mark.parametrize("name", bootstrap.MODULES)
def test_what_is_sent_needs_the_standard_library_of_python_3_8_and_what_was_sent_before(name):
    tree = ast.parse(probe_module.sources()[name], feature_version=(3, 8))
    found = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    own = [n for n in found if getattr(n, "level", 0)]
    absolute = {
        (getattr(node, "module", None) or node.names[0].name).partition(".")[0]
        for node in found
        if node not in own
    }
    assert absolute <= sys.stdlib_module_names
    before = set(bootstrap.MODULES[: bootstrap.MODULES.index(name)])
    assert {each.module or each.names[0].name for each in own} <= before


def test_all_modules_are_sent():
    folder = Path(bootstrap.__file__).parent
    assert {path.stem for path in folder.glob("*.py")} == {*bootstrap.MODULES, "__init__"}


def test_the_command_line_is_short_enough_for_every_system():
    assert len(bootstrap.program(probe_module.sources())) < 30_000
