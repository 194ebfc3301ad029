"""Moves a function of a small program, with no project around it."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import libcst as cst

from dlfix.fixing.hoisting.moves import Move, Moves
from dlfix.fixing.plans_callables import CallablesPlan
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix_codemods.module_level_callables import ModuleLevelCallables

PATH = Path("/nowhere/program.py")


def module_of(source: str) -> Module:
    text = textwrap.dedent(source).lstrip("\n")
    return Project([PATH], {PATH: text}).module(PATH)


def function_of(module: Module, name: str = "") -> ast.Lambda | ast.FunctionDef:
    """Return the local function of a name, or the first lambda."""
    for node in sorted(module.parents, key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, ast.Lambda) and not name:
            return node
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise AssertionError(f"no {name or 'lambda'}")


def plan_of(move: Move, width: int = 88) -> CallablesPlan:
    return CallablesPlan(tuple(move.hoists), tuple(move.uses), width=width)


def move(source: str, name: str = "", crosses: bool = False) -> tuple[Move, str]:
    """Return the move of a function, and the program after it."""
    module = module_of(source)
    moves = Moves(module, crosses=lambda _: crosses)
    found = moves.move(function_of(module, name))
    plan = plan_of(found, moves.width)
    return found, ModuleLevelCallables.rewrite(cst.parse_module(module.text), plan).code
