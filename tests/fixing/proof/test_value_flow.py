from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.decorating import is_of_decorated
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.value_flow import Known, is_about, known_as
from dlfix.project.module import Module
from dlfix.project.project import Project


def project(folder: Path, texts: dict[str, str]) -> Project:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return Project(sorted(folder.glob("*.py")))


HEAD = "import functools\nfrom torch.utils.data import DataLoader\nfrom own import Loader\n"
OWN = "from torch.utils.data import DataLoader\n\n\nclass Loader(DataLoader):\n    pass\n"

MADE_ELSEWHERE = "class A:\n    def __init__(self, fn=lambda b: b):\n        self.fn = fn\n\n"
STEPS = """
def f():
    Steps([lambda b: b, lambda b: b] * 2)
class Steps:
    def __init__(self, steps):
        self.steps = steps
    def run(self, b):
        """

# A property under the name that a library's method has.
MAPS = (
    "class A:\n    {}\n    def map(self){}:\n        return {}\n"
    "def f(d):\n    return d.map(lambda b: b)\n"
)

LOCAL = "class B:\n    x = 1\nclass A: pass\ndef f():\n    class C(B): pass\n    c = C()\n    return 1\n"

HELD = (
    "class B:\n    def __init__(self):\n        self.x = 1\n"
    "class A:\n    def __init__(self, fn):\n        self.fn = fn\n\na = A(lambda b: b)\n"
)


def _local_classes(module: Module) -> list[ast.ClassDef]:
    return [n for n in module.nodes(ast.ClassDef) if isinstance(module.parent(n), ast.FunctionDef)]


def names(tmp_path: Path, text: str) -> frozenset[str] | None:
    names = "from torch.utils.data import DataLoader as Loaded\n"
    tree = project(tmp_path, {"main.py": HEAD + text, "own.py": OWN, "names.py": names})
    module = next(each for each in tree.mentions("DataLoader") if each.path.name == "main.py")
    functions = module.nodes(ast.FunctionDef)
    local = [each for each in functions if isinstance(module.parent(each), ast.FunctionDef)]
    inner = [*module.nodes(ast.Lambda), *local, *_local_classes(module)]
    known = known_as(Program(tree), module, inner)
    return None if known is None else known.names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DataLoader(d, collate_fn=lambda b: b)", {"<lambda>", "collate_fn"}),
        ("DataLoader(d, transforms=[lambda b: b])", {"<lambda>", "transforms"}),
        (
            "from torch.utils.data import Dataset\nclass R(Dataset):\n    def m(self):\n"
            "        show(self.collate_fn)\nDataLoader(d, collate_fn=lambda b: b)",
            {"<lambda>", "collate_fn"},
        ),
        (
            "class L(DataLoader):\n    def m(self):\n        show(self.collate_fn)\n"
            "DataLoader(d, collate_fn=lambda b: b)",
            None,
        ),
        (
            "from torch.utils.data import Dataset\nclass R(Dataset):\n    def m(self):\n"
            "        show(self.collate_fn)\nl = DataLoader(d, collate_fn=lambda b: b)\n"
            "R().collate_fn = l.collate_fn",
            None,
        ),
        (
            "def f():\n    def c(b, n): pass\n    g = functools.partial(c, n=1)\n    DataLoader(d, collate_fn=g)",
            {"c", "g", "collate_fn"},
        ),
        (
            "def f():\n    def c(b, n): pass\n    g(functools.partial(c, n=1).func)\ndef g(h): h(1)",
            {"c", "h"},
        ),
        (
            "def f():\n    made = [lambda b: b for _ in range(2)]\n    DataLoader(d, collate_fn=made[0])",
            {"<lambda>", "made", "collate_fn"},
        ),
        ("def f():\n    def c(b, n): pass\n    functools.reduce(c, x)", None),
        ("def f():\n    def c(b): pass\n    DataLoader(d, collate_fn=c)", {"c", "collate_fn"}),
        ("Loader(d, collate_fn=lambda b: b)", {"<lambda>", "collate_fn"}),
        ("Loader(d, lambda b: b)", None),
        ("functools.wraps(lambda b: b)", None),
        ("register(lambda b: b)", None),
        ("def f():\n    return lambda b: b", None),
        ("def f():\n    return lambda b: b\nprint(f'{f()}', '{}'.format(f()))", {"<lambda>", "f"}),
        ("def f():\n    return lambda b: b\nkeep(f)", None),
        ("@cache\ndef f():\n    return lambda b: b", None),
        ("@functools.cache\ndef f():\n    return lambda b: b\nf()(1)", {"<lambda>", "f"}),
        (
            "import sacred\n@sacred.command\ndef f():\n    return lambda b: b\nf()(1)",
            {"<lambda>", "f"},
        ),
        ("@data.command\ndef f():\n    return lambda b: b\nf()(1)", {"<lambda>", "f"}),
        ("def own(f):\n    return show\n@own\ndef f():\n    return lambda b: b\nf()(1)", None),
        ("def f():\n    return lambda b: b\nf()", {"<lambda>", "f"}),
        (
            "def f():\n    return lambda b: b\nc = f()\nDataLoader(d, collate_fn=c)",
            {"<lambda>", "f", "c", "collate_fn"},
        ),
        ("def f():\n    def c(b): pass\n    DataLoader(d, collate_fn=c)\n    show(c)", None),
        ("f = lambda b: b\nDataLoader(d, collate_fn=f)", {"<lambda>", "f", "collate_fn"}),
        ("f = lambda b: b\nshow(f)", None),
        ("f = g = lambda b: b\ndel g", {"<lambda>", "f", "g"}),
        ("f += lambda b: b", {"<lambda>", "f"}),
        (
            "def f(flag):\n    c = None\n    if flag:\n        c = lambda b: b\n    if c is not None:\n"
            "        DataLoader(d, collate_fn=c)",
            {"<lambda>", "c", "collate_fn"},
        ),
        (
            "def load(d, fn):\n    DataLoader(d, collate_fn=fn)\nload(d, lambda b: b)",
            {"<lambda>", "fn", "collate_fn"},
        ),
        ("def load(d, *fns):\n    pass\nload(d, lambda b: b)", {"<lambda>", "fns"}),
        ("def load(d, *fns):\n    show(fns)\nload(d, lambda b: b)", None),
        ("def load(d, **fns):\n    pass\nload(d, fn=lambda b: b)", {"<lambda>", "fn", "fns"}),
        ("def load(d, **fns):\n    show(fns[d])\nload(d, fn=lambda b: b)", None),
        ("def load(d, fn):\n    show(fn)\nload(d, fn=lambda b: b)", None),
        (
            "class A:\n    def __init__(self, d, fn):\n        self.fn = fn\nA(d, lambda b: b)",
            {"<lambda>", "fn"},
        ),
        (
            "class A:\n    def m(self):\n        self.fn = lambda b: b\n        self.fn(1)",
            {"<lambda>", "fn"},
        ),
        ("class A:\n    def m(self):\n        self.fn = lambda b: b\n        show(self.fn)", None),
        (
            "class A:\n    def m(self):\n        self.fn = lambda b: b\ngetattr(a, 'fn')",
            {"<lambda>", "fn"},
        ),
        ("class A:\n    def m(self):\n        self.fn = lambda b: b\nshow(getattr(a, 'fn'))", None),
        ("class A:\n    fn = lambda b: b\nother = A.fn\nshow(other)", None),
        (HELD + "for one in vars(a).values():\n    one(1)", {"<lambda>", "fn", "one"}),
        (HELD + "x = [one(1) for k, one in a.__dict__.items()]", {"<lambda>", "fn", "one"}),
        (HELD + "one = vars(a)['fn']", {"<lambda>", "fn", "one"}),
        (HELD + "one = a.__dict__.get(key)", {"<lambda>", "fn", "one"}),
        (HELD + "one = vars(a)['other']", {"<lambda>", "fn"}),
        (HELD + "show(vars(a)['fn'])", None),
        (
            HELD + "def log(args):\n    for k, v in vars(args).items():\n        show(v)",
            {"<lambda>", "fn"},
        ),
        (HELD + "b = B()\nfor v in vars(b).values():\n    show(v)", {"<lambda>", "fn"}),
        (
            MADE_ELSEWHERE
            + "from importlib.util import module_from_spec\nm = module_from_spec(s)\n"
            "for v in m.__dict__.values():\n    show(v)",
            {"<lambda>", "fn"},
        ),
        (MADE_ELSEWHERE + "m = load(s)\nfor v in m.__dict__.values():\n    show(v)", None),
        (
            "class A(DataLoader):\n    def __init__(self, d):\n"
            "        super().__init__(d, collate_fn=lambda b: b)",
            {"<lambda>", "collate_fn"},
        ),
        (
            "class A(DataLoader):\n    def __init__(self, d):\n"
            "        super().__init__(d, collate_fn=lambda b: b)\nf = A(d).collate_fn\nshow(f)",
            None,
        ),
        (
            "class B:\n    def __init__(self, fn):\n        show(fn)\nclass A(B):\n"
            "    def __init__(self):\n        super().__init__(lambda b: b)",
            None,
        ),
        (
            "class A:\n    def m(self):\n        self.use(lambda b: b)\n    def use(self, fn):\n        fn(1)",
            {"<lambda>", "fn"},
        ),
        (
            "class A:\n    def m(self):\n        self.use(lambda b: b)\n    def use(self, fn):\n        fn(1)\n"
            "class B(A):\n    def use(self, fn):\n        show(fn)",
            None,
        ),
        ("class A:\n    def m(self):\n        self.use(lambda b: b)", None),
        ("def f(d):\n    c = lambda b: b\n    return d[c]", {"<lambda>", "c"}),
        ("def f(d):\n    c = lambda b: b\n    d[c] = 1", None),
        ("from names import *\nLoaded(d, collate_fn=lambda b: b)", {"<lambda>", "collate_fn"}),
        ("from names import *\nUnknown(d, collate_fn=lambda b: b)", None),
        (
            "opts = {}\nopts['collate_fn'] = lambda b: b\nDataLoader(d, **opts)",
            {"<lambda>", "collate_fn", "opts"},
        ),
        ("opts = {}\nopts['collate_fn'] = lambda b: b\nfor k in opts.values(): show(k)", None),
        ("opts = {}\nopts['collate_fn'] = lambda b: b\nload(**opts)", None),
        (
            "opts = load(opts)\nopts['collate_fn'] = lambda b: b\nDataLoader(d, **opts)",
            {"<lambda>", "collate_fn", "opts"},
        ),
        (
            "for k in d:\n    opts = load(k)\n    show(opts)\n    opts['collate_fn'] = lambda b: b\n"
            "    DataLoader(d, **opts)",
            {"<lambda>", "collate_fn", "opts"},
        ),
        (
            "for k in d:\n    opts = dict(opts)\n    show(opts)\n    opts['collate_fn'] = lambda b: b\n"
            "    DataLoader(d, **opts)",
            None,
        ),
        (
            "def f():\n    return opts\nopts = {}\nopts['collate_fn'] = lambda b: b\nDataLoader(d, **opts)",
            None,
        ),
        (
            "opts = {'collate_fn': lambda b: b}\nDataLoader(d, **opts)",
            {"<lambda>", "collate_fn", "opts"},
        ),
        ("opts = {'collate_fn': lambda b: b}\nshow(opts['collate_fn'])", None),
        ("opts = {0: lambda b: b}\nDataLoader(d, **opts)", {"<lambda>", "opts"}),
        ("load({'collate_fn': lambda b: b})", None),
        (
            "def f():\n    for step in [lambda b: b]:\n        step(1)",
            {"<lambda>", "step"},
        ),
        ("def f():\n    for step in [lambda b: b]:\n        show(step)", None),
        (STEPS + "for s in self.steps:\n            s(b)", {"<lambda>", "steps", "s"}),
        (STEPS + "return [s(b) for s in self.steps]", {"<lambda>", "steps", "s"}),
        (
            STEPS + "for i, s in enumerate(self.steps):\n            s(i)",
            {"<lambda>", "steps", "s"},
        ),
        (STEPS + "assert len(self.steps)\n        self.steps[0](b)", {"<lambda>", "steps"}),
        (STEPS + "import own.steps\n        own.steps", {"<lambda>", "steps"}),
        (STEPS + "for s in self.steps:\n            show(s)", None),
        ("def f(d, fn=lambda b: b):\n    fn(d)", {"<lambda>", "fn"}),
        ("def f(d, *, fn=lambda b: b):\n    show(fn)", None),
        ("@cache\ndef f(d, fn=lambda b: b):\n    fn(d)", None),
        ("def f(c):\n    c = c or (lambda b: b)\n    assert not c\n    c(1)", {"<lambda>", "c"}),
        ("def f(c):\n    show(c or (lambda b: b))", None),
        (MAPS.format("@property", " -> float", "self.all['map']"), {"<lambda>"}),
        (MAPS.format("@property", " -> 'list[int]'", "self.all['map']"), None),
        (MAPS.format("@property", "", "len(self.all)"), {"<lambda>"}),
        (MAPS.format("@functools.cached_property", " -> list[int]", "self.all"), {"<lambda>"}),
        (MAPS.format("@property", "", "self.all['map']"), None),
        (MAPS.format("@property", " -> Mapper", "self.all"), None),
        (MAPS.format("@wrapped", " -> float", "self.all"), None),
        (
            MAPS.format("@property", " -> float", "1.0")
            + "class B:\n    def map(self, f): show(f)\n",
            None,
        ),
        (MAPS.format("@property", " -> float", "1.0") + "b.map = show\n", None),
        (LOCAL, {"C"}),
        (LOCAL.replace("C()", "show(C)"), None),
        (LOCAL.replace("C()", "print(C)"), None),
        (LOCAL.replace("C()", "DataLoader(C)"), {"C", "dataset"}),
        (LOCAL.replace("(B)", "(B, metaclass=M)"), None),
        (LOCAL + "print(B.__subclasses__())", None),
        (LOCAL + "print(A.__subclasses__())", {"C"}),
        (LOCAL.replace("    x = 1", "    def __init_subclass__(cls): pass"), None),
        (STEPS + "hasattr(self.steps, 'sizes') and b.steps.sizes", {"<lambda>", "steps"}),
        (STEPS + "hasattr(self.steps, '__name__')", None),
        (STEPS + "show(self.steps.copy())", None),
        (STEPS + "show(b.steps.__self__)", None),
        (STEPS + "len = show\n        len(self.steps)", None),
        (STEPS + "self.steps[0] = self.steps[1]\n        b.steps.pop()", {"<lambda>", "steps"}),
        (STEPS + "self.steps.append(1)\n        self.steps.pop()(b)", {"<lambda>", "steps"}),
        (STEPS + "show(b.steps.pop())", None),
        (
            "def f(d):\n    steps = []\n    steps.append(lambda b: b)\n    return [s(d) for s in steps]",
            {"<lambda>", "steps", "s"},
        ),
        ("def f(d):\n    steps = []\n    steps.append(lambda b: b)\n    show(steps[0])", None),
        (
            "def add(steps):\n    steps.append(lambda b: b)\ndef f():\n    mine = []\n    add(mine)\n"
            "    mine[0](1)",
            {"<lambda>", "steps", "mine"},
        ),
        (
            "def add(steps):\n    steps.append(lambda b: b)\ndef f():\n    mine = []\n    add(mine)\n"
            "    show(mine[0])",
            None,
        ),
        (
            "class A:\n    def put(self, key):\n        self.table[key] = lambda b: b\n"
            "    def use(self, key):\n        return self.table[key](1)",
            {"<lambda>", "table"},
        ),
        (
            "class A:\n    def put(self, key):\n        self.table[key] = lambda b: b\n"
            "    def use(self):\n        for name, fn in self.table.items():\n            show(fn)",
            None,
        ),
        (
            "def f(d):\n    options = dict(collate_fn=lambda b: b)\n    return DataLoader(d, **options)",
            {"<lambda>", "collate_fn", "options"},
        ),
        (
            "def load(d, collate_fn, workers):\n    DataLoader(d, workers, collate_fn=collate_fn)\n"
            "options = dict(collate_fn=lambda b: b)\nload(d, **options)",
            {"<lambda>", "collate_fn", "options"},
        ),
        (
            "def load(d, collate_fn, show_it):\n    show(collate_fn)\n"
            "options = dict(collate_fn=lambda b: b)\nload(d, **options)",
            None,
        ),
        (
            "def load(d, fn):\n    show(fn)\noptions = {}\noptions[d] = lambda b: b\nload(d, **options)",
            None,
        ),
    ],
)
def test_the_names_of_what_only_a_library_gets(
    tmp_path: Path, text: str, expected: set[str] | None
):
    assert names(tmp_path, text) == expected


A = (
    "class A:\n    def __init__(self, fn):\n        self.fn = fn\n"
    "    def run(self, b):\n        return self.fn(b)\n"
)
ASKED_OF_AN_OBJECT = {
    "an item of a list": "augs = [A(lambda b: b)]\nshow(augs[0].fn)",
    "items of a list": "augs = [A(lambda b: b)]\nfor a in augs:\n    show(a.fn)",
    "an item of a dict": "d = {'x': A(lambda b: b)}\nshow(d['x'].fn)",
    "what a function gives": "def make():\n    return A(lambda b: b)\nshow(make().fn)",
    "what a generator gives": "def gen():\n    yield A(lambda b: b)\nfor a in gen():\n    show(a.fn)",
    "an argument": "def use(**os):\n    show(os['a'].fn)\nuse(a=A(lambda b: b))",
    "a part of another": (
        "class B:\n    def __init__(self):\n        self.a = A(lambda b: b)\nb = B()\nshow(b.a.fn)"
    ),
    "a copy": "import copy\na = A(lambda b: b)\nc = copy.copy(a)\nshow(c.fn)",
    "a registry": (
        "REG = {}\ndef add(n, o):\n    REG[n] = o\nadd('a', A(lambda b: b))\ndef run():\n"
        "    for each in REG.values():\n        show(each.fn)"
    ),
    "an object that it is set on": (
        "class C:\n    fn = None\n    def use(self):\n        show(self.fn)\nc = C()\nc.fn = lambda b: b"
    ),
    "an object that it is set on, of a class that is not seen": (
        "class C:\n    fn = None\n    def use(self):\n        show(self.fn)\ndef on(c):\n    c.fn = lambda b: b"
    ),
    "an object that it is set on by name": (
        "class C:\n    fn = None\n    def use(self):\n        show(self.fn)\nsetattr(C(), 'fn', lambda b: b)"
    ),
    "what gives all that another has": (
        "class W:\n    def __init__(self, inner):\n        self.inner = inner\n"
        "    def __getattr__(self, n):\n        return getattr(self.inner, n)\n"
        "w = W(A(lambda b: b))\nshow(w.fn)"
    ),
}


@pytest.mark.parametrize("text", ASKED_OF_AN_OBJECT.values(), ids=ASKED_OF_AN_OBJECT)
def test_an_attribute_is_read_of_what_may_be_its_object(tmp_path: Path, text: str):
    assert names(tmp_path, A + text) is None


@pytest.mark.parametrize(
    "text",
    [
        "class C:\n    fn = 1\n    def show(self):\n        show(self.fn)\na = A(lambda b: b)",
        "class C:\n    fn = 1\na = A(lambda b: b)\nc = C()\nshow(c.fn)",
        "class C:\n    fn = 1\ndef use(c: C):\n    show(c.fn)\na = A(lambda b: b)",
        "import torch\ndef use(c: torch.Tensor):\n    show(c.fn)\na = A(lambda b: b)",
        "a = A(lambda b: b)\ndef use(c):\n    show(c.fn, c.neither)",
        "import torch\na = A(lambda b: b)\nshow(torch.fn)",
    ],
)
def test_an_attribute_of_another_object_is_another(tmp_path: Path, text: str):
    assert names(tmp_path, A + text) is not None


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("print(loader.collate_fn.__name__)", True),
        ("print(func.__name__)", False),
        ("assert type(collate_fn.__name__) == str", True),
    ],
)
def test_a_question_is_about_a_function_by_one_of_its_names(tmp_path: Path, text: str, about: bool):
    tree = project(tmp_path, {"main.py": text})
    (module,) = tree.mentions("__name__")
    (node,) = module.nodes_by_name["__name__"]
    known = Known(frozenset({"collate_fn"}), frozenset())
    assert is_about(module, node, known) is about
    assert is_about(module, node, None)


TIMED = "def timed(f):\n    def run(*a):\n        print(f.__name__)\n        return f(*a)\n    return run\n"
MAKER = "def named(text):\n    def over(f):\n        print(f.__name__)\n        return f\n    return over\n"
REGISTRY = "class Known:\n    def add(self, text):\n        def over(f):\n            print(f.__name__)\n            return f\n        return over\n"
CLASS = "class Old:\n    def __init__(self, text): pass\n    def __call__(self, f):\n        print(f.__name__)\n        return f\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TIMED + "@timed\ndef main(): pass", True),
        (TIMED, False),
        (TIMED + "@timed\ndef main(): pass\nkept = timed(main)", False),
        (TIMED + "@timed\ndef main(): pass\nDataLoader(d, collate_fn=timed)", False),
        (MAKER + "@named('a')\ndef main(): pass", True),
        (MAKER + "@named('a')\ndef main(): pass\nkept = named('b')(main)", False),
        (MAKER.replace("return over", "over(print)\n    return over") + "@named('a')\ndef m(): pass", False),
        (CLASS + "@Old('a')\ndef main(): pass", True),
        (CLASS + "@Old('a')\ndef main(): pass\nkept = Old('b')(main)", False),
        ("def show(f):\n    print(f.__name__)\nshow(print)", False),
        ("class A:\n    def over(self, f):\n        print(f.__name__)\n@A().over\ndef m(): pass", True),
        (REGISTRY + "KNOWN = Known()\n@KNOWN.add('a')\ndef main(): pass", True),
        (REGISTRY + "KNOWN = Known()\n@KNOWN.add('a')\ndef main(): pass\nKNOWN.add('b')(main)", False),
    ],
)  # fmt: skip
def test_what_only_decorates_asks_only_what_it_stands_over(tmp_path, text: str, expected: bool):
    tree = project(tmp_path, {"main.py": HEAD + text, "own.py": OWN})
    module = next(each for each in tree.mentions("DataLoader") if each.path.name == "main.py")
    (asked,) = module.nodes_by_name["__name__"]
    assert is_of_decorated(Program(tree), module, asked) is expected
