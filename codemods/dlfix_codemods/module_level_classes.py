"""Moves local classes, and those under the main guard, to module level."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import libcst as cst

from dlfix.fixing.indentation import indented_as_usual
from dlfix.fixing.plans_classes import (
    ClassesPlan,
    ClassModulePlan,
    ClassMove,
    FactoryPlan,
    NewArguments,
    NewParameters,
)
from dlfix.source.text import Span
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import bodies, imports, inits, made_again, placement, positions, wrapping


class ModuleLevelClasses(PlannedCodemod):
    """Give classes whose instances reach workers a place where pickle finds them."""

    NAME = "module_level_classes"
    DESCRIPTION = "Move local classes whose instances reach workers to module level."

    @staticmethod
    def rewrite(
        module: cst.Module, plan: ClassesPlan | ClassModulePlan | FactoryPlan
    ) -> cst.Module:
        """Move the plan's classes above the statements that need them, or to the module at hand."""
        if isinstance(plan, FactoryPlan):
            return made_again.rewrite(module, plan)
        if isinstance(plan, ClassModulePlan):
            return _extended(module, plan)
        spans = positions.all_spans(module)
        partial = imports.access(module, "functools", "partial")
        carrier = _Carrier(module, spans, plan, partial.written)
        rewritten = module.visit(carrier)
        if plan.leaves:
            return partial.apply(rewritten) if plan.partials else rewritten
        anchors = _anchors(module, spans, plan)
        placed: dict[int, list[tuple[Span, cst.BaseStatement]]] = defaultdict(list)
        for move in plan.moves:
            placed[anchors[move.near]].append((move.source, carrier.moved[move.source]))
        for index in sorted(placed, reverse=True):
            statements = [statement for _, statement in sorted(placed[index], key=_first)]
            rewritten = placement.insert_at(rewritten, index, statements)
        for line in carrier.imports.values():
            assert isinstance(line, cst.Import | cst.ImportFrom)
            rewritten = imports.with_names_of(rewritten, line)
        return partial.apply(rewritten) if plan.partials else rewritten


def _extended(module: cst.Module, plan: ClassModulePlan) -> cst.Module:
    """Put classes that leave another file into a module, as that file writes them."""
    source = _parsed(plan.carried.text)
    if not module.body:
        head = "".join(f"from __future__ import {name}\n" for name in plan.future)
        text = f'"""{plan.title}"""\n' + (f"\n{head}" if head else "")
        module = cst.parse_module(text).with_changes(
            default_indent=source.default_indent, default_newline=source.default_newline
        )
    for one in sorted(plan.imports, key=lambda each: (each.module, each.member)):
        module = imports.add(module, one.module, one.member or None, one.name)
    moves = plan.carried.plan.moves
    carrier = _Carrier(source, positions.all_spans(source), plan.carried.plan, "partial")
    source.visit(carrier)
    classes = [carrier.moved[move.source] for move in sorted(moves, key=lambda each: each.source)]
    return placement.append(module, classes)


def _parsed(text: str) -> cst.Module:
    return indented_as_usual(cst.parse_module(text), text)


def _first(item: tuple[Span, cst.BaseStatement]) -> Span:
    return item[0]


def _anchors(
    module: cst.Module, spans: Mapping[cst.CSTNode, Span], plan: ClassesPlan
) -> dict[Span, int]:
    ends = [spans[statement].end.row for statement in module.body]
    return {
        move.near: next(i for i, row in enumerate(ends) if move.near.start.row <= row)
        for move in plan.moves
    }


class _Carrier(cst.CSTTransformer):
    """Takes classes out of their blocks."""

    def __init__(
        self,
        module: cst.Module,
        spans: Mapping[cst.CSTNode, Span],
        plan: ClassesPlan,
        partial: str,
    ) -> None:
        super().__init__()
        self.partial, self.width = partial, plan.width
        self.grown: list[cst.Call] = []
        self.named = set(positions.pick(spans, plan.named, (cst.Assign,)).values())
        made = positions.pick(spans, [each.assignment for each in plan.bound], (cst.Assign,))
        self.bound = {made[each.assignment]: each.name for each in plan.bound}
        self.module = module
        self.spans = spans
        self.moved: dict[Span, cst.BaseStatement] = {}
        whole = [move for move in plan.moves if not move.extracted]
        inner = [move for move in plan.moves if move.extracted]
        self.imports = positions.pick(spans, plan.imports, (cst.Import, cst.ImportFrom))
        self.risen = set(self.imports.values())
        statements = positions.pick(
            spans, [move.source for move in whole], (cst.ClassDef, cst.Assign)
        )
        self.moves = {statements[move.source]: move for move in whole}
        values = [span for move in whole for span in (*move.stay, *move.leave)]
        taken = positions.pick(spans, values, (cst.Assign, cst.AnnAssign))
        self.values = {taken[span]: span for span in values}
        self.stood: dict[Span, cst.BaseStatement] = {}
        calls = positions.pick(spans, [move.source for move in inner], (cst.Call,))
        self.extracted = {calls[move.source]: move for move in inner}
        names = positions.pick(
            spans, [each.span for each in plan.renames], (cst.Name, cst.SimpleString)
        )
        self.renames = {names[each.span]: each.text for each in plan.renames}
        held = positions.pick(spans, [each.name for each in plan.partials], (cst.Name,))
        self.partials = {held[each.name]: each.names for each in plan.partials}
        inits = positions.pick(
            spans, [each.init for each in plan.parameters], (cst.FunctionDef, cst.ClassDef)
        )
        self.parameters: dict[cst.CSTNode, NewParameters] = {
            inits[each.init]: each for each in plan.parameters
        }
        passed = positions.pick(spans, [each.call for each in plan.arguments], (cst.Call,))
        functions = positions.pick(
            spans, [each.source for each in plan.helpers], (cst.FunctionDef,)
        )
        self.helpers = {functions[each.source]: each for each in plan.helpers}
        methods = positions.pick(spans, [each.method for each in plan.inner], (cst.FunctionDef,))
        self.inner: dict[cst.CSTNode, list[str]] = defaultdict(list)
        for each in plan.inner:
            self.inner[methods[each.method]].append(each.text)
        classes = positions.pick(spans, [each.cls for each in plan.helpers], (cst.ClassDef,))
        self.made: dict[cst.CSTNode, list[cst.FunctionDef]] = {
            classes[each.cls]: [] for each in plan.helpers
        }
        self.classes = classes
        self.arguments: dict[cst.CSTNode, list[NewArguments]] = defaultdict(list)
        for given in plan.arguments:
            self.arguments[passed[given.call]].append(given)
        self._take_what_goes(spans, plan)

    def _take_what_goes(self, spans: Mapping[cst.CSTNode, Span], plan: ClassesPlan) -> None:
        """Note the defaults that are dropped, and the statements in whose place others stand."""
        wanted = [each.init for each in plan.required]
        found = positions.pick(spans, wanted, (cst.FunctionDef,))
        self.lost: dict[cst.CSTNode, list[str]] = defaultdict(list)
        for lost in plan.required:
            self.lost[found[lost.init]].append(lost.name)
        places = [each.statement for each in plan.instead]
        kinds = (cst.Import, cst.ImportFrom, cst.ClassDef)
        taken = positions.pick(spans, places, kinds)
        self.instead = {taken[each.statement]: each.text for each in plan.instead}

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """Write a name as it is called now."""
        text = self.renames.get(original_node)
        if text is not None and "." in text:
            return cst.parse_expression(text)
        named = updated_node if text is None else updated_node.with_changes(value=text)
        held = self.partials.get(original_node)
        if held is None:
            return named
        args = [cst.Arg(named), *(bodies.keyword(name, name) for name in held)]
        call = cst.Call(cst.parse_expression(self.partial), bodies.parted(args))
        self.grown.append(call)
        return call

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        """Bind a class to the name that it is made under, too."""
        name = self.bound.get(original_node)
        if name is None:
            return updated_node
        targets = [*updated_node.targets, cst.AssignTarget(cst.Name(name))]
        return updated_node.with_changes(targets=targets)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        """Let a class say where it is; lay out partials that make a line too long."""
        if original_node.body[0] in self.named:
            return cst.FlattenSentinel([updated_node, _naming_its_module(original_node.body[0])])
        if not self.grown:
            return updated_node
        grown, self.grown = self.grown, []
        column = self.spans[original_node].start.column
        laid_out = wrapping.fitted(self.module, updated_node, grown, column, self.width)
        assert isinstance(laid_out, cst.SimpleStatementLine)
        return laid_out

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.BaseExpression:
        """Write the name a class is made under as the one it is bound to."""
        text = self.renames.get(original_node)
        if text is None:
            return updated_node
        quote = original_node.quote
        return updated_node.with_changes(value=f"{original_node.prefix}{quote}{text}{quote}")

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Pass what the class read around it, or take a call out."""
        for change in self.arguments.get(original_node, ()):
            values = dict(change.values)
            added = [
                bodies.keyword(name, values.get(name, name))
                if change.by_keyword
                else cst.Arg(cst.Name(values.get(name, name)))
                for name in change.names
            ]
            args = bodies.joined(updated_node.args, bodies.parted(added))
            updated_node = updated_node.with_changes(args=args)
        move = self.extracted.get(original_node)
        if move is None:
            return updated_node
        target = cst.AssignTarget(cst.Name(move.name))
        self.moved[move.source] = cst.SimpleStatementLine([cst.Assign([target], updated_node)])
        return cst.Name(move.name)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """Let a method import what the function around its class did, and an `__init__` take the rest."""
        if original_node in self.inner:
            updated_node = bodies.with_imports(updated_node, self.inner[original_node])
        helper = self.helpers.get(original_node)
        if helper is not None:
            self.made[self.classes[helper.cls]].append(_as_method(updated_node, helper.name))
            return updated_node
        if original_node in self.lost:
            updated_node = _without_defaults(updated_node, self.lost[original_node])
        change = self.parameters.get(original_node)
        if change is None:
            return updated_node
        keeps = inits.keeping(updated_node, change.kept)
        if not change.names:  # callers pass all of them already
            return keeps
        if change.by_keyword:
            return bodies.with_keywords(keeps, change.names)
        params = keeps.params
        listed = bodies.with_more(params.params, change.names)
        return keeps.with_changes(params=params.with_changes(params=listed))

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        """Give a class with no `__init__` one that keeps what its methods read around it."""
        methods = self.made.get(original_node)
        if methods:
            body = [*updated_node.body.body, *methods]
            updated_node = updated_node.with_deep_changes(updated_node.body, body=body)
        change = self.parameters.get(original_node)
        if change is None:
            return updated_node
        return inits.with_init(
            updated_node, self.module, change.kept, change.forwards, change.to_base
        )

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Take the classes out of a block."""
        body: list[cst.BaseStatement] = []
        for before, after in zip(original_node.body, updated_node.body, strict=True):
            move = self._move_of(before)
            if before in self.helpers or self._rises(before) or self._is_value(before, after):
                continue
            if move is not None:
                self.moved[move.source] = self._named(before, after, move)
                body += [self.stood[span] for span in move.stay]
            text = self._text_instead(before)
            if text:
                body.append(_with_blank_lines_of(cst.parse_statement(text), before))
            elif text is None and move is None:
                body.append(after)
        if body == list(updated_node.body):
            return updated_node
        first = original_node.body[0]
        if body and (
            first in self.helpers
            or self._rises(first)
            or self._text_instead(first) is not None
            or self._move_of(first) is not None
            or self._is_value(first, first)
        ):
            body[0] = bodies.without_blank_lines(body[0])
        return updated_node.with_changes(body=body or [cst.parse_statement("pass")])

    def _text_instead(self, statement: cst.BaseStatement) -> str | None:
        """Return what takes the place of a statement; None where it has its own."""
        is_line = isinstance(statement, cst.SimpleStatementLine)
        return self.instead.get(statement.body[0] if is_line else statement)  # type: ignore[attr-defined]

    def _rises(self, statement: cst.BaseStatement) -> bool:
        """Return whether a statement is an import that goes to module level."""
        return isinstance(statement, cst.SimpleStatementLine) and statement.body[0] in self.risen

    def _is_value(self, before: cst.BaseStatement, after: cst.BaseStatement) -> bool:
        """Note a statement of a class body that reads what is around the class."""
        if not isinstance(before, cst.SimpleStatementLine) or before.body[0] not in self.values:
            return False
        self.stood.setdefault(self.values[before.body[0]], after)
        return True

    def _move_of(self, statement: cst.BaseStatement) -> ClassMove | None:
        if isinstance(statement, cst.SimpleStatementLine):
            return self.moves.get(statement.body[0])
        return self.moves.get(statement)

    def _named(
        self, before: cst.BaseStatement, after: cst.BaseStatement, move: ClassMove
    ) -> cst.BaseStatement:
        if isinstance(after, cst.ClassDef):
            named = after.with_changes(name=cst.Name(move.name))
            column = self.spans[before].start.column
            step = self.module.default_indent
            indent = ("\t" if step.startswith("\t") else " ") * column
            return _reindented(named, indent, step)
        assert isinstance(after, cst.SimpleStatementLine)
        assert isinstance(after.body[0], cst.Assign)
        target = cst.AssignTarget(cst.Name(move.name))
        return after.with_changes(body=[after.body[0].with_changes(targets=[target])])


def _reindented(cls: cst.ClassDef, indent: str, step: str) -> cst.BaseStatement:
    """Move the docstrings of a class and of its methods to where they stand now."""
    if isinstance(cls.body, cst.IndentedBlock):
        members = [
            placement.reindented_docstring(each, indent + 2 * step, 2 * step)
            if isinstance(each, cst.FunctionDef)
            else each
            for each in cls.body.body
        ]
        cls = cls.with_changes(body=cls.body.with_changes(body=members))
    return placement.reindented_docstring(cls, indent + step, step)


def _naming_its_module(statement: cst.BaseSmallStatement) -> cst.BaseStatement:
    """Return what lets a class say that it is found in the module that binds it."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return cst.parse_statement(f"{name}.__module__ = __name__")
    raise AssertionError(statement)


def _without_defaults(init: cst.FunctionDef, names: Sequence[str]) -> cst.FunctionDef:
    """Return a function of which some parameters have to be passed."""

    def bare(params: Sequence[cst.Param]) -> list[cst.Param]:
        lost = cst.MaybeSentinel.DEFAULT
        return [
            each.with_changes(default=None, equal=lost) if each.name.value in names else each
            for each in params
        ]

    params = init.params
    fewer = {
        name: bare(getattr(params, name)) for name in ("posonly_params", "params", "kwonly_params")
    }
    return init.with_changes(params=params.with_changes(**fewer))


def _with_blank_lines_of(
    statement: cst.SimpleStatementLine | cst.BaseCompoundStatement, before: cst.BaseStatement
) -> cst.BaseStatement:
    """Return a statement with the blank lines that stand above another; the comments there are that one's."""
    lines = [each for each in getattr(before, "leading_lines", ()) if each.comment is None]
    return statement.with_changes(leading_lines=lines[:1])


def _as_method(function: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """Return a local function as a method, a blank line above it."""
    params = function.params
    first = cst.Param(cst.Name("self"))
    if params.posonly_params:
        params = params.with_changes(posonly_params=[first, *params.posonly_params])
    else:
        params = params.with_changes(params=[first, *params.params])
    comments = [line for line in function.leading_lines if line.comment]
    return function.with_changes(
        name=cst.Name(name), params=params, leading_lines=[cst.EmptyLine(indent=False), *comments]
    )


__all__: Sequence[str] = ["ModuleLevelClasses"]
