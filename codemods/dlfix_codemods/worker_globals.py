"""Set in each worker, by a `worker_init_fn`, what only the parent sets, or keep it on the object sent."""

from __future__ import annotations

from typing import ClassVar

import libcst as cst

from dlfix.fixing.classes.plans import ClassPlan
from dlfix.fixing.planners.worker_globals import INITARGS, TARGET, WorkerGlobalsPlan
from dlfix.fixing.planners.worker_globals_above import AboveGuardPlan
from dlfix_codemods import above_guard, class_edits
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import imports, placement, wrapping
from dlfix_codemods.tools.positions import all_spans, find


class WorkerGlobals(PlannedCodemod):
    """Give loaders a `worker_init_fn` that sets what workers read, or objects what they read there, or set it above a guard."""

    DESCRIPTION = "Set in each worker the globals that only the parent sets."
    NAME: ClassVar[str] = "worker_globals"

    @staticmethod
    def rewrite(
        module: cst.Module, plan: WorkerGlobalsPlan | ClassPlan | AboveGuardPlan
    ) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        if isinstance(plan, ClassPlan):
            return class_edits.rewrite(module, plan)
        if isinstance(plan, AboveGuardPlan):
            return above_guard.rewrite(module, plan)
        index = placement.top_level_index(module, plan.above)
        calls = find(module, plan.calls, cst.Call)
        binds = plan.option == TARGET or (plan.values and not plan.is_pool)
        way = imports.access(module, "functools", "partial") if binds else None
        options = _options(plan, way.written if way else "")
        given = _Giver(module, set(calls.values()), options, plan.width)
        module = module.visit(given)
        module = placement.insert_at(module, index, [_function(module, plan)])
        for dotted in plan.imports:
            module = imports.add(module, dotted)
        return way.apply(module) if way else module


class _Giver(cst.CSTTransformer):
    """Gives calls options, and lays out the lines that grow too long by them."""

    def __init__(
        self,
        module: cst.Module,
        calls: set[cst.CSTNode],
        options: dict[str, cst.BaseExpression],
        width: int,
    ) -> None:
        super().__init__()
        self.module = module
        self.calls = calls
        self.options = options
        self.width = width
        self.spans = all_spans(module)
        self.grown: list[cst.CSTNode] = []

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Give a call the options."""
        if original_node not in self.calls:
            return updated_node
        call = updated_node
        for option, value in self.options.items():
            call = call.with_changes(args=_with(call, option, value))
        if self.spans[original_node].end.column <= self.width:
            self.grown.append(call)
        return call

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        """Lay out a line that grew too long."""
        return cst.ensure_type(self._fitted(original_node, updated_node), cst.SimpleStatementLine)

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        """Lay out the head of a block that grew too long: `with Pool(...) as pool:`."""
        return cst.ensure_type(self._fitted(original_node, updated_node), cst.With)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        """Lay out the head of a loop that grew too long: `for batch in DataLoader(...):`."""
        return cst.ensure_type(self._fitted(original_node, updated_node), cst.For)

    def _fitted(
        self, original: cst.CSTNode, updated: cst.SimpleStatementLine | cst.With | cst.For
    ) -> cst.CSTNode:
        column = self.spans[original].start.column
        return wrapping.fitted(self.module, updated, self.grown, column, self.width)


def _options(plan: WorkerGlobalsPlan, partial: str) -> dict[str, cst.BaseExpression]:
    if not plan.values and plan.option != TARGET:
        return {plan.option: cst.Name(plan.name)}
    if plan.is_pool:
        given = "".join(f"{value}, " for _, value in plan.values).strip()
        given = given if len(plan.values) == 1 else given.rstrip(",")
        return {plan.option: cst.Name(plan.name), INITARGS: cst.parse_expression(f"({given})")}
    bound = "".join(f", {name}={value}" for name, value in plan.values)
    return {plan.option: cst.parse_expression(f"{partial}({plan.name}{bound})")}


def _function(module: cst.Module, plan: WorkerGlobalsPlan) -> cst.BaseStatement:
    indent = module.default_indent
    text = "\n".join([plan.header, *(indent + line for line in plan.body)]) + "\n"
    return cst.parse_statement(text, config=cst.PartialParserConfig(default_indent=indent))


def _with(call: cst.Call, option: str, value: cst.BaseExpression) -> list[cst.Arg]:
    """Return a call's arguments with the option in place of the one that is there, or at the end."""
    args = list(call.args)
    for index, arg in enumerate(args):
        if arg.keyword is not None and arg.keyword.value == option:
            given = _binding(value, arg.value) if option == TARGET else value
            args[index] = arg.with_changes(value=given)
            return args
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    if not args:
        return [cst.Arg(keyword=cst.Name(option), value=value, equal=equal)]
    last = args[-1]
    added = cst.Arg(
        keyword=cst.Name(option),
        value=value,
        equal=equal,
        comma=_without_comment(last.comma),
        whitespace_after_arg=last.whitespace_after_arg,
    )
    comma = _with_comment_of(last.comma, _comma(call))
    parting = last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
    return [*args[:-1], parting, added]


def _binding(partial: cst.BaseExpression, target: cst.BaseExpression) -> cst.BaseExpression:
    """Return a partial that binds the target of a process after its function."""
    call = cst.ensure_type(partial, cst.Call)
    parted = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    function, *bound = call.args
    last = cst.Arg(target, comma=parted if bound else cst.MaybeSentinel.DEFAULT)
    return call.with_changes(args=[function.with_changes(comma=parted), last, *bound])


def _comma(call: cst.Call) -> cst.Comma:
    """Return a comma as the call parts its arguments."""
    space: cst.BaseParenthesizableWhitespace = cst.SimpleWhitespace(" ")
    if len(call.args) > 1 and isinstance(call.args[-2].comma, cst.Comma):
        space = call.args[-2].comma.whitespace_after
    elif isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace):
        space = call.whitespace_before_args
    if isinstance(space, cst.ParenthesizedWhitespace):
        line = cst.TrailingWhitespace(newline=space.first_line.newline)
        space = space.with_changes(first_line=line, empty_lines=[])
    return cst.Comma(whitespace_after=space)


Comma = cst.Comma | cst.MaybeSentinel


def _without_comment(comma: Comma) -> Comma:
    """Return the last comma, less the comment beside the argument that was last."""
    if not isinstance(comma, cst.Comma):
        return comma
    space = comma.whitespace_after
    if not isinstance(space, cst.ParenthesizedWhitespace) or space.first_line.comment is None:
        return comma
    line = cst.TrailingWhitespace(newline=space.first_line.newline)
    return comma.with_changes(whitespace_after=space.with_changes(first_line=line))


def _with_comment_of(old: Comma, new: cst.Comma) -> cst.Comma:
    if not isinstance(old, cst.Comma):
        return new
    before, after = old.whitespace_after, new.whitespace_after
    layout = cst.ParenthesizedWhitespace
    if not isinstance(before, layout) or not isinstance(after, layout):
        return new
    return new.with_changes(whitespace_after=after.with_changes(first_line=before.first_line))
