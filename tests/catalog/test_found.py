"""What dlfix says of a dataset that keeps an object is what the object's row says."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from dlfix.catalog import ResourceRow, load
from tests.catalog.builds import BUILDS
from tests.catalog.test_forms import PROGRAM, codes
from tests.catalog.test_measured import dotted_names, variant

# By a method of another row's object, or by samples.py.
ELSEWHERE = {
    "torch.nn.Module.register_forward_hook",
    "torch.distributed.ProcessGroup",
    "aiohttp.ClientSession",
    "xgboost.Booster",
    "lightgbm.Dataset",
    "lightgbm.Booster",
    "numpy.lib.npyio.NpzFile",
}
MADE = [build for build in BUILDS if build[0] not in ELSEWHERE]


def expected(row: ResourceRow) -> set[str]:
    if row.kind in ("random", "memmap"):
        return {"DLF503" if row.kind == "random" else "DLF601"}
    failing = {"resource": "DLF201", "sync": "DLF204", "state": "DLF206"}
    if row.fails and row.kind in failing:
        return {failing[row.kind]}
    return {"DLF202"} if row.kind == "resource" and row.fork_unsafe else set()


@pytest.mark.parametrize(("name", "expression"), MADE, ids=[e[:60] for _, e in MADE])
def test_what_is_said_of_an_object_is_what_its_row_says(
    name: str, expression: str, tmp_path: Path
) -> None:
    row = load().resource(name)
    assert row is not None
    roots = sorted({dotted.partition(".")[0] for dotted in dotted_names(expression)})
    setup = "".join(f"import {root}\n" for root in roots if not hasattr(builtins, root))
    use = "self.kept.random()" if row.kind == "random" else "pass"
    text = PROGRAM.format(setup=setup, make=expression, use=use)
    assert codes(tmp_path, text) == expected(variant(row, expression))


# What is kept of a handle is data, or something that pickle finds by its name.
LEFT_ALONE = [
    "h5py.File",
    "h5py.File('x.h5', 'r')['a'][:]",
    "sqlalchemy.orm.Session",
    "sqlalchemy.orm.sessionmaker",
    "tables.open_file('x.h5').root._v_nchildren",
    "pymongo.MongoClient().shop.name",
    "pymongo.MongoClient().address",
    "boto3.resource('s3').Bucket('a').name",
    "lightgbm.train({}, None)",
    "sys.stdout.encoding",
    "torch.utils.data.RandomSampler([1])",
    "list(open('x.txt'))",
]


@pytest.mark.parametrize("expression", LEFT_ALONE)
def test_what_crosses_well_is_left_alone(expression: str, tmp_path: Path) -> None:
    root = expression.partition(".")[0]
    setup = "" if root.startswith("list") else f"import {root}"
    assert not codes(tmp_path, PROGRAM.format(setup=setup, make=expression, use="pass"))
