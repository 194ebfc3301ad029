"""Whether pickle can make an exception again, compared with pickle itself."""

from __future__ import annotations

import ast
import pickle
import sys
import types
from pathlib import Path

import pytest

from dlfix.rules.base import Place
from dlfix.rules.reading import exceptions
from dlfix.source.text import Position, Span

PLACE = Place(Path("errors.py"), Span(Position(1, 0), Position(2, 0)))

COMING_BACK = {
    "fields by position": (
        "import dataclasses\n@dataclasses.dataclass\nclass E(Exception):\n a: str\n b: int = 3",
        "E('x', 4)",
    ),
    "fields in an odd order": (
        "import dataclasses\n@dataclasses.dataclass(kw_only=False)\nclass E(Exception):\n a: str",
        "E('x')",
    ),
    "no init": ("class E(Exception): pass", "E(1, 2)"),
    "all handed on": (
        "class E(Exception):\n def __init__(self, a, b):\n  super().__init__(a, b)",
        "E(1, 2)",
    ),
    "a default for the rest": (
        "class E(Exception):\n def __init__(self, a, b=0):\n  super().__init__(f'{a}')",
        "E(1, 2)",
    ),
    "nothing handed on, called by position": (
        "class E(Exception):\n def __init__(self, a, b):\n  self.a = a",
        "E(1, 2)",
    ),
    "own reduce": (
        "class E(Exception):\n def __init__(self, a, b):\n  super().__init__('x')\n"
        " def __reduce__(self):\n  return E, (1, 2)",
        "E(1, 2)",
    ),
    "args set": (
        "class E(Exception):\n def __init__(self, a, b):\n  super().__init__('x')\n"
        "  self.args = (a, b)",
        "E(1, 2)",
    ),
    "the parent hands on": (
        "class B(ValueError):\n def __init__(self, a):\n  super().__init__(a)\n"
        "class E(B):\n def __init__(self, a):\n  super().__init__(a)",
        "E(1)",
    ),
    "old spelling": (
        "class E(Exception):\n def __init__(self, a, b):\n  Exception.__init__(self, a, b)",
        "E(1, 2)",
    ),
}
LOST = {
    "fields by keyword": (
        "import dataclasses\n@dataclasses.dataclass\nclass E(Exception):\n a: str\n b: int = 3",
        "E(a='x')",
    ),
    "a message for two": (
        "class E(Exception):\n def __init__(self, a, b):\n  super().__init__('x')\n  self.a = a",
        "E(1, 2)",
    ),
    "called by keyword": (
        "class E(Exception):\n def __init__(self, a, b):\n  self.a, self.b = a, b",
        "E(1, b=2)",
    ),
    "keyword only": (
        "class E(Exception):\n def __init__(self, a, *, b):\n  super().__init__(a)\n  self.b = b",
        "E(1, b=2)",
    ),
    "nothing for one": (
        "class E(Exception):\n def __init__(self, a):\n  super().__init__()\n  self.a = a",
        "E(1)",
    ),
    "the parent's message": (
        "class B(Exception):\n def __init__(self, a):\n  super().__init__('x')\n"
        "class E(B):\n def __init__(self, a, b):\n  super().__init__(a)\n  self.b = b",
        "E(1, 2)",
    ),
}


def chain_of(text: str) -> list[ast.ClassDef]:
    return [each for each in reversed(ast.parse(text).body) if isinstance(each, ast.ClassDef)]


def made(text: str, call: str) -> Exception:
    module = types.ModuleType("errors_for_test")
    sys.modules[module.__name__] = module
    exec(text, module.__dict__)
    return eval(call, module.__dict__)


def call_of(text: str) -> ast.Call:
    return ast.parse(text, mode="eval").body  # type: ignore[return-value]


@pytest.mark.parametrize(("text", "call"), COMING_BACK.values(), ids=COMING_BACK)
def test_what_pickle_makes_again_is_left_alone(text: str, call: str) -> None:
    pickle.loads(pickle.dumps(made(text, call)))
    assert exceptions.comes_back(chain_of(text), call_of(call))


@pytest.mark.parametrize(("text", "call"), LOST.values(), ids=LOST)
def test_what_pickle_cannot_make_again_is_named(text: str, call: str) -> None:
    with pytest.raises(TypeError, match="missing"):
        pickle.loads(pickle.dumps(made(text, call)))
    assert not exceptions.comes_back(chain_of(text), call_of(call))


def test_unknown_arguments_are_taken_to_fit() -> None:
    text = "class E(Exception):\n def __init__(self, a, b):\n  super().__init__(*make(a))"
    assert exceptions.comes_back(chain_of(text), None)


def test_arguments_are_had_back_from_attributes_args_and_parents() -> None:
    text = (
        "class B(Exception):\n def __init__(self, path):\n  super().__init__('x')\n"
        "  self.path = path\n"
        "class E(B):\n def __init__(self, path, code, *, extra):\n  super().__init__(path)\n"
        "  self.number = code\n"
    )
    found = exceptions.read(chain_of(text), PLACE)
    assert found is not None
    assert found.positional == ("self.path", "self.number")
    assert found.keywords == (("extra", "self.extra"),)
    assert found.unkept == (("extra", "extra"),)


def test_a_parameter_bound_again_is_lost() -> None:
    text = (
        "class E(Exception):\n def __init__(self, a, b):\n  b = b or 5\n"
        "  super().__init__('x')\n  self.a = a\n  self.b = b\n"
    )
    found = exceptions.read(chain_of(text), PLACE)
    assert found is not None
    assert found.lost == "b"


def test_an_attribute_of_the_same_name_is_not_overwritten() -> None:
    text = (
        "class E(Exception):\n def __init__(self, a, code):\n  super().__init__('x')\n"
        "  self.a = a\n  self.code = str(code)\n"
    )
    found = exceptions.read(chain_of(text), PLACE)
    assert found is not None
    assert found.unkept == (("code", "_code"),)
