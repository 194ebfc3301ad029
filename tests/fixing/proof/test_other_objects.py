"""Whether an expression surely holds something else than an object of a class."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project

HEAD = (
    "import argparse, copy, json, queue\nfrom types import SimpleNamespace\n"
    "from torch.utils.data import DataLoader, Dataset\nimport own\nfrom own import Options\n\n"
    "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n\n"
    "class More(Rows):\n    pass\n\n"
)
PARSER = (
    "class Shared:\n    def get(self):\n        return self.parse()\n"
    "    def parse(self):\n        args = {made}\n        return args\n"
)
OWN = "class Options:\n    pass\n"


def is_other(folder: Path, text: str, **more: str) -> bool:
    """Return whether what `main.py` asks for by `vars` is surely no object of `Rows`."""
    for name, source in {"main": HEAD + text, "own": OWN, **more}.items():
        (folder / f"{name}.py").write_text(source)
    tree = Project(sorted(folder.glob("*.py")))
    (module,) = (each for each in tree.mentions("vars") if each.path.name == "main.py")
    program = Program(tree)
    (rows,) = (each for each in program.classes(module) if each.name == "Rows")
    (call,) = (c for c in module.calls_by_name["vars"] if isinstance(c, ast.Call))
    return OtherObjects(program, program.family(rows)).are_others(module, call.args[0])


@pytest.mark.parametrize(
    "text",
    [
        "def main():\n    args = argparse.ArgumentParser().parse_args()\n    print(vars(args))",
        "def main():\n    global args\n    args = parser.parse_args()\n    print(vars(args))",
        (
            "def main():\n    args = parser.parse_args()\n    if args.file:\n"
            "        args = parser.parse_args(namespace=args)\n    print(vars(args))"
        ),
        "def main():\n    args, rest = parser.parse_known_args()\n    print(rest, vars(own))",
        (
            "def parse():\n    args = parser.parse_args()\n    config = as_names(json.load(f))\n"
            "    return args, config\ndef as_names(d):\n    names = argparse.Namespace()\n"
            "    for k, v in d.items():\n        setattr(names, k, as_names(v))\n    return names\n"
            "args, config = parse()\nrows = Rows(config)\nprint(vars(config))"
        ),
        "def show(opts):\n    print(vars(opts))\nshow(parser.parse_args())\nshow(SimpleNamespace(a=1))",
        "def show(opts: Options):\n    print(vars(opts))",
        "opts = Options()\nprint(vars(opts))",
        "from easydict import EasyDict as edict\nopts = edict(json.load(f))\nprint(vars(opts))",
        "opts = copy.deepcopy(Options())\nprint(vars(opts))",
        "loader = DataLoader(Rows('a'))\nprint(vars(loader))",
        "class A:\n    def __init__(self):\n        self.opts = parser.parse_args()\n    def show(self):\n"
        "        print(vars(self.opts))",
        "class A:\n    def __init__(self, opt):\n        self.opt = opt\n    def show(self, more):\n"
        "        opt = self.opt\n        more.update(opt.__dict__)\n        keep(opt.__dict__)\n        print(vars(opt))\n"
        "opt = parser.parse_args()\nA(opt).show({})",
        "class B:\n    def __init__(self):\n        self.opt = Rows('a')\n"
        "class A:\n    def __init__(self):\n        self.opt = parser.parse_args()\n    def show(self):\n"
        "        print(vars(self.opt))",
        "def train(opt):\n    print(vars(opt))\ntrain(parser.parse_args())\nnet = own.Net()\nnet.train()",
        "from omegaconf import DictConfig\ndef show(cfg: DictConfig):\n    print(vars(cfg.encoder))",
        "import omegaconf\ndef show(cfg: omegaconf.DictConfig):\n    print(vars(cfg['encoder'].rows))",
        "import sys\nprint(vars(sys.modules[__name__]))",
        "import importlib\nprint(vars(importlib.import_module('own')))",
        "from typing import Optional\ndef show(opts: Optional[argparse.Namespace]):\n    print(vars(opts))",
        "class Config:\n    @classmethod\n    def read(cls, path):\n        return cls.made(path)\n"
        "    @classmethod\n    def made(cls, path):\n        config = cls()\n        return config\n"
        "print(vars(Config.read('a')))",
        PARSER.format(made="Options()") + "print(vars(Shared().get()))",
        PARSER.format(made="parser.parse_args()")
        + "shared = Shared()\nargs = shared.get()\nprint(vars(args))",
        PARSER.format(made="Options()")
        + "def show(shared: Shared):\n    print(vars(shared.get()))",
    ],
)
def test_what_made_it_is_seen(tmp_path: Path, text: str):
    assert is_other(tmp_path, text)


IMPORTED = "from shared import kept as shared\nprint(vars(shared.get()))"


@pytest.mark.parametrize(
    ("made", "more", "expected"),
    [
        ("json.load(f)", "", True),
        ("json.load(f)", "def again():\n    global kept\n    kept = other()\n", False),
        ("json.load(f)", "kept.get = other\n", False),
        ("json.load(f)", "for kept in others: pass\n", False),
        ("other()", "", False),
    ],
)
def test_what_a_method_gives_of_an_object_that_is_imported(
    tmp_path: Path, made: str, more: str, expected: bool
):
    shared = "import json\n" + PARSER.format(made=made) + "kept = Shared()\n" + more
    assert is_other(tmp_path, IMPORTED, shared=shared) is expected


def test_an_object_that_another_module_replaces_is_not_seen(tmp_path: Path):
    shared = "import json\n" + PARSER.format(made="json.load(f)") + "kept = Shared()\n"
    assert not is_other(tmp_path, IMPORTED, shared=shared, third="import shared\nshared.kept = 1\n")


def test_a_function_that_another_module_calls_is_seen(tmp_path: Path):
    text = "def train(opt):\n    print(vars(opt))\ntrain(parser.parse_args())"
    third = "import main\nmain.train(main.Rows('a'))\n"
    assert not is_other(tmp_path, text, third=third)


@pytest.mark.parametrize(
    "text",
    [
        "rows = Rows('a')\nprint(vars(rows))",
        "rows = More('a')\nprint(vars(rows))",
        "def main():\n    args = parser.parse_args(namespace=Rows('a'))\n    print(vars(args))",
        "def main():\n    args = parser.parse_args([], Rows('a'))\n    print(vars(args))",
        "def main():\n    args = parser.parse_args(*given)\n    print(vars(args))",
        "def main():\n    args, rest = parser.parse_known_args(namespace=Rows('a'))\n    print(vars(args))",
        "def main(options):\n    args = parser.parse_args(namespace=options)\n    print(vars(args))\nmain(Rows('a'))",
        "def main(args=None):\n    print(vars(args))\nmain(Rows('a'))\nmain()",
        "def main(args):\n    print(vars(args))",
        "args = None\ndef keep(rows):\n    global args\n    args = rows\nkeep(Rows('a'))\nprint(vars(args))",
        "def make():\n    return Options(), Rows('a')\noptions, rows = make()\nprint(vars(rows))",
        "def make():\n    if own.fast:\n        return parser.parse_args()\n    return Rows('a')\nprint(vars(make()))",
        "def make():\n    yield Rows('a')\nprint(vars(make()))",
        "rows = copy.copy(Rows('a'))\nprint(vars(rows))",
        "q = queue.Queue()\nq.put(Rows('a'))\nrows = q.get()\nprint(vars(rows))",
        "loader = DataLoader(Rows('a'))\nprint(vars(loader.dataset))",
        "def show(rows: Rows):\n    print(vars(rows))",
        "class B:\n    def __init__(self):\n        self.opt = Rows('a')\n"
        "class A(B):\n    def __init__(self):\n        self.opt = parser.parse_args()\n    def show(self):\n"
        "        print(vars(self.opt))",
        "def show(rows: Dataset):\n    print(vars(rows))",
        "from typing import Sequence\ndef show(rows: Sequence):\n    print(vars(rows))",
        "class Kept(Rows):\n    @classmethod\n    def made(cls):\n        return cls('a')\nprint(vars(Kept.made()))",
        "def twice(f): return f\n@twice\ndef made():\n    return Options()\nprint(vars(made()))",
        "def show(loader: DataLoader):\n    print(vars(loader.dataset))",
        "from own import DictConfig\ndef show(cfg: DictConfig):\n    print(vars(cfg.rows))",
        "from omegaconf import DictConfig\ndef show(cfg: DictConfig):\n    cfg = other()\n    print(vars(cfg.rows))",
        "for each in [Options(), Rows('a')]:\n    print(vars(each))",
        "show = lambda each: print(vars(each))\nshow(Rows('a'))",
        PARSER.format(made="Rows('a')") + "shared = Shared()\nprint(vars(shared.get()))",
        (
            PARSER.format(made="Options()")
            + "class Heir(Shared):\n    def parse(self):\n        return Rows('a')\n"
            "shared = Shared()\nprint(vars(shared.get()))"
        ),
        (
            PARSER.format(made="Options()") + "class Heir(Shared):\n    get = Rows\n"
            "shared = Heir()\nprint(vars(shared.get()))"
        ),
        (
            PARSER.format(made="Options()")
            + "shared = Shared()\nshared.get = lambda: Rows('a')\nprint(vars(shared.get()))"
        ),
        PARSER.format(made="Options()") + "def show(shared):\n    print(vars(shared.get()))",
        "def show(each):\n    print(vars(each))\nshow(Options())\nlist(map(show, [Rows('a')]))",
        "class A:\n    def show(self):\n        print(vars(self.rows))\na = A()\na.rows = Rows('a')",
        "class A:\n    def __init__(self, opt):\n        self.opt = opt\n    def show(self, more):\n"
        "        self.__dict__.update(more)\n        print(vars(self.opt))\n"
        "A(parser.parse_args()).show({'opt': Rows('a')})",
    ],
)
def test_what_made_it_may_be_its_class_or_is_not_seen(tmp_path: Path, text: str):
    assert not is_other(tmp_path, text)


def test_a_parser_of_the_project_may_give_anything(tmp_path: Path):
    text = "import parsing\nargs = parsing.Parser().parse_args()\nprint(vars(args))"
    parsing = "class Parser:\n    def parse_args(self): return self.rows\n"
    assert not is_other(tmp_path, text, parsing=parsing)
