"""How a call looks without an argument."""

from __future__ import annotations

import libcst as cst
import pytest

from dlfix_codemods.loader_arguments import without


def less(call: str, *names: str) -> str:
    node = cst.parse_expression(call)
    assert isinstance(node, cst.Call)
    module = cst.Module([])
    return module.code_for_node(node.with_changes(args=without(node.args, names)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("D(x, a=1, gone=2)", "D(x, a=1)"),
        ("D(x, gone=2, a=1)", "D(x, a=1)"),
        ("D(gone=2, a=1)", "D(a=1)"),
        ("D(gone=2)", "D()"),
        ("D(x, gone=2,)", "D(x,)"),
        ("D(x, gone=1, b=2, other=3)", "D(x, b=2)"),
        ("D(x,\n  a=1,\n  gone=2)", "D(x,\n  a=1)"),
        ("D(x,\n  gone=2,\n  a=1)", "D(x,\n  a=1)"),
        ("D(\n    x,\n    a=1,\n    gone=2,\n)", "D(\n    x,\n    a=1,\n)"),
        ("D(\n    x,\n    a=1,\n    gone=2\n)", "D(\n    x,\n    a=1\n)"),
        ("D(\n    x,\n    gone=2,\n    a=1,\n)", "D(\n    x,\n    a=1,\n)"),
        ("D(\n    x,  # data\n    gone=2,\n    a=1,\n)", "D(\n    x,  # data\n    a=1,\n)"),
        ("D(\n    x,  # data\n    gone=2,\n)", "D(\n    x,  # data\n)"),
        ("D(\n    x,\n    gone=2,  # why\n    a=1,\n)", "D(\n    x,\n    # why\n    a=1,\n)"),
        ("D(\n    x,\n    gone=2,  # why\n)", "D(\n    x,\n    # why\n)"),
        (
            "D(\n    x,\n    # above\n    gone=2,\n    a=1,\n)",
            "D(\n    x,\n    # above\n    a=1,\n)",
        ),
    ],
)
def test_an_argument_goes_and_the_layout_stays(before: str, after: str) -> None:
    assert less(before, "gone", "other") == after
