"""Only the arguments from which a constructor opens name the file of its object."""

import pytest

from tests.fixing.proof.pairs import LAZY, opened

CASES = {
    "the path": ("toolbox.plot(path)", True),
    "another argument": ("toolbox.plot(title)", False),
    "another argument that is removed": ("os.remove(title)", False),
    "an argument made of the path": ("os.remove(name)", True),
}


@pytest.mark.parametrize(("call", "refused"), CASES.values(), ids=CASES)
def test_what_is_done_with_another_argument_changes_no_file(call, refused):
    reasons = opened(
        init="self.path = path\nself.title = title\nself.file = h5py.File(self.path, 'r')",
        later="self.path = path\nself.title = title",
        parameters="path, title",
        program=f"import toolbox\n\ndef main(path, title):\n    name = path.strip()\n    rows = Rows(path, title)\n    {call}\n"
        "    return DataLoader(rows, num_workers=2)\n",
    )
    assert refused == any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(
    ("opener", "refused"),
    [
        ("return h5py.File(self.path, 'r')", False),
        ("return h5py.File(os.path.join(self.path, self.title), 'r')", True),
        ("return h5py.File(NAMES[self.path], 'r')", True),
        ("return h5py.File(self.unknown, 'r')", True),
        ("return h5py.File(self.path) if isinstance(self.title, str) else None", False),
        ("return h5py.File(self.path) if choose(self.title) else None", True),
    ],
)
def test_what_else_names_the_file_counts(opener, refused):
    reasons = opened(
        init="self.path = path\nself.title = title\nself.file = h5py.File(path, 'r')",
        later="self.path = path\nself.title = title",
        parameters="path, title",
        opener=opener,
        program="import toolbox\n\ndef main(path, title):\n    rows = Rows(path, title=title)\n"
        "    toolbox.plot(title)\n    return DataLoader(rows, num_workers=2)\n",
    )
    assert refused == any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(("given", "refused"), [("title", False), ("path", True)])
def test_an_attribute_that_the_fix_adds_names_the_file(given, refused):
    reasons = opened(
        init="self.title = title\nself.file = h5py.File(path, 'r')",
        later="self.path = path\nself.title = title",
        parameters="path, title",
        program="import toolbox\n\ndef main(path, title):\n    rows = Rows(path, title)\n"
        f"    toolbox.plot({given})\n    return DataLoader(rows, num_workers=2)\n",
    )
    assert refused == any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(
    "value",
    ["self.opt.path", "self.opt['path']", "self.find()", "os.path.join(self.home(), title)"],
)
def test_what_the_object_holds_may_name_the_file(value):
    reasons = opened(
        init=f"self.opt = opt\nself.title = title\nself.file = h5py.File({value}, 'r')",
        later=f"self.opt = opt\nself.title = title\nself.path = {value}",
        parameters="opt, title",
        program="import toolbox\n\ndef main(opt, title):\n    rows = Rows(opt, title)\n"
        "    toolbox.plot(opt)\n    return DataLoader(rows, num_workers=2)\n",
    )
    assert any("may be removed" in each for each in reasons)


METHODS = {
    "sets it": "def place(self, where):\n    self.path = where\n",
    "calls what sets it": "def place(self, where):\n    self._place(where)\n\n"
    "def _place(self, at):\n    self.path = at\n",
    "sets it by name": "path = None\n\ndef place(self, where):\n    setattr(self, 'path', where)\n",
    "sets what it is made of": "def place(self, where):\n    self.root = where\n"
    "    self.path = os.path.join(self.root, 'a')\n",
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("given", ["path", "title"])
def test_what_a_method_of_the_constructor_gets_names_the_file(method, given):
    reasons = opened(
        init="self.title = title\nself.place(path)\nself.file = h5py.File(self.path, 'r')",
        later="self.title = title\nself.place(path)",
        parameters="path, title",
        body=method,
        program="import toolbox\n\ndef main(path, title):\n    rows = Rows(path, title)\n"
        f"    toolbox.plot({given})\n    return DataLoader(rows, num_workers=2)\n",
    )
    known = given == "title" and "setattr" not in method
    assert any("may be removed" in each for each in reasons) is not known


@pytest.mark.parametrize(("passed", "refused"), [("path", False), ("title", True)])
def test_what_is_handed_to_the_base_counts(passed, refused):
    base = "class Base(Dataset):\n    def __init__(self, place):\n        self.path = place\n\n"
    reasons = opened(
        init=f"super().__init__({passed})\nself.file = h5py.File(self.path, 'r')",
        later=f"super().__init__({passed})",
        parameters="path, title",
        bases="Base",
        body="",
        program="import toolbox\n\ndef main(path, title):\n    rows = Rows(path, title)\n"
        "    toolbox.plot(title)\n    return DataLoader(rows, num_workers=2)\n" + "\n" + base,
    )
    assert refused == any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(("given", "refused"), [("folder", True), ("task", False)])
def test_a_library_that_gets_a_part_of_a_name_finds_no_file(given, refused):
    program = (
        "import toolbox\n\ndef main(folder, task):\n"
        "    rows = Rows(os.path.join(folder, task + '.h5'))\n"
        f"    toolbox.Tasks({given})\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in each for each in opened(program=program))


@pytest.mark.parametrize(("given", "refused"), [("title", False), ("other", True)])
def test_each_of_several_handles_has_its_own_name(given, refused):
    kept = "self.path = path\nself.title = title\nself.other = other"
    opens = "self.file = h5py.File(self.path, 'r')"
    program = (
        "import toolbox\n\ndef main(path, title, other):\n    rows = Rows(path, title, other)\n"
        f"    toolbox.plot({given})\n    return DataLoader(rows, num_workers=2)\n"
    )
    first = LAZY.format(opener="return h5py.File(self.path, 'r')")
    second = first.replace("path", "other").replace("file", "second")
    reasons = opened(
        init=f"{kept}\n{opens}\nself.second = h5py.File(self.other, 'r')",
        later=kept,
        parameters="path, title, other",
        program=program,
        getter=first + second,
    )
    assert refused == any("may be removed" in each for each in reasons)


@pytest.mark.parametrize(
    ("called", "refused"),
    [("verify_str_arg", False), ("check_integrity", False), ("extract_archive", True)],
)
def test_functions_of_torchvision_that_only_look_change_no_file(called, refused):
    program = (
        f"from torchvision.datasets.utils import {called}\n\ndef main(path):\n    rows = Rows(path)\n"
        f"    {called}(path)\n    return DataLoader(rows, num_workers=2)\n"
    )
    assert refused == any("may be removed" in each for each in opened(program=program))


PUT = {
    "item": ("self.paths = {}\nself.paths['a'] = path", "self.paths['a']"),
    "append": ("self.paths = []\nself.paths.append(path)", "self.paths[0]"),
    "update": ("self.paths = {}\nself.paths.update(a=path)", "self.paths['a']"),
    "extend": ("self.paths = []\nself.paths.extend([path])", "self.paths[0]"),
    "local list": ("paths = []\npaths.append(path)\nself.paths = paths", "self.paths[0]"),
    "local dict": ("paths = {}\npaths['a'] = path\nself.paths = paths", "self.paths['a']"),
    "tuple": ("self.path, self.x = os.path.splitext(path)", "self.path"),
    "loop": ("self.paths = []\nfor each in path:\n    self.paths.append(each)", "self.paths[0]"),
    "part": ("self.opt = Box()\nself.opt.path = path", "self.opt.path"),
    "comp": ("self.paths = [each for each in path]", "self.paths[0]"),
    "lambda": ("self.where = lambda: path", "self.where()"),
    "local function": ("def where():\n    return path\nself.where = where", "self.where()"),
    "aug": ("self.paths = []\nself.paths += [path]", "self.paths[0]"),
    "walrus": ("if (here := path):\n    self.path = here", "self.path"),
    "insert": ("self.paths = []\nself.paths.insert(0, path)", "self.paths[0]"),
    "box": ("self.box = [None]\nself.box[0] = path", "self.box[0]"),
    "box of function": ("self.box = [None]\nfill(self.box, path)", "self.box[0]"),
    "of title": ("self.box = fill(title)\nself.box.place(path)", "self.box"),
    "with": ("with at(path) as here:\n    self.path = here", "self.path"),
    "global": ("global PATH\nPATH = path\nself.path = PATH", "self.path"),
    "function of the object": ("self.path = None\nfill(self, path)", "self.path"),
}


@pytest.mark.parametrize(("init", "opened_by"), PUT.values(), ids=PUT)
def test_what_is_put_where_the_opener_looks_names_the_file(init, opened_by):
    assert plotted("path", init, opened_by)


@pytest.mark.parametrize("way", ["append", "extend", "local list", "walrus", "loop"])
def test_what_is_put_elsewhere_names_no_file(way):
    assert not plotted("title", *PUT[way])


def plotted(given, init, opened_by):
    reasons = opened(
        init=f"self.title = title\n{init}\nself.file = h5py.File({opened_by}, 'r')",
        later=f"self.title = title\n{init}",
        opener=f"return h5py.File({opened_by}, 'r')",
        parameters="path, title",
        program="import toolbox\n\ndef main(path, title):\n    rows = Rows(path, title)\n"
        f"    toolbox.plot({given})\n    return DataLoader(rows, num_workers=2)\n",
    )
    return any("may be removed" in each for each in reasons)
