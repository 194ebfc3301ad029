"""Special methods, which syntax calls, may remove the file of an object, too."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened

TOOLS = """
class Tools:
    def __init__(self, place=None):
        self.place = place

    @property
    def size(self):
        {body}

    def keep(self, *given):
        {body}

    {names} = keep

    def {method}(self, *given):
        {body}

"""
# What runs, and the special method that it runs.
RUNS = {
    "an operator": ("Tools(path) | 1", "__or__"),
    "an operator from the right": ("'a' + Tools(path)", "__radd__"),
    "an operator in place": ("tools = Tools(path)\ntools @= 1", "__imatmul__"),
    "a sign": ("-Tools(path)", "__neg__"),
    "membership": ("1 in Tools(path)", "__contains__"),
    "a comparison": ("Tools(path) < 1", "__lt__"),
    "an item": ("Tools(path)[0]", "__getitem__"),
    "an item that is set": ("Tools(path)[0] = 1", "__setitem__"),
    "an item that is deleted": ("del Tools(path)[0]", "__delitem__"),
    "an attribute that is set": ("Tools(path).ready = 1", "__setattr__"),
    "an attribute that is deleted": ("del Tools(path).ready", "__delattr__"),
    "an attribute that is not there": ("Tools(path).ready", "__getattr__"),
    "a property": ("Tools(path).size", "unused"),
    "a formatted text": ("f'{Tools(path)}'", "__format__"),
    "a printed text": ("print(Tools(path))", "__str__"),
    "a length": ("len(Tools(path))", "__len__"),
    "a condition": ("if Tools(path): pass", "__bool__"),
    "a denied condition": ("not Tools(path)", "__bool__"),
    "a loop": ("for each in Tools(path): pass", "__iter__"),
    "a comprehension": ("[each for each in Tools(path)]", "__next__"),
    "an unpacked list": ("print(*Tools(path))", "__iter__"),
    "unpacked targets": ("a, b = Tools(path)", "__iter__"),
    "a with that begins": ("with Tools(path): pass", "__enter__"),
    "a with that ends": ("with Tools(path) as tools: print(1)", "__exit__"),
}


def removed(run, method, body, above="rows = Rows(path)\n"):
    tools = TOOLS.format(body=body, method=method, names="unused")
    main = textwrap.indent(f"{above}{run}\nreturn DataLoader(rows, num_workers=2)", "    ")
    reasons = opened(program=f"{tools}def main(path):\n{main}\n")
    return any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(("run", "method"), RUNS.values(), ids=RUNS)
def test_what_syntax_runs_may_remove_the_file(run, method):
    assert removed(run, method, "os.remove(self.place)")


@pytest.mark.parametrize(("run", "method"), RUNS.values(), ids=RUNS)
def test_what_syntax_runs_may_look_at_the_file(run, method):
    assert not removed(run, method, "return os.stat(self.place)")


@pytest.mark.parametrize(
    "run", ["path | Tools()", "path in Tools()", "Tools()[path]", "tools = Tools()\ntools += path"]
)
def test_what_a_special_method_gets_may_be_the_file(run):
    methods = "__ror__ __contains__ __getitem__ __iadd__".split()
    found = [removed(run, method, "os.remove(given[0])") for method in methods]
    assert any(found)


def test_a_method_that_is_only_read_does_not_run():
    assert not removed(
        "print(Tools(path).keep)", "unused", "os.remove(self.place)", "rows = Rows('b')\n"
    )


def test_what_opens_before_a_with_of_the_object_ends_is_gone_with_it():
    assert removed(
        "pass", "__exit__", "os.remove(self.place)", "with Tools(path): rows = Rows(path)\n"
    )


def test_what_begins_before_the_object_is_made_removes_no_file_of_it():
    above = "with Tools(path): rows = Rows(path)\n"
    assert not removed("pass", "__enter__", "os.remove(self.place)", above)


def test_what_a_condition_asks_comes_before_its_block():
    above = "if Tools(path): rows = Rows(path)\n"
    assert not removed("pass", "__bool__", "os.remove(self.place)", above)


def test_an_object_of_an_unknown_class_runs_no_method_of_the_program():
    assert not removed(
        "loader = DataLoader(rows)\nloader[0]", "__getitem__", "os.remove(self.place)"
    )
