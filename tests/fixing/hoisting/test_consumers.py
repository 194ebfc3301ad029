"""Who asks a function what it is: found by the words of a text, and by its tree."""

from pathlib import Path

import pytest

import dlfix
from dlfix.fixing.hoisting.consumers import _questions_in
from dlfix.project.project import Project


def questions(folder: Path, text: str) -> list[tuple[str, int]]:
    path = folder / "asking.py"
    path.write_text(
        f"import inspect, types\nfrom types import FunctionType\n\n\ndef asks(f, self):\n    {text}\n"
    )
    module = Project([path]).opened(path)
    assert module is not None
    return [(question.about, question.line) for question in _questions_in(module)]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("return f.__name__", "__name__"),
        ("return f . __qualname__", "__qualname__"),
        ("return f.__code__.co_argcount", "__code__"),
        ("return getattr(f, '__name__')", "__name__"),
        ('return hasattr(f, "__defaults__")', "__defaults__"),
        ("return inspect.signature(f)", "inspect.signature"),
        ("return inspect.isfunction (f)", "inspect.isfunction"),
        ("return isinstance(f, FunctionType)", "isinstance"),
        ("return isinstance(f, (types.LambdaType, str))", "isinstance"),
        ("return type(f) is FunctionType", "type"),
    ],
)
def test_a_question_is_found(tmp_path: Path, text: str, about: str) -> None:
    assert questions(tmp_path, text) == [(about, 6)]


@pytest.mark.parametrize(
    "text",
    [
        "return self.__class__.__name__",
        "return type(f).__name__",
        "f.__name__ = 'g'",
        "return isinstance(f, str)",
        "return type(f) is str",
        "return __name__",
    ],
)
def test_what_asks_nothing_of_a_function_is_no_question(tmp_path: Path, text: str) -> None:
    assert questions(tmp_path, text) == []


def test_questions_are_in_order_and_each_is_one(tmp_path: Path) -> None:
    text = "a = inspect.signature(f)\n    b = f.__name__\n    c = isinstance(f, (types.LambdaType, types.FunctionType))"
    assert questions(tmp_path, text) == [
        ("__name__", 7),
        ("inspect.signature", 6),
        ("isinstance", 8),
    ]


SCALED = """
import types
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform
        self.of_a_method = {test}

    def __getitem__(self, index):
        return self.transform(index)

def load(factor):
    return DataLoader(Rows(lambda value: value * factor), num_workers=2)
"""
REASON = "`isinstance` is applied to `transform`, which may be the lambda (main.py:8), but the fix would change the result"


@pytest.mark.parametrize(
    ("test", "refused"),
    [
        ("isinstance(transform, types.MethodType)", None),
        ("isinstance(transform, (classmethod, types.MethodType))", None),
        ("isinstance(transform, (types.FunctionType, types.MethodType))", REASON),
        ("isinstance(transform, types.LambdaType)", REASON),
    ],
)
def test_no_function_is_a_method_and_no_partial_of_one(tmp_path: Path, test, refused) -> None:
    path = tmp_path / "main.py"
    path.write_text(SCALED.format(test=test))
    [finding] = dlfix.check([path], isolated=True)
    assert finding.refused == refused
    assert (finding.fix is None) is (refused is not None)


DECORATED = """
import functools
from torch.utils.data import DataLoader, Dataset

{decorator}

{use}
def rate():
    return 2

class Rows(Dataset):
    def __init__(self, func):
        self.func = func

    def __getitem__(self, index):
        return self.func(index)

def load():
    return DataLoader(Rows(lambda value: value * 2), num_workers=2)
"""
BY_CLASS = """
class deprecated:
    def __init__(self, message):
        self.message = message

    def __call__(self, func):
        print(func.__name__, self.message)
        return func
"""
BY_FUNCTION = """
def deprecated(func):
    print(func.__name__)
    return func
"""
BY_FACTORY = """
def deprecated(message):
    def decorated(func):
        print(func.__name__, message)
        return func
    return decorated
"""


@pytest.mark.parametrize(
    ("decorator", "use", "asked"),
    [
        (BY_CLASS, "@deprecated('old')", False),
        (BY_FUNCTION, "@deprecated", False),
        (BY_FACTORY, "@deprecated('old')", False),
        (BY_CLASS, "notice = deprecated('old')\n@notice", True),
        (BY_FUNCTION, "wrap = deprecated\n@deprecated", True),
        (BY_FACTORY.replace("return dec", "print(decorated)\n    return dec"), "", True),
    ],
)
def test_what_only_decorates_asks_nothing_of_what_goes_by_the_name_of_its_parameter(
    tmp_path: Path, decorator, use, asked
) -> None:
    path = tmp_path / "main.py"
    path.write_text(DECORATED.format(decorator=decorator, use=use))
    [finding] = dlfix.check([path], isolated=True)
    assert (finding.fix is None) is asked
    assert ("`__name__` of a function is read" in (finding.refused or "")) is asked
