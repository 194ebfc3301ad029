"""Each object that can be built here is built and pickled: a row that is wrong fails."""

from __future__ import annotations

import ast
import builtins
import dbm
import io
import multiprocessing
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
from tests.catalog.arrival import arrives
from tests.catalog.builds import BUILDS, HANGS, NEEDS, PLAIN, QUICK, Use
from tests.catalog.names import MISSING, module, object_of
from tests.catalog.samples import GIVEN, make_samples

CATALOG = load()


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full-catalog", default=False))


@pytest.fixture
def build(
    samples: Path, monkeypatch: pytest.MonkeyPatch, full: bool
) -> Iterator[Callable[[str], Any]]:
    """Evaluate an expression in the folder of samples, its modules imported, or skip the test."""
    monkeypatch.chdir(samples)
    for library in ("dbm.gnu", "dbm.ndbm"):  # some Pythons have them, and `dbm` prefers them
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(dbm, "_defaultmod", None)
    made = []

    def evaluate(expression: str) -> Any:
        names = namespace(expression, full)
        make_samples(samples, expression)
        made.append(eval(expression, names))
        return made[-1]

    yield evaluate
    for value in made:
        # The `close` of a CDLL is the C library's, of any descriptor.
        if type(value).__name__ != "CDLL" and value is not sys.__stdout__:
            with suppress(Exception):
                value.close()


def namespace(expression: str, full: bool) -> dict[str, Any]:
    """Import what an expression names, or skip the test."""
    names: dict[str, Any] = {}
    for dotted in dotted_names(expression):
        root = dotted.partition(".")[0]
        if root in GIVEN:
            names[root] = given(root)
        elif not hasattr(builtins, root):
            if root not in QUICK and root not in sys.stdlib_module_names and not full:
                pytest.skip(f"{root}: only with --full-catalog")
            names[root] = module(root)
            for needed in (root, *(NEEDS[part] for part in NEEDS if dotted.startswith(part))):
                if module(needed) is MISSING:
                    pytest.skip(f"{needed} is not installed")
            object_of(dotted)  # imports the modules on the way
    return names


def given(name: str) -> Any:
    try:
        return GIVEN[name]()
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")


def dotted_names(expression: str) -> list[str]:
    chains = re.findall(r"(?<![\w.])[a-zA-Z_]\w*(?:\.\w+)*", re.sub(r"'[^']*'", "''", expression))
    names = [node for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)]
    own = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    loaded = {name.id for name in names} - own
    return [chain for chain in chains if chain.partition(".")[0] in loaded]


# `multiprocessing.managers` registers reducers for these, and only what uses a manager imports it.
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))


def pickled(value: object) -> bytes:
    if "torch" in sys.modules:
        import torch.multiprocessing  # noqa: F401  registers how tensors cross
    for view in VIEWS:
        ForkingPickler._extra_reducers.pop(view, None)  # type: ignore[attr-defined]
    buffer = io.BytesIO()
    ForkingPickler(buffer).dump(value)
    return buffer.getvalue()


def variant(row: ResourceRow, expression: str) -> ResourceRow:
    call = ast.parse(expression, mode="eval").body
    if not isinstance(call, ast.Call):
        return row

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
def test_an_object_is_as_its_row_says(
    name: str, expression: str, build: Callable[[str], Any], full: bool
) -> None:
    row = CATALOG.resource(name)
    assert row is not None
    value = build(expression)
    row = variant(row, expression)
    check_type(row, value)
    check_pickle(row, value)
    if row.pickles == "empty":
        assert len(value)  # type: ignore[arg-type]
        assert not len(pickle.loads(pickled(value)))
    elif full and can_be_pickled(row):
        assert arrives(value) == (row.pickles == "ok")


def can_be_pickled(row: ResourceRow) -> bool:
    return row.pickles in ("load-error", "empty") or (row.pickles == "ok" and not row.fails)


def check_type(row: ResourceRow, value: object) -> None:
    if row.close and "." not in row.close:
        assert callable(getattr(value, row.close))
    named = object_of(row.type) if row.type else None
    if isinstance(named, type):
        assert isinstance(value, named)


def check_pickle(row: ResourceRow, value: object) -> None:
    if can_be_pickled(row):
        assert pickled(value)
        return
    with pytest.raises(Exception) as caught:  # noqa: PT011  the message is compared
        pickled(value)
    if row.error and sys.version_info[:2] in ((3, 11), (3, 12), (3, 13)):
        said = str(caught.value)
        if row.pickles == "error" and "AuthenticationString" in said:
            said = said_at_start(value)  # a key is pickled there, and only there
        assert re.match(message(row.error_on(sys.version_info[:2])), said)


def said_at_start(value: object) -> str:
    """Return the error of a process that is to be started with a value."""
    process = multiprocessing.get_context("spawn").Process(target=len, args=(value,))
    with pytest.raises(TypeError) as caught:
        process.start()
    return str(caught.value)


@pytest.mark.parametrize("case", HANGS, ids=lambda case: f"{case.row}:{case.use}")
def test_what_hangs_from_a_resource_cannot_be_pickled_either(
    case: Use, build: Callable[[str], Any]
) -> None:
    row = CATALOG.resource(case.row) or CATALOG.hanging(case.row)
    assert row is not None
    assert CATALOG.hanging(row.derived[case.how]) is not None
    value = build(case.make)
    hanging = eval(case.use, {"x": value})
    with pytest.raises(Exception):  # noqa: B017, PT011  each library has its own
        pickle.loads(pickled(hanging))


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: f"{case.row}:{case.use}")
def test_what_a_row_calls_plain_can_be_pickled(case: Use, build: Callable[[str], Any]) -> None:
    row = CATALOG.resource(case.row) or CATALOG.hanging(case.row)
    assert row is not None
    assert case.how in row.plain
    value = build(case.make)
    assert pickled(eval(case.use, {"x": value}))
