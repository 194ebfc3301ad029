"""Which bindings of a name a use can see."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from dlfix.project.flow import reaching
from dlfix.project.module import Module
from dlfix.source.text import SourceText

# Each program binds `x` to numbers and ends in (or has) a call `use(x)`.
ROWS = [
    ("the last of straight code", "x = 1\nx = 2\nuse(x)", {2}),
    ("not what comes after", "x = 1\nuse(x)\nx = 2", {1}),
    ("both branches", "if a: x = 1\nelse: x = 2\nuse(x)", {1, 2}),
    ("both branches hide what was before", "x = 0\nif a: x = 1\nelse: x = 2\nuse(x)", {1, 2}),
    ("one branch adds", "x = 0\nif a: x = 1\nuse(x)", {0, 1}),
    ("elif chains", "x = 0\nif a: x = 1\nelif b: x = 2\nelse: x = 3\nuse(x)", {1, 2, 3}),
    ("an open elif chain", "x = 0\nif a: x = 1\nelif b: x = 2\nuse(x)", {0, 1, 2}),
    ("not the other branch", "if a:\n    x = 1\nelse:\n    x = 2\n    use(x)", {2}),
    ("within the same branch", "x = 0\nif a:\n    x = 1\n    use(x)", {1}),
    ("a loop adds", "x = 0\nfor i in a: x = 1\nuse(x)", {0, 1}),
    ("round the loop", "x = 0\nfor i in a:\n    use(x)\n    x = 1", {0, 1}),
    ("first in the loop", "x = 0\nfor i in a:\n    x = 1\n    use(x)", {1}),
    ("bound again before it, round the loop", "x = 0\nfor i in a:\n    if b:\n        x = 1\n        use(x)\n    else:\n        x = 2", {1}),
    ("bound in both branches before it", "for i in a:\n    if b: x = 1\n    else: x = 2\n    use(x)\n    x = 3", {1, 2}),
    ("bound in one branch before it", "for i in a:\n    if b: x = 1\n    use(x)\n    x = 3", {1, 3}),
    ("bound by a loop inside", "for i in a:\n    for j in b: x = 1\n    use(x)\n    x = 3", {1, 3}),
    ("while", "x = 0\nwhile a:\n    use(x)\n    x = 1", {0, 1}),
    ("with surely runs", "x = 0\nwith a: x = 1\nuse(x)", {1}),
    ("try and except", "try: x = 1\nexcept E: x = 2\nuse(x)", {1, 2}),
    ("finally hides", "try: x = 1\nexcept E: x = 2\nfinally: x = 3\nuse(x)", {3}),
    ("in the handler", "x = 0\ntry: x = 1\nexcept E: use(x)", {0, 1}),
    ("not of another handler", "try: pass\nexcept E: x = 1\nexcept F:\n    x = 2\n    use(x)", {2}),
    ("deleted", "x = 1\ndel x\nuse(x)", set()),
    ("deleted and bound", "x = 1\ndel x\nx = 2\nuse(x)", {2}),
    ("deleted in a branch", "x = 1\nif a: del x\nuse(x)", {1}),
    ("a walrus in the test", "x = 0\nif (x := 1): use(x)", {1}),
    ("before its walrus", "x = 0\nuse(x) or (x := 1)", {0}),
    ("augmented adds", "x = 1\nx += 2\nuse(x)", {1, 2}),
    ("cases of a match", "x = 0\nmatch a:\n    case 1: x = 1\n    case 2: x = 2\nuse(x)", {0, 1, 2}),
    ("not another case", "x = 0\nmatch a:\n    case 1: x = 1\n    case 2: use(x)", {0}),
    ("an assignment's own value", "x = 1\nx = use(x)", {1}),
    ("a branch that returns", "x = 1\nif a:\n    x = 2\n    return\nuse(x)", {1}),
    ("a branch that raises", "x = 1\nif a:\n    x = 2\n    raise E\nuse(x)", {1}),
    ("a handler that raises", "x = 0\ntry: x = 1\nexcept E:\n    x = 2\n    raise\nuse(x)", {1}),
    ("a branch that goes on with the loop", "x = 0\nfor i in a:\n    if b:\n        x = 1\n        continue\n    use(x)", {0, 1}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "seen"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_a_use_sees(source: str, seen: set[int]) -> None:
    text = "def f(a, b):\n" + textwrap.indent(source, "    ")
    module = Module(SourceText(Path("/m.py"), text.encode(), text, "utf-8"), "m")
    scope = module.scope.children[0]
    (call,) = [c for c in module.calls if ast.unparse(c.func) == "use"]
    found = reaching(scope, "x", call.args[0])
    assert {b.value.value for b in found if isinstance(b.value, ast.Constant)} == seen


def test_with_no_use_the_end_of_the_code_is_seen() -> None:
    text = "x = 1\nx = 2\ndef f(): return x"
    module = Module(SourceText(Path("/m.py"), text.encode(), text, "utf-8"), "m")
    (found,) = reaching(module.scope, "x", None)
    assert isinstance(found.value, ast.Constant)
    assert found.value.value == 2
