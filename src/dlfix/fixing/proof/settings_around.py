"""Settings of a process that a program makes for a while: what opens later goes by another than the constructor did."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog import SettingRow, load
from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late_code import modes_given, opening_calls
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import Function, last_part
from dlfix.project.library_names import uses
from dlfix.project.module import Module

_TEXT_OPENERS = ("open", "io.open")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what opens late by a setting that the program sets more than once while it runs."""
    for opener in _openers(change):
        for call in opening_calls(change, opener):
            for row in _read_by(imports_of(change.after.module.tree).full_name(call.func), call):
                found = change.new.kept(_MadeForAWhile).place(row)
                if found is not None:
                    module, node = found
                    yield change.regression(
                        opener,
                        f"`{last_part(call.func)}` depends on `{row.name}`, which is set for a while "
                        f"({module.path.name}:{node.lineno}), and runs later than before",
                    )
                    return


def _openers(change: ClassChange) -> Iterator[Function]:
    """Yield what opens in a worker, or later than before."""
    yield from change.made_lazy.values()
    restoring = change.after.methods.get("__setstate__")
    if restoring is not None and "__setstate__" not in change.before.methods:
        yield restoring


def _read_by(name: str, call: ast.Call) -> Iterator[SettingRow]:
    """Yield the settings that a call which opens something goes by."""
    if name in _TEXT_OPENERS and not _opens_text(call):
        return
    for row in load().rows("setting"):
        if isinstance(row, SettingRow) and name in (*row.read_by, *row.opening):
            yield row


def _opens_text(call: ast.Call) -> bool:
    """Return whether a call opens a text without a word on its encoding."""
    is_binary = any("b" in mode for mode in modes_given(call))
    return not is_binary and not any(each.arg == "encoding" for each in call.keywords)


class _MadeForAWhile:
    """Knows where one program makes a setting for a while: it sets it again, or leaves the block that keeps it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[str, tuple[Module, ast.expr] | None] = {}

    def place(self, row: SettingRow) -> tuple[Module, ast.expr] | None:
        """Return where a setting is made that does not stay; None where all that are made do."""
        if row.name not in self._known:
            made = list(self._made(row))
            inside = (each for each in made if self._is_kept_by_a_block(row, *each))
            again = made[1] if len(made) > 1 and not row.own else None
            self._known[row.name] = next(inside, again)
        return self._known[row.name]

    def _made(self, row: SettingRow) -> Iterator[tuple[Module, ast.expr]]:
        """Yield where code makes a setting that a worker does not make on import."""
        for full in (row.name, *row.aliases):
            for module, node in uses(self.program.project, full):
                call = module.parent(node)
                is_call = isinstance(call, ast.Call) and call.func is node
                is_made = is_call or isinstance(node.ctx, ast.Store)
                if is_made and self.program.runs_later(module, node) and _gives(row, call):
                    yield module, node

    def _is_kept_by_a_block(self, row: SettingRow, module: Module, node: ast.expr) -> bool:
        imports = imports_of(module.tree)
        return any(
            isinstance(item.context_expr, ast.Call)
            and imports.full_name(item.context_expr.func) in row.own
            for above in module.ancestors(node)
            if isinstance(above, (ast.With, ast.AsyncWith))
            for item in above.items
        )


def _gives(row: SettingRow, call: ast.AST | None) -> bool:
    """Return whether a call has one of the arguments without which it makes no such setting."""
    given = (
        [*call.args, *(each.value for each in call.keywords)] if isinstance(call, ast.Call) else []
    )
    return not row.given or any(ast.unparse(each) in row.given for each in given)


__all__ = ["check"]
