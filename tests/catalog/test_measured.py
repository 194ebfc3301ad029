"""Each object that can be built here is built and pickled: a row that is wrong fails."""

from __future__ import annotations

import ast
import builtins
import importlib
import io
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest

from dlfix.catalog import ABSENT, UNKNOWN, ResourceRow, load
from tests.catalog.builds import HANGS, PLAIN, QUICK, RESOURCES, make_samples

CATALOG = load()
BUILDS = [(name, expression) for name, many in RESOURCES.items() for expression in many]


def installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def library_of(expression: str) -> str:
    root = re.match(r"\w+", expression)
    assert root
    if root[0] in sys.stdlib_module_names or hasattr(builtins, root[0]):
        return "stdlib"
    return root[0]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    wanted = {"numpy", "h5py", "lmdb", "netCDF4", "Pillow"}
    modules = {"Pillow": "PIL"}
    make_samples(folder, {name for name in wanted if installed(modules.get(name, name))})
    return folder


@pytest.fixture
def build(
    samples: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Any]]:
    """Evaluate an expression in the folder of samples, its modules imported, or skip the test."""
    monkeypatch.chdir(samples)

    made = []

    def evaluate(expression: str) -> Any:
        library = library_of(expression)
        if library not in QUICK and not request.config.getoption("--full-catalog", default=False):
            pytest.skip(f"{library}: only with --full-catalog")
        try:
            made.append(eval(expression, namespace(expression)))
        except AttributeError as error:
            pytest.skip(f"not in this version: {error}")
        return made[-1]

    yield evaluate
    for value in made:
        if type(value).__name__ != "CDLL":  # its `close` is the C library's, of any descriptor
            with suppress(Exception):
                value.close()


def namespace(expression: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for dotted in re.findall(r"(?<![\w.'])[a-zA-Z]\w*(?:\.\w+)*", expression):
        parts = dotted.split(".")
        if parts[0] not in sys.stdlib_module_names and parts[0] not in THIRD_PARTY:
            continue
        names[parts[0]] = pytest.importorskip(parts[0])
        for end in range(2, len(parts)):
            try:
                importlib.import_module(".".join(parts[:end]))
            except ImportError:
                break
    return names


THIRD_PARTY = {expression.partition(".")[0] for _, expression in BUILDS if "." in expression}


def pickled(value: object) -> bytes:
    if "torch" in sys.modules:
        import torch.multiprocessing  # noqa: F401  registers how tensors cross
    buffer = io.BytesIO()
    ForkingPickler(buffer).dump(value)
    return buffer.getvalue()


def variant(row: ResourceRow, expression: str) -> ResourceRow:
    call = ast.parse(expression, mode="eval").body
    assert isinstance(call, ast.Call)

    def read(position: int | None, name: str) -> object:
        for keyword in call.keywords:
            if keyword.arg == name:
                return constant(keyword.value)
        if position is None or position >= len(call.args):
            return ABSENT
        return constant(call.args[position])

    return row.variant(read)


def constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else UNKNOWN


def message(error: str) -> str:
    """Return the pattern of an error that a row gives, `...` standing for anything."""
    return re.escape(error.split(": ", 1)[-1]).replace(r"\.\.\.", ".*")


@pytest.mark.parametrize(("name", "expression"), BUILDS, ids=[e[:60] for _, e in BUILDS])
def test_an_object_pickles_as_its_row_says(
    name: str, expression: str, build: Callable[[str], Any]
) -> None:
    row = CATALOG.resource(name)
    assert row is not None
    value = build(expression)
    row = variant(row, expression)
    if row.pickles in ("ok", "load-error"):
        assert pickled(value)
        return
    with pytest.raises(Exception) as caught:  # noqa: PT011  the message is compared
        pickled(value)
    if row.error and sys.version_info[:2] in ((3, 11), (3, 12), (3, 13)):
        assert re.match(message(row.error_on(sys.version_info[:2])), str(caught.value))


@pytest.mark.parametrize(
    ("name", "expression"),
    [pair for pair in BUILDS if pair[0] not in ("os.open", "subprocess.Popen")],
    ids=[e[:60] for n, e in BUILDS if n not in ("os.open", "subprocess.Popen")],
)
def test_the_close_method_of_a_row_exists(
    name: str, expression: str, build: Callable[[str], Any]
) -> None:
    row = CATALOG.resource(name)
    assert row is not None
    value = build(expression)
    close = variant(row, expression).close
    if not close or "." in close:
        return
    assert callable(getattr(value, close))


def hang_cases(
    table: dict[str, list[tuple[str, str, Any]]],
) -> list[tuple[str, str, str, str]]:
    return [(build, row, how, use) for build, many in table.items() for row, how, use in many]


@pytest.mark.parametrize(("made", "name", "how", "use"), hang_cases(HANGS))
def test_what_hangs_from_a_resource_cannot_be_pickled_either(
    made: str, name: str, how: str, use: str, build: Callable[[str], Any]
) -> None:
    row = CATALOG.resource(name) or CATALOG.hanging(name)
    assert row is not None
    assert CATALOG.hanging(row.derived[how]) is not None
    value = build(made)
    with pytest.raises(Exception):  # noqa: B017, PT011  each library has its own
        pickle.loads(pickled(eval(use, {"x": value})))


@pytest.mark.parametrize(("made", "name", "how", "use"), hang_cases(PLAIN))
def test_what_a_row_calls_plain_can_be_pickled(
    made: str, name: str, how: str, use: str, build: Callable[[str], Any]
) -> None:
    row = CATALOG.resource(name) or CATALOG.hanging(name)
    assert row is not None
    assert how in row.plain
    value = build(made)
    assert pickled(eval(use, {"x": value}))
