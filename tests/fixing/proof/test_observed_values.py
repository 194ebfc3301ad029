"""What an expression may hold that code asks for its name, its type or its source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.observed_values import Sources, makes_function, observed
from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project

CLASS = "class A:\n    def show(self, other=None):\n        print({}.__name__)\n"
OWN = "import functools\ncollate = functools.partial(print)\n\n\ndef _collate(b): pass\n"


def others(folder: Path, text: str, *, with_classes: bool = True) -> bool:
    """Return whether what `main.py` asks for `__name__` is surely not `_collate`."""
    for name, source in {"main.py": text, "own.py": OWN}.items():
        (folder / name).write_text(source)
    tree = Project(sorted(folder.glob("*.py")))
    (module,) = tree.mentions("__name__")
    (node,) = module.nodes_by_name["__name__"]
    asked = observed(module, node)
    assert asked is not None
    sources = Sources(Program(tree), {"_collate"}, with_classes=with_classes)
    return sources.are_others(module, asked)


@pytest.mark.parametrize(
    "text",
    [
        "kinds = {kind.__name__: kind for kind in [int, float, str]}",
        "for kind in (dict, print):\n    print(kind.__name__)\ndef print(b): pass",
        CLASS.format("self"),
        CLASS.format("type(self)"),
        "from types import ModuleType\nclass A(ModuleType):\n    def show(self):\n        print(self.__name__)",
        "F = None\ndef set_it():\n    global F\n    F = int\nset_it()\nprint(F.__name__)",
        "class A:\n    def set(self):\n        self.step = 'a'\n    def show(self):\n        print(self.step.__name__)",
        "def show(f):\n    print(f.__name__)\ndef main(): show(main)",
        "def show(f=None):\n    print(f.__name__)\nshow(int)\nshow()",
        "def show(f: str | None):\n    print(f.__name__)",
        "import types\ndef show(f: types.ModuleType):\n    print(f.__name__)",
        "def show(queue):\n    kind, text = queue.get()\n    print(kind.__name__)\n    raise kind(text)",
        "try:\n    pass\nexcept ValueError as e:\n    print(e.__name__)",
        "import torch\nprint(torch.nn.functional.relu.__name__)",
        "import inspect\ndef show(kind):\n    home = inspect.getmodule(kind)\n    print(home.__name__)",
        "from importlib import import_module\nprint(import_module('os').__name__)",
        "def f(a, b):\n    fns = [f, int]\n    for fn in fns:\n        print(fn.__name__)",
    ],
)
def test_what_a_question_is_asked_of_is_known(tmp_path: Path, text: str):
    assert others(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "for kind in kinds:\n    print(kind.__name__)",
        "F = None\ndef set_it(f):\n    global F\n    F = f\nset_it(_collate)\nprint(F.__name__)",
        "def show(kind):\n    print(kind.__name__)",
        "def getmodule(kind): return kind\ndef show(kind):\n    print(getmodule(kind).__name__)",
        "def show(kind):\n    print(super(kind).__name__)",
        CLASS.format("other"),
        CLASS.format("type(other)"),
        CLASS.format("self")
        .replace("(self", "(cls")
        .replace("    def", "    @classmethod\n    def"),
        CLASS.format("self").replace("class A:", "class A(type):"),
        "class A:\n    def show(self):\n        print(self.step.__name__)",
        "class A:\n    def set(self, s):\n        self.step = s\n    def show(self):\n        print(self.step.__name__)",
        "class A:\n    step = 1\n    def show(self):\n        self.step = 2\n        print(self.step.__name__)",
        "class A:\n    def __init__(self, **k):\n        self.__dict__.update(k)\n        self.step = 2\n"
        "        print(self.step.__name__)",
        "def show(f):\n    print(f.__name__)\ndef main(g): show(main), show(g)",
        "def show(f):\n    print(f.__name__)\nshow(int)\nkeep(show)",
        "def show(f):\n    print(f.__name__)\nshow(*things)",
        "def show(*f):\n    print(f.__name__)\nshow(1)",
        "def show(f: object):\n    print(f.__name__)",
        "from own import collate\nprint(collate.__name__)",
        "from own import _collate\nprint(_collate.__name__)",
        "import own\nprint(own.collate.__name__)",
        "def f(b):\n    fns = [f, int]\n    fns.append(b)\n    for fn in fns:\n        print(fn.__name__)",
        "fn = int\nfor fn in things: pass\nprint(fn.__name__)",
        "fn, other = things\nprint(fn.__name__)",
        "@over\ndef f(b): pass\nprint(f.__name__)",
    ],
)
def test_what_a_question_is_asked_of_may_be_the_function(tmp_path: Path, text: str):
    assert not others(tmp_path, text)


DECORATOR = (
    "from sacred.utils import optional\nfrom lib import Trainer as Trained\nclass Commands:\n    @optional\n"
    "    def command(self, function=None, prefix=None):\n        print(function.__name__)\n"
    "app = Commands()\n"
)
DECORATES = {
    "bare": ("@app.command\ndef f(): pass\n", True),
    "with options": ("@app.command(prefix='a')\ndef f(): pass\n", True),
    "called with a class": ("trainer = app.command(Trained, prefix='a')\n", True),
    "called twice": ("def f(): pass\napp.command(prefix='a')(f)\n", True),
    "a variable of its name": (
        "@app.command\ndef f(): pass\ncommand = 'ls'\nprint(command)\n",
        True,
    ),
    "an attribute of another class": (
        "@app.command\ndef f(): pass\nclass Line:\n    def set(self, text):\n        self.command = text\n"
        "        print(self.command)\n",
        True,
    ),
    "nothing": ("", False),
    "over what another decorator gives": ("@app.command\n@own\ndef f(): pass\n", False),
    "over what moved": ("@app.command\ndef _collate(): pass\n", False),
    "called with what moved": ("from own import _collate\napp.command(_collate)\n", False),
    "called twice with what moved": (
        "from own import _collate\napp.command(prefix='a')(_collate)\n",
        False,
    ),
    "kept": ("register = app.command\nregister(thing)\n", False),
    "a decorator that is kept": ("over = app.command(prefix='a')\nover(thing)\n", False),
    "of an object": ("@app.command\ndef f(): pass\nprint(thing.command)\n", False),
}


@pytest.mark.parametrize(("text", "known"), DECORATES.values(), ids=DECORATES)
def test_what_a_decorator_gets_through_one_of_a_library_is_what_it_stands_over(
    tmp_path, text, known
):
    assert others(tmp_path, DECORATOR + text) is known


def test_a_decorator_of_the_project_may_pass_on_anything(tmp_path: Path):
    own = "def optional(f): return f\n"
    text = DECORATOR.replace("from sacred.utils import optional\n", own)
    assert not others(tmp_path, text + "@app.command\ndef f(): pass\n")


@pytest.mark.parametrize(
    ("with_classes", "value", "known"),
    [(False, "'a'", True), (True, "'a'", False), (False, "thing", False)],
)
def test_the_type_of_a_value_is_asked_of_the_value(tmp_path, with_classes, value, known):
    text = f"v = {value}\nprint(type(v).__name__)\n"
    assert others(tmp_path, text, with_classes=with_classes) is known


@pytest.mark.parametrize(
    ("text", "expected"),
    [("types.FunctionType(code, names)", True), ("isinstance(f, types.FunctionType)", False)],
)
def test_a_type_that_is_called_asks_nothing(tmp_path: Path, text: str, expected: bool):
    (tmp_path / "main.py").write_text(text)
    (module,) = Project([tmp_path / "main.py"]).mentions("FunctionType")
    (node,) = module.nodes_by_name["FunctionType"]
    assert makes_function(module, node) is expected
    assert isinstance(node, ast.Attribute)


@pytest.mark.parametrize(
    ("program", "known"),
    [
        ("from load import show as display\ndisplay(int)\n", True),
        ("from load import show as display\ndisplay(_collate)\n", False),
        ("from load import show as display\nshown = [display]\n", False),
        ("from load import display\ndisplay(_collate)\n", False),
        ("from load import display\ndisplay(str)\n", True),
    ],
)
def test_calls_under_the_names_of_imports_count(tmp_path: Path, program: str, known: bool):
    files = {
        "load.py": "def show(f):\n    print(f.__name__)\n",
        "again.py": "from load import show as display\n",
    }
    for name, source in {**files, "own.py": OWN, "main.py": program}.items():
        (tmp_path / name).write_text(source)
    tree = Project(sorted(tmp_path.glob("*.py")))
    (module,) = tree.mentions("__name__")
    (node,) = module.nodes_by_name["__name__"]
    asked = observed(module, node)
    assert asked is not None
    assert Sources(Program(tree), {"_collate"}).are_others(module, asked) == known


@pytest.mark.parametrize("annotation", ["type", "type[Rows]", "typing.Type[Rows] | None"])
def test_a_class_is_another_where_only_functions_moved(tmp_path: Path, annotation: str):
    text = f"import typing\ndef show(kind: {annotation}):\n    print(kind.__name__)"
    assert others(tmp_path, text, with_classes=False)
    assert not others(tmp_path, text)


ASKED = """
import types
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return x

def rebind(model):
    for module in model.modules():
        if isinstance({asked}, types.FunctionType):
            print(module)
"""
STORED = {
    "nothing": ("", True),
    "what a library makes": (
        "def go(net):\n    net.forward = torch.compiler.disable(net.forward)\n",
        True,
    ),
    "by options": ("def go(net):\n    net.forward = torch.compile(mode='x')(net.forward)\n", True),
    "a method": (
        "def go(net):\n    net.forward = types.MethodType(type(net).forward, net)\n",
        True,
    ),
    "what it was": ("def go(net):\n    old = net.forward\n    net.forward = old\n", True),
    "bound by hand": ("def go(net):\n    net.forward = type(net).forward.__get__(net)\n", True),
    "a lambda": ("def go(net):\n    net.forward = lambda x: x\n", False),
    "a lambda in a wrapper": (
        "def go(net):\n    net.forward = torch.compile(lambda x: x)\n",
        False,
    ),
    "one that is not known": ("def go(net, step):\n    net.forward = step\n", False),
    "by its text": ("def go(net, step):\n    setattr(net, 'forward', step)\n", False),
    "by a key": ("def go(net, step):\n    net.__dict__['forward'] = step\n", False),
    "as a keyword": ("def go(step):\n    return types.SimpleNamespace(forward=step)\n", False),
    "what moved": ("def _collate(b): pass\ndef go(net):\n    net.forward = _collate\n", False),
    "a field": ("class Steps:\n    forward: object = None\n", False),
}
DICTS = [
    "module.__dict__.get('forward')",
    "vars(module).get('forward')",
    "module.__dict__['forward']",
]


@pytest.mark.parametrize("asked", DICTS)
@pytest.mark.parametrize(("stored", "expected"), STORED.values(), ids=STORED)
def test_what_objects_keep_under_a_name_is_what_is_stored_there(tmp_path, asked, stored, expected):
    (tmp_path / "main.py").write_text(ASKED.format(asked=asked) + stored)
    tree = Project([tmp_path / "main.py"])
    (module,) = tree.mentions("FunctionType")
    node = module.nodes_by_name["FunctionType"][0]
    value = observed(module, node)
    assert value is not None
    assert Sources(Program(tree), {"_collate"}).are_others(module, value) is expected


def test_a_computed_key_gives_anything(tmp_path):
    (tmp_path / "main.py").write_text(ASKED.format(asked="module.__dict__.get(name)"))
    tree = Project([tmp_path / "main.py"])
    (module,) = tree.mentions("FunctionType")
    value = observed(module, module.nodes_by_name["FunctionType"][0])
    assert value is not None
    assert not Sources(Program(tree), {"_collate"}).are_others(module, value)


@pytest.mark.parametrize("with_classes", [True, False])
def test_the_bases_of_a_class_are_classes(tmp_path, with_classes):
    text = "def show(model):\n    bases = type(model).__bases__\n    print(bases[0].__name__)\n"
    assert others(tmp_path, text, with_classes=with_classes) is not with_classes
