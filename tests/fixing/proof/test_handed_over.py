"""The file of an object may be handed over inside of something else, and removed by what gets that."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened

TIDY = "import os\n\ndef tidy(options):\n    os.remove({what})\n"
# What main calls, and what the function of another module removes of what it gets.
REMOVED = {
    "an item of a display": ("tidy({'place': path, 'other': other})", "options['place']"),
    "an item got by its key": ("tidy({'place': path})", "options.get('place')"),
    "an item of a named dict": ("given = {'place': path}\ntidy(given)", "options['place']"),
    "an item set before": ("given['place'] = path\ntidy(given)", "options['place']"),
    "an attribute set before": ("given.place = path\ntidy(given)", "options.place"),
    "a keyword of an object": ("tidy(Namespace(place=path))", "options.place"),
    "an item of a list": ("tidy([other, path])", "options[1]"),
}
OTHERS = {
    "another item": ("tidy({'place': path, 'other': other})", "options['other']"),
    "another item set before": ("given['place'] = path\ntidy(given)", "options['other']"),
    "another keyword": ("tidy(Namespace(place=path, other=other))", "options.other"),
}


def removed(main, above="", **others):
    body = textwrap.indent(
        f"rows = Rows(path)\n{main}\nreturn DataLoader(rows, num_workers=2)", "    "
    )
    program = f"from own import *\n{above}\ndef main(path, other, given):\n{body}\n"
    reasons = opened(program=program, **others)
    return any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(("call", "what"), REMOVED.values(), ids=REMOVED)
def test_a_function_may_remove_what_it_gets_inside_of_something(call, what):
    assert removed(call, own=TIDY.format(what=what))


@pytest.mark.parametrize(("call", "what"), OTHERS.values(), ids=OTHERS)
def test_what_stands_beside_the_file_may_be_removed(call, what):
    assert not removed(call, own=TIDY.format(what=what))


@pytest.mark.parametrize(
    ("what", "refused"),
    [("options['place']", True), ("options['other']", False), ("options", True)],
)
def test_a_library_gets_what_stands_under_a_key(what, refused):
    own = f"import toolbox\n\ndef read_meta(options):\n    return toolbox.finish({what})\n"
    assert removed("read_meta({'place': path, 'other': other})", own=own) == refused


TOOLS = """
import os

PLACE = None

def note(place):
    global PLACE
    PLACE = place

def forget():
    os.remove(PLACE)

class Tools:
    latest = None

    def __init__(self, place=None, other=None):
        self.place, self.other = place, other

    def use(self, place):
        self.place = place

    def tidy(self):
        self.drop()

    def drop(self):
        os.remove(self.place)

    def count(self):
        return len(self.place)

    @classmethod
    def note(cls, place):
        cls.latest = place

    @classmethod
    def forget(cls):
        os.remove(cls.latest)

    @classmethod
    def shown(cls):
        return str(cls.latest)
"""
KEPT = {
    "by its constructor": ("tools = Tools(path)\ntools.tidy()", True),
    "by its constructor, another": ("tools = Tools(other=path)\ntools.count()", False),
    "by a method": ("tools = Tools()\ntools.use(path)\ntools.tidy()", True),
    "by a method, another": ("tools = Tools()\ntools.use(other)\ntools.tidy()", False),
    "by a method, to look at": ("tools = Tools()\ntools.use(path)\ntools.count()", False),
    "on the class": ("Tools.note(path)\nTools.forget()", True),
    "on the class, to look at": ("Tools.note(path)\nTools.shown()", False),
    "on the class from outside": ("Tools.latest = path\nTools.forget()", True),
    "in a global name": ("note(path)\nforget()", True),
    "in a global name, another": ("note(other)\nforget()", False),
}


@pytest.mark.parametrize(("calls", "refused"), KEPT.values(), ids=KEPT)
def test_an_object_or_a_class_may_remove_later_what_it_was_given(calls, refused):
    assert removed(calls, own=TOOLS) == refused


STACKS = {
    "by a callback": ("stack.callback(os.remove, path)", True),
    "by a callback for another file": ("stack.callback(os.remove, other)", False),
    "by a callback that looks": ("stack.callback(os.stat, path)", False),
    "by what it enters": ("stack.enter_context(Lease(path))", True),
    "by what it enters for another file": ("stack.enter_context(Lease(other))", False),
}


@pytest.mark.parametrize(("call", "refused"), STACKS.values(), ids=STACKS)
def test_an_exit_stack_may_remove_the_file_when_it_ends(call, refused):
    lease = (
        "class Lease:\n    def __init__(self, place):\n        self.place = place\n\n"
        "    def __exit__(self, *error):\n        os.remove(self.place)\n"
    )
    main = f"with contextlib.ExitStack() as stack:\n    {call}\n    more = Rows(path)\nuse(more)"
    assert removed(main, above=lease) == refused


@pytest.mark.parametrize(("held", "refused"), [("token", True), ("rows", False)])
def test_a_file_may_be_removed_once_another_object_is_gone(held, refused):
    assert removed(f"weakref.finalize({held}, os.remove, path)") == refused


@pytest.mark.parametrize(
    ("method", "refused"),
    [
        ("@classmethod\n    def use(cls, place):\n        cls.place = place", True),
        ("def use(self, place):\n        type(self).place = place", True),
        ("def use(self, place):\n        self.place = place", False),
        ("@classmethod\n    def use(cls, place):\n        cls.other = place", False),
    ],
)
def test_what_a_method_sets_on_its_class_is_not_read_later(method, refused):
    store = f"class Store:\n    place = 'a.h5'\n\n    {method}\n"
    reasons = opened(
        init="self.file = h5py.File(Store.place, 'r')",
        later="pass",
        opener="return h5py.File(Store.place, 'r')",
        parameters="",
        program=f"{store}\nrows = Rows()\n",
    )
    assert refused == any("`Store.place` is read later" in each for each in reasons)


@pytest.mark.parametrize(("name", "refused"), [("start", True), ("count", False)])
def test_a_base_of_a_library_may_run_methods_of_the_class(name, refused):
    base = "threading.Thread" if name == "start" else "object"
    above = (
        f"class Cleaner({base}):\n    def __init__(self, place):\n        self.place = place\n\n"
        "    def run(self):\n        os.remove(self.place)\n\n    def count(self):\n        return 1\n"
    )
    assert removed(f"worker = Cleaner(path)\nworker.{name}()", above=above) == refused


@pytest.mark.parametrize(("given", "refused"), [("path", True), ("other", False)])
def test_a_list_of_a_module_may_keep_a_path_until_it_is_removed(given, refused):
    own = (
        "import os\n\nPLACES = []\n\ndef remember(place):\n    PLACES.append(place)\n\n"
        "def sweep():\n    for place in PLACES:\n        os.remove(place)\n"
    )
    assert removed(f"remember({given})\nsweep()", own=own) == refused
