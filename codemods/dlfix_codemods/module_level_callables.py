"""Moves lambdas and local functions to module level, where pickle finds them by name."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import libcst as cst

from dlfix.fixing.plans_callables import CallablesPlan, Expression, Hoist, Written
from dlfix.source.text import Span
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import bodies, imports, placement, positions, wrapping

Node = TypeVar("Node", bound=cst.CSTNode)


class ModuleLevelCallables(PlannedCodemod):
    """Give callables that reach workers a name at module level."""

    NAME = "module_level_callables"
    DESCRIPTION = "Move lambdas and local functions that reach workers to module level."

    @staticmethod
    def rewrite(module: cst.Module, plan: CallablesPlan) -> cst.Module:
        """Move what the plan says, and let its uses follow."""
        partial = imports.access(module, "functools", "partial")
        wraps = imports.access(module, "functools", "wraps")
        update = imports.access(module, "functools", "update_wrapper")
        work = _work_of(module, plan, partial.written, wraps.written, update.written)
        anchors = _anchors(work.spans, module, plan)
        carrier = _Carrier(work)
        rewritten = module.visit(carrier)
        rewritten = _place(rewritten, anchors, {**carrier.followed, **carrier.moved}, plan)
        if carrier.bound:
            rewritten = partial.apply(rewritten)
        if any(each.bare for each in plan.hoists):
            rewritten = update.apply(rewritten)
        return wraps.apply(rewritten) if plan.wraps else rewritten


@dataclass
class _Work:
    """The plan, with nodes for spans."""

    module: cst.Module
    partial: str
    wraps_name: str
    update_wrapper: str
    width: int
    spans: Mapping[cst.CSTNode, Span]
    hoists: dict[cst.CSTNode, Hoist] = field(default_factory=dict)  # by lambda or def
    statements: dict[cst.CSTNode, Hoist] = field(default_factory=dict)  # by small statement or def
    uses: dict[cst.CSTNode, Expression] = field(default_factory=dict)
    methods: dict[cst.CSTNode, list[Hoist]] = field(default_factory=dict)  # by the def above
    wraps: dict[cst.CSTNode, str] = field(default_factory=dict)
    followers: dict[cst.CSTNode, Span] = field(default_factory=dict)  # by statement

    def __post_init__(self) -> None:
        self.lines = positions.lines(self.module)

    @cached_property
    def _rows(self) -> list[int]:
        named = (self.hoists, self.statements, self.uses, self.methods, self.wraps, self.followers)
        return sorted(self.spans[node].start.row for nodes in named for node in nodes)

    def is_within(self, node: cst.CSTNode) -> bool:
        """Return whether a node may hold one that the plan names."""
        span = self.spans.get(node)
        if span is None:
            return True
        first = bisect_left(self._rows, span.start.row)
        return first < len(self._rows) and self._rows[first] <= span.end.row


def _work_of(
    module: cst.Module, plan: CallablesPlan, partial: str, wraps: str, update: str
) -> _Work:
    spans = positions.all_spans(module)
    work = _Work(module, partial, wraps, update, plan.width, spans)
    callables = positions.pick(
        spans, [each.source for each in plan.hoists], (cst.Lambda, cst.FunctionDef)
    )
    for hoist in plan.hoists:
        work.hoists[callables[hoist.source]] = hoist
    assignments = [each.assignment for each in plan.hoists if each.assignment]
    small = positions.pick(spans, assignments, (cst.Assign, cst.AnnAssign))
    for hoist in plan.hoists:
        if hoist.assignment:
            work.statements[small[hoist.assignment]] = hoist
        elif isinstance(callables[hoist.source], cst.FunctionDef):
            work.statements[callables[hoist.source]] = hoist
    following = [span for each in plan.hoists for span in each.followers]
    followers = positions.pick(spans, following, (cst.Assign, cst.Expr, cst.FunctionDef))
    work.followers = {followers[span]: span for span in following}
    uses = positions.pick(spans, [use.span for use in plan.uses], (cst.BaseExpression,))
    work.uses = {uses[use.span]: use.becomes for use in plan.uses}
    above = [each for each in plan.hoists if each.where == "method"]
    defs = positions.pick(spans, [each.near for each in above], (cst.FunctionDef,))
    for hoist in above:
        work.methods.setdefault(defs[hoist.near], []).append(hoist)
    inner = positions.pick(spans, [each.inner for each in plan.wraps], (cst.FunctionDef,))
    work.wraps = {inner[each.inner]: each.function for each in plan.wraps}
    return work


def _anchors(
    spans: Mapping[cst.CSTNode, Span], module: cst.Module, plan: CallablesPlan
) -> dict[Span, int]:
    """Return for each place the index of the top-level statement that holds it."""
    near = {each.near for each in plan.hoists if each.where == "module"}
    near |= {each.near for each in plan.definitions}
    ends = [spans[statement].end.row for statement in module.body]
    return {
        span: next(index for index, row in enumerate(ends) if span.start.row <= row)
        for span in near
    }


def _place(
    module: cst.Module,
    anchors: Mapping[Span, int],
    moved: Mapping[Span, cst.BaseStatement],
    plan: CallablesPlan,
) -> cst.Module:
    placed: dict[int, list[tuple[Span, cst.BaseStatement]]] = defaultdict(list)
    for hoist in plan.hoists:
        if hoist.where == "module":
            placed[anchors[hoist.near]].append((hoist.source, moved[hoist.source]))
            for span in hoist.followers:
                placed[anchors[hoist.near]].append((span, moved[span]))
    for each in plan.definitions:
        statement = cst.parse_statement(each.text, module.config_for_parsing)
        placed[anchors[each.near]].append((each.near, statement))
    for index in sorted(placed, reverse=True):
        statements = [statement for _, statement in sorted(placed[index], key=_by_span)]
        module = placement.insert_at(module, index, statements)
    return module


def _by_span(item: tuple[Span, cst.BaseStatement]) -> Span:
    return item[0]


class _Carrier(cst.CSTTransformer):
    """Takes sources out, puts what stands for them in."""

    def __init__(self, work: _Work) -> None:
        super().__init__()
        self.work = work
        self.moved: dict[Span, cst.FunctionDef] = {}
        self.followed: dict[Span, cst.BaseStatement] = {}
        self.bound = False
        self.blanks = placement.blank_lines(work.module)
        self.statements: list[cst.CSTNode] = []  # those at hand, the innermost last
        self.grown: list[cst.CSTNode] = []  # what stands where less stood
        self.since: list[int] = []  # how much had grown when the statements at hand began

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Note where each statement begins; pass by what the plan leaves as it is."""
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self.statements.append(node)
            self.since.append(len(self.grown))
        return self.work.is_within(node) and super().on_visit(node)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> object:
        """Change a node the plan names, after all within it."""
        result = super().on_leave(original_node, updated_node)
        since = 0
        if isinstance(original_node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self.statements.pop()
            since = self.since.pop()
        if not isinstance(result, cst.CSTNode):
            return result
        if original_node in self.work.hoists:
            self._take(original_node, result, self.work.hoists[original_node])
        if original_node in self.work.wraps and isinstance(result, cst.FunctionDef):
            return self._wrapped(result, self.work.wraps[original_node])
        if original_node in self.work.uses and not isinstance(original_node, cst.Call):
            return self._written(original_node, self.work.uses[original_node], result)
        if isinstance(result, (cst.SimpleStatementLine, *wrapping.HEADERS)):
            return self._laid_out(original_node, result, self.grown[since:])
        return result

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Give a call of a moved function what it needs besides."""
        if original_node in self.work.uses:
            return self._written(original_node, self.work.uses[original_node], updated_node)
        if self._is_partial(original_node):
            return self._flattened(original_node, updated_node)
        becomes = self.work.uses.get(original_node.func)
        if becomes is None or isinstance(original_node.func, cst.Lambda):
            return self._closed_up(original_node, updated_node)
        added = [bodies.keyword(name, self._text(value)) for name, value in becomes.keywords]
        first = [cst.Arg(_parsed(self._text(value))) for value in becomes.positional]
        args = bodies.joined(bodies.led(first, updated_node.args), added)
        return self._grow(
            original_node, updated_node.with_changes(func=_parsed(becomes.function), args=args)
        )

    def _closed_up(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """Take out the space or line break that only a lambda needed which is a name now."""
        last = original.args[-1] if original.args else None
        if last is None or not isinstance(last.value, cst.Lambda):
            return updated
        if last.value not in self.work.uses or isinstance(last.comma, cst.Comma):
            return updated
        opening, closing = original.whitespace_before_args, last.whitespace_after_arg
        if isinstance(opening, cst.SimpleWhitespace):
            if opening.value or not isinstance(closing, cst.SimpleWhitespace):
                return updated
        elif not self._fits_one_line(original, updated):
            return updated
        none = cst.SimpleWhitespace("")
        args = [*updated.args[:-1], updated.args[-1].with_changes(whitespace_after_arg=none)]
        return updated.with_changes(whitespace_before_args=none, args=args)

    def _fits_one_line(self, original: cst.Call, updated: cst.Call) -> bool:
        """Return whether a call of one argument, without comments, has room on the line it begins on."""
        argument = self.work.module.code_for_node(updated.args[-1].value)
        if (
            len(original.args) > 1
            or original.args[0].keyword
            or "\n" in argument
            or bodies.comments_of(original)
        ):
            return False
        span = self.work.spans[original]
        head = self.work.lines[span.start.row - 1].rstrip()
        tail = self.work.lines[span.end.row - 1][span.end.column :].rstrip()
        return head.endswith("(") and len(f"{head}{argument}){tail}") <= self.work.width

    def _is_partial(self, call: cst.Call) -> bool:
        """Return whether a call is a partial of what becomes one itself."""
        becomes = self.work.uses.get(call.args[0].value) if call.args else None
        if becomes is None or not becomes.binds or call.args[0].star or call.args[0].keyword:
            return False
        return self.work.module.code_for_node(call.func) == self.work.partial

    def _flattened(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """Bind in one partial what two would."""
        becomes = self.work.uses[original.args[0].value]
        given = {arg.keyword.value for arg in updated.args if arg.keyword is not None}
        bound = [cst.Arg(_parsed(self._text(each))) for each in becomes.positional]
        named = [(name, each) for name, each in becomes.keywords if name not in given]
        added = [bodies.keyword(name, self._text(each)) for name, each in named]
        first = updated.args[0].with_changes(value=_parsed(becomes.function))
        args = [first, *bound, *updated.args[1:], *added]
        *others, last = bodies.parted(args)
        last = last.with_changes(comma=updated.args[-1].comma)
        return self._grow(original, updated.with_changes(args=[*others, last]))

    def _laid_out(
        self, original: cst.CSTNode, statement: wrapping.Statement, grown: Sequence[cst.CSTNode]
    ) -> wrapping.Statement:
        column, work = self._column(original), self.work
        return wrapping.fitted(work.module, statement, grown, column, work.width)

    def _column(self, statement: cst.CSTNode) -> int:
        return self.work.spans[statement].start.column

    def _grow(self, original: cst.CSTNode, node: Node) -> Node:
        """Note what may be too long for its line, if that was not too long before."""
        line = self.work.lines[self.work.spans[original].start.row - 1]
        if len(line) <= self.work.width:
            self.grown.append(node)
        return node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Take moved statements out of a block, and put methods in."""
        return updated_node.with_changes(
            body=self._body(original_node.body, updated_node.body, first_is_bare=True)
        )

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        """Let a `f = lambda ...` at the top become a def."""
        return updated_node.with_changes(
            body=self._body(original_node.body, updated_node.body, first_is_bare=False)
        )

    def _body(
        self,
        old: Sequence[cst.BaseStatement],
        new: Sequence[cst.BaseStatement],
        first_is_bare: bool,
    ) -> list[cst.BaseStatement]:
        body: list[cst.BaseStatement] = []
        defined = False  # whether the statement above became a def
        heading: list[cst.EmptyLine] = []  # of a section whose first statement moved
        for before, after in zip(old, new, strict=True):
            if self._follows(before, after):
                continue
            hoist = self._hoist_of(before)
            becomes_def = hoist is not None and hoist.where == "here"
            stands = self._statement(before, after)
            if stands and body and (becomes_def or defined):
                stands[0] = bodies.with_blank_lines(stands[0], 1 if first_is_bare else self.blanks)
            defined = becomes_def or (defined and not stands)
            if stands and heading:
                stands[0], heading = bodies.below_lines(stands[0], heading), []
            elif not stands:
                heading += bodies.heading_of(after)
            body += stands
            for hoist in self.work.methods.get(before, ()):
                body.append(bodies.below(self.moved[hoist.source], old))
        changed = len(body) != len(old)
        if changed and first_is_bare and body and not self._kept_first(old[0]):
            body[0] = bodies.without_blank_lines(body[0])
        if not body:
            body = [cst.parse_statement("pass")]
        return body

    def _follows(self, before: cst.BaseStatement, after: cst.BaseStatement) -> bool:
        """Take out a statement that moves with a function."""
        nodes = before.body if isinstance(before, cst.SimpleStatementLine) else [before]
        span = next((self.work.followers[n] for n in nodes if n in self.work.followers), None)
        if span is not None:
            self.followed[span] = after
        return span is not None

    def _kept_first(self, first: cst.BaseStatement) -> bool:
        return self._hoist_of(first) is None

    def _statement(
        self, before: cst.BaseStatement, after: cst.BaseStatement
    ) -> list[cst.BaseStatement]:
        hoist = self._hoist_of(before)
        if hoist is None:
            return [after]
        if hoist.where == "stays":
            return [self.moved[hoist.source]]
        if hoist.where == "here":
            lines = getattr(after, "leading_lines", ())
            define = self.moved[hoist.source].with_changes(leading_lines=lines)
            return [
                bodies.with_comment(define, bodies.trailing_comment(self.work.module, hoist.source))
            ]
        name = bodies.old_name(before)
        if hoist.leaves is None or name is None:
            return []
        lines = [line for line in getattr(after, "leading_lines", ()) if not line.comment]
        heading = bodies.heading_of(after)
        lines = [*heading, cst.EmptyLine(indent=False)] if heading else lines
        value = _parsed(self._text(hoist.leaves))
        self.grown.append(value)
        target = cst.AssignTarget(cst.Name(name))
        assignment = cst.Assign(targets=[target], value=value)
        line = cst.SimpleStatementLine(body=[assignment], leading_lines=lines)
        stands: list[cst.BaseStatement] = [self._laid_out(before, line, [value])]
        if hoist.keeps_name:
            stands.append(cst.parse_statement(f'{name}.__name__ = "{name}"'))
        return stands

    def _hoist_of(self, statement: cst.BaseStatement) -> Hoist | None:
        if statement in self.work.statements:
            return self.work.statements[statement]
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if small in self.work.statements:
                    return self.work.statements[small]
        return None

    def _take(self, original: cst.CSTNode, node: cst.CSTNode, hoist: Hoist) -> None:
        if isinstance(node, cst.Lambda):
            span = self.work.spans[original]
            assert isinstance(original, cst.Lambda)
            depth = 1 if hoist.where == "module" else 2
            function = bodies.def_of_lambda(
                self.work.module,
                original,
                node,
                hoist.name,
                self.work.spans,
                self._column(self.statements[-1]),
                depth,
            )
            function = bodies.with_comments_of(function, self.work.module, hoist.assignment, span)
        else:
            assert isinstance(node, cst.FunctionDef)
            function = bodies.renamed(self.work.module, node, hoist.name, self.work.spans[original])
        if hoist.bare:
            function = function.with_changes(decorators=[])
        signed = bodies.with_signature(function, hoist)
        if hoist.parameters:
            signed = bodies.fitting(signed, self.work.module, self.work.width)
        self.moved[hoist.source] = signed

    def _wrapped(self, node: cst.FunctionDef, function: str) -> cst.FunctionDef:
        call = cst.Call(_parsed(self.work.wraps_name), [cst.Arg(cst.Name(function))])
        return node.with_changes(decorators=[cst.Decorator(call), *node.decorators])

    # What stands for it

    def _written(
        self, original: cst.CSTNode, becomes: Expression, old: cst.CSTNode
    ) -> cst.BaseExpression:
        value = _parsed(self._text(becomes))
        if becomes.binds:
            self._grow(original, value)
        lpar: Sequence[cst.LeftParen] = getattr(old, "lpar", ())
        rpar: Sequence[cst.RightParen] = getattr(old, "rpar", ())
        if isinstance(old, cst.Tuple) or not any(map(bodies.comments_of, [*lpar, *rpar])):
            return value
        return self._grow(original, value.with_changes(lpar=lpar, rpar=rpar))

    def _text(self, value: Written) -> str:
        if isinstance(value, str):
            return value
        if not value.binds:
            return value.function
        self.bound = True
        made = f"{self.work.partial}({', '.join(self._arguments(value))})"
        if value.wrapped:
            return f"{self.work.update_wrapper}({made}, {value.wrapped})"
        return made

    def _arguments(self, value: Expression) -> list[str]:
        return [
            value.function,
            *(self._text(each) for each in value.positional),
            *(f"{name}={self._text(each)}" for name, each in value.keywords),
        ]


def _parsed(text: str) -> cst.BaseExpression:
    return cst.parse_expression(text)
