"""Random programs of nested scopes: moved functions give what they gave, or stay."""

from __future__ import annotations

import ast
import pickle
import sys
import types
from pathlib import Path

import libcst as cst
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.moves import Moves
from dlfix.project.project import Project
from dlfix_codemods.module_level_callables import ModuleLevelCallables
from tests.fixing.hoisting.moving import plan_of

NAMES = ["a", "b", "c"]
PATH = Path("/nowhere/program.py")


@st.composite
def expressions(draw: st.DrawFn, names: list[str], functions: list[str]) -> str:
    first = draw(st.sampled_from([*names, "1", "2", "K"]))
    second = draw(st.sampled_from([*names, "3"]))
    if functions and draw(st.booleans()):
        return f"{draw(st.sampled_from(functions))}({first}) + {second}"
    # Numbers stay small: repeated squares would take longer than any test may.
    return f"{first} {draw(st.sampled_from(['+', '-', '% 89 *']))} {second}"


@st.composite
def statements(draw: st.DrawFn, functions: list[str], depth: int) -> list[str]:
    kind = draw(st.integers(0, 9))
    name = draw(st.sampled_from(NAMES))
    if kind <= 2:
        return [f"{name} = {draw(expressions(NAMES, functions))}"]
    if kind == 3:
        return [f"{name} += 1"]
    if kind == 4 and depth:
        body = draw(blocks(functions, depth - 1, 1))
        return [f"for {name} in range(2):", *(f"    {line}" for line in body)]
    if kind == 5 and depth:
        body = draw(blocks(functions, depth - 1, 1))
        return [f"if {name} > 2:", *(f"    {line}" for line in body)]
    made = draw(st.sampled_from(["f", "g", "h"]))
    own = draw(st.sampled_from(["x", "x", "a"]))
    default = draw(st.sampled_from(["", "", f", d={name}", ", d=4", ", *rest", ", *, d=2"]))
    # A function calls those before it in the alphabet, or itself with less: every program ends.
    inner = draw(expressions([*NAMES, own], [each for each in functions if each < made]))
    if draw(st.integers(0, 5)) == 0:
        inner = f"({made}({own} % 3 - 1) if {own} > 0 else 1) + {inner}"
    if kind <= 7:
        lines = [f"{made} = lambda {own}{default}: {inner}"]
    else:
        sets = (
            [f"    nonlocal {name}", f"    {name} = {inner}"] if kind == 9 and own != name else []
        )
        lines = [f"def {made}({own}{default}):", "    # why", *sets, f"    return {inner}"]
    if made not in functions:
        functions.append(made)
    return lines + ([f"made.append({made})"] if draw(st.booleans()) else [])


@st.composite
def blocks(draw: st.DrawFn, functions: list[str], depth: int, least: int) -> list[str]:
    count = draw(st.integers(least, 4))
    return [line for _ in range(count) for line in draw(statements(functions, depth))]


@st.composite
def programs(draw: st.DrawFn) -> str:
    functions: list[str] = []
    body = draw(blocks(functions, 2, 2))
    returned = draw(st.sampled_from(functions)) if functions else "abs"
    lines = ["K = 7", "", "", "def outer(a, b, c=5):", "    made = []"]
    lines += [f"    {line}" for line in body]
    lines += [
        f"    made.append({returned})",
        "    return [each(2) for each in made], made, a, b, c",
    ]
    return "\n".join(lines) + "\n"


# `f` is called late, by a lambda that is kept, and reads what `a` is then.
CALLED_BY_ONE_THAT_IS_KEPT = """K = 7


def outer(a, b, c=5):
    made = []
    f = lambda x: x + a
    g = lambda x: f(a) + a
    a = a + a
    made.append(g)
    return [each(2) for each in made], made, a, b, c
"""


# `g` is called once the loop within has bound `a` again.
CALLED_IN_A_LOOP_WITHIN = """K = 7


def outer(a, b, c=5):
    made = []
    for a in range(2):
        g = lambda x: x + a
        for a in range(2):
            b = g(b)
        made.append(g)
    return [each(2) for each in made], made, a, b, c
"""


def outcome(text: str) -> tuple[object, list[object]]:
    """Run a program as a module; return what it computes (or raises), and what it made."""
    module = types.ModuleType("program")
    sys.modules["program"] = module
    exec(compile(text, str(PATH), "exec"), module.__dict__)
    try:
        values, made, *rest = module.outer(1, 3)
    except (NameError, UnboundLocalError) as error:
        return type(error), []
    again = []
    for each in made:
        try:
            again.append(each(4))
        except NameError as error:
            again.append(type(error))
    return (values, rest, again), made


@settings(max_examples=200, deadline=None)
@given(programs())
@example(CALLED_BY_ONE_THAT_IS_KEPT)
@example(CALLED_IN_A_LOOP_WITHIN)
def test_a_program_computes_what_it_computed(text: str) -> None:
    expected, _ = outcome(text)
    if isinstance(expected, type):
        return  # a program that fails may fail earlier
    tree = ast.parse(text)
    count = sum(isinstance(node, ast.Lambda | ast.FunctionDef) for node in ast.walk(tree))
    for index in range(count):
        project = Project([PATH], {PATH: text})
        module = project.module(PATH)
        nodes = [n for n in ast.walk(module.tree) if isinstance(n, ast.Lambda | ast.FunctionDef)]
        node = nodes[index]
        if module.scope_of(node).is_module:
            continue
        try:
            move = Moves(module).move(node)
        except CannotHoist:
            continue
        if any("nonlocal" in doubt for doubt in move.doubts):
            continue  # who sets it when is not known
        rewritten = ModuleLevelCallables.rewrite(cst.parse_module(text), plan_of(move)).code
        found, made = outcome(rewritten)
        assert found == expected, rewritten
        for each in made:
            if not getattr(each, "__qualname__", "").startswith("outer.") and not _binds_local(
                each
            ):
                assert pickle.loads(pickle.dumps(each))(4) == each(4), rewritten


def _binds_local(function: object) -> bool:
    """Return whether a partial binds a function that is local still."""
    bound = getattr(function, "keywords", {})
    return any(getattr(each, "__qualname__", "").startswith("outer.") for each in bound.values())
