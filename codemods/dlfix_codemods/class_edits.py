"""Carry out the plan for one class: statements exchanged, attributes made lazy, state methods made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import libcst as cst

from dlfix.fixing.classes.plans import ClassPlan, Exchange, Insert, Within
from dlfix.project.syntax import is_private, key_of
from dlfix_codemods import class_members, class_state
from dlfix_codemods.tools import blocks, classes, conditions, imports, positions

_OWN = ("own", "reduce")
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


def rewrite(module: cst.Module, plan: ClassPlan) -> cst.Module:
    """Carry out a plan for one class; code outside it stays to the byte."""
    edits = _Edits(module, plan)
    imported, written = _imported(module, plan)
    edits.written = written
    return imports.without_unused(imported.visit(edits), module)


def _imported(module: cst.Module, plan: ClassPlan) -> tuple[cst.Module, dict[str, str]]:
    """Import what the new code calls; return how each is written in this file."""
    written = {}
    for dotted in _calls(plan):
        module, written[dotted] = imports.use(module, *dotted.rsplit(".", 1))
    for name in plan.imports:
        module = imports.add(module, name)
    if any("os.path.abspath(" in text for text in _texts(plan)):
        module = imports.add(module, "os")
    return module, written


def _calls(plan: ClassPlan) -> list[str]:
    texts = _texts(plan)
    by_process = any(lazy.kept_in for lazy in plan.lazies)
    cached = any(not lazy.kept_in and not lazy.item for lazy in plan.lazies)
    calls = ["functools.cached_property"] if cached else []
    if by_process or any("os.getpid()" in text for text in texts):
        calls.append("os.getpid")
    if any("contextlib.closing(" in text for text in texts):
        calls.append("contextlib.closing")
    return calls


def _private_attributes(plan: ClassPlan) -> set[str]:
    """Return the attributes of a plan whose keys in `__dict__` are not their names."""
    drops = plan.state.drops if plan.state is not None else ()
    slots = plan.state.slots if plan.state is not None else ()
    names = {*slots, *(each.name for each in drops)}
    for lazy in plan.lazies:
        names |= {lazy.name, lazy.kept_in}
    return {name for name in names if is_private(name)}


def _texts(plan: ClassPlan) -> list[str]:
    texts = [each.becomes for each in plan.exchanges] + [each.text for each in plan.inserts]
    return texts + [each.heads for each in plan.withins]


class _Edits(cst.CSTTransformer):
    """Edits nodes by identity: an import added above does not move them."""

    def __init__(self, module: cst.Module, plan: ClassPlan) -> None:
        super().__init__()
        self.module = module
        self.plan = plan
        self.written: dict[str, str] = {}
        self.cls = positions.find(module, [plan.cls], cst.ClassDef)[plan.cls]
        assert isinstance(self.cls, cst.ClassDef)
        self.keys = {name: key_of(name, self.cls.name.value) for name in _private_attributes(plan)}
        self.expressions: dict[cst.CSTNode, str] = {}
        self.statements: dict[cst.CSTNode, Exchange] = {}
        self.inserts: dict[cst.CSTNode, list[Insert]] = {}
        self.begins: dict[cst.CSTNode, Within] = {}
        self.ends: dict[cst.CSTNode, Within] = {}
        self.emptied: set[cst.CSTNode] = set()  # blocks in which nothing is left
        self._find()

    def _find(self) -> None:
        by_kind: dict[str, list[Exchange]] = {"expression": [], "statement": []}
        for exchange in self.plan.exchanges:
            by_kind[exchange.kind].append(exchange)
        spans = [each.span for each in by_kind["expression"]]
        nodes = positions.find(self.module, spans, cst.BaseExpression)
        self.expressions = {nodes[each.span]: each.becomes for each in by_kind["expression"]}
        places = [each.span for each in by_kind["statement"]]
        places += [each.span for each in self.plan.inserts]
        places += [span for each in self.plan.withins for span in (each.first, each.last)]
        lines = positions.find(self.module, places, (*_STATEMENTS, cst.SimpleStatementSuite))
        self.statements = {lines[each.span]: each for each in by_kind["statement"]}
        for insert in self.plan.inserts:
            self.inserts.setdefault(lines[insert.span], []).append(insert)
        self.begins = {lines[each.first]: each for each in self.plan.withins}
        self.ends = {lines[each.last]: each for each in self.plan.withins}

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        text = self.expressions.get(original_node)
        if text is not None:
            return _expression(self._as_written(text), self.module)  # type: ignore[return-value]
        return super().on_leave(original_node, updated_node)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        edited = self.statements.keys() | self.inserts.keys() | self.begins.keys()
        if not edited.intersection(original_node.body):
            return updated_node
        block = _Block()
        for old, new in zip(original_node.body, updated_node.body, strict=True):
            self._place(block, old, new)
        if block.is_empty:
            self.emptied.add(original_node)
        return block.into(updated_node)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        edited = self.statements.keys() | self.inserts.keys() | self.begins.keys()
        if original_node not in edited:
            return updated_node
        block = _Block()
        line = cst.SimpleStatementLine(
            updated_node.body, trailing_whitespace=updated_node.trailing_whitespace
        )
        self._place(block, original_node, line)
        return block.into(cst.IndentedBlock([line]))

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        rest = updated_node.orelse
        if original_node.body not in self.emptied or rest is None:
            return updated_node
        test = conditions.negated(updated_node.test)
        if isinstance(rest, cst.If):
            if rest.orelse is not None:
                return updated_node
            test = conditions.both(test, rest.test)
        told = [line for line in rest.leading_lines if line.comment]
        return updated_node.with_changes(
            test=test,
            body=rest.body,
            orelse=None,
            leading_lines=[*updated_node.leading_lines, *told],
            whitespace_before_test=cst.SimpleWhitespace(" "),
        )

    def leave_Else(  # type: ignore[override]  # an `else` may go, which the base does not tell
        self, original_node: cst.Else, updated_node: cst.Else
    ) -> cst.Else | cst.RemovalSentinel:
        told = any(line.comment for line in original_node.leading_lines)
        if original_node.body in self.emptied and not told:
            return cst.RemoveFromParent()
        return updated_node

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        if original_node is not self.cls:
            return updated_node
        assert isinstance(updated_node.body, cst.IndentedBlock)
        body = list(updated_node.body.body)
        deeper = blocks.Deeper(self.module.default_indent)
        members = [
            cast(cst.BaseStatement, each.visit(deeper))
            for lazy in self.plan.lazies
            for each in self._parse(class_members.code(lazy, self.plan.lazies))
        ]
        state = self.plan.state
        if state is not None:
            body, made = class_state.edit(body, state, self._quoted)
            added = self._parse(self._quoted(made))
            known = (
                class_state.method_with_state(body, state.called) if state.getstate in _OWN else ""
            )
            if known:
                body = _with_members(body, added, known)
            else:
                members += added
        body = _with_members(body, members, self.plan.after)
        return updated_node.with_deep_changes(updated_node.body, body=body)

    def _quoted(self, text: str) -> str:
        """Quote strings as this file mostly does; name attributes in them by their keys."""
        return classes.quoted(self.module, self._keyed(text))

    def _place(self, block: _Block, old: cst.CSTNode, new: cst.CSTNode) -> None:
        exchange = self.statements.get(old)
        inserts = self.inserts.get(old, [])
        for insert in inserts:
            if insert.before:
                block.add(self._parse(insert.text))
        if old in self.begins:
            block.add(self._parse(self.begins[old].before))
            block.begin()
            block.add(self._parse(self.begins[old].inside))
        if exchange is None:
            block.keep(new)
        else:
            block.exchange(new, self._parse(exchange.becomes), exchange.takes_comments)
        for insert in inserts:
            if not insert.before:
                text = insert.text
                block.add(self._parse(self._quoted(text) if ".__dict__" in text else text))
        if old in self.ends:
            within = self.ends[old]
            for head in reversed(within.heads.split("\n")):
                (whole,) = self._parse(f"with {head}:\n    pass")
                assert isinstance(whole, cst.With)
                block.enclose(whole, self.module.default_indent)

    def _parse(self, text: str) -> list[cst.BaseStatement]:
        return parse(self._as_written(text), self.module)

    def _as_written(self, text: str) -> str:
        for dotted, written in self.written.items():
            text = text.replace(dotted, written)
        return self._keyed(text)

    def _keyed(self, text: str) -> str:
        for name, key in self.keys.items():
            text = re.sub(rf"(?<=[\"']){re.escape(name)}(?=[\"'])", key, text)
        return text


def _with_members(
    body: list[cst.BaseStatement], members: Sequence[cst.BaseStatement], after: str
) -> list[cst.BaseStatement]:
    """Put members below the method `after`."""
    if not members:
        return body
    index = class_members.index_below(body, after)
    members = [class_members.spaced(each) for each in members]
    if index == 0 or _ends_blank(body[index - 1]):
        members[0] = members[0].with_changes(leading_lines=[])
    rest = body[index:]
    if rest and class_members.is_member(rest[0]):
        rest[0] = class_members.spaced(rest[0])
    return [*body[:index], *members, *rest]


def _ends_blank(statement: cst.BaseStatement) -> bool:
    """Return whether blank lines that are indented stand below a statement: they are part of it."""
    block = statement.body if isinstance(statement, cst.FunctionDef) else None
    footer = block.footer if isinstance(block, cst.IndentedBlock) else []
    return bool(footer) and not footer[-1].comment


def _blanks_below(statement: cst.CSTNode) -> list[cst.EmptyLine]:
    """Return the blank lines that stand, indented, below the last line of a statement and are part of it."""
    found: list[cst.EmptyLine] = []
    block = _last_block(statement)
    while isinstance(block, cst.IndentedBlock):
        found = [cst.EmptyLine(indent=False) for each in block.footer if not each.comment] + found
        block = _last_block(block.body[-1])
    return found


def _last_block(statement: cst.CSTNode) -> cst.CSTNode | None:
    """Return the block that a compound statement ends in."""
    for part in ("finalbody", "orelse", "handlers", "body"):
        last = getattr(statement, part, None)
        if part == "handlers" and last:
            last = last[-1]
        if isinstance(last, (cst.If, cst.Else, cst.Finally, cst.ExceptHandler)):
            return _last_block(last)
        if isinstance(last, cst.IndentedBlock):
            return last
    return None


class _Block:
    """The statements of a block in the making; comments of a removed one fall to the next."""

    def __init__(self) -> None:
        self.body: list[cst.BaseStatement] = []
        self.pending: list[cst.EmptyLine] = []
        self.blanks: list[cst.EmptyLine] = []  # that stood, indented, below the last statement
        self.is_first_gone = False
        self.inside = 0

    def keep(self, statement: cst.CSTNode) -> None:
        assert isinstance(statement, _STATEMENTS)
        lines = [*self.blanks, *statement.leading_lines]
        self.blanks = []
        self.body.append(self._with_pending(statement, lines))

    def exchange(
        self, old: cst.CSTNode, new: Sequence[cst.BaseStatement], takes_comments: bool
    ) -> None:
        assert isinstance(old, _STATEMENTS)
        lines = _without_comments(old.leading_lines) if takes_comments else [*old.leading_lines]
        if not new:
            self.is_first_gone |= not self.body
            beside = [] if takes_comments else _comment_beside(old)
            lines = [*lines, *beside]
            self.pending += lines if self.body or any(line.comment for line in lines) else []
            return
        first, *others = new
        assert isinstance(first, _STATEMENTS)
        first = self._with_pending(first, [*self.blanks, *lines, *first.leading_lines])
        self.blanks = _blanks_below(old)
        if not others and not takes_comments:
            first = _with_comment_beside(first, old)
        self.body += [first, *others]

    def add(self, statements: Sequence[cst.BaseStatement]) -> None:
        self.body += statements

    def begin(self) -> None:
        """Remember where the statements of a `with` begin."""
        self.inside = len(self.body)

    def enclose(self, whole: cst.With, step: str) -> None:
        """Put the statements since then into a `with`."""
        if not self.body[self.inside :]:
            return
        first, *others = (each.visit(blocks.Deeper(step)) for each in self.body[self.inside :])
        assert isinstance(first, _STATEMENTS)
        blanks = [line for line in first.leading_lines if not line.comment]
        comments = [line for line in first.leading_lines if line.comment]
        body = [first.with_changes(leading_lines=comments), *others]
        whole = whole.with_changes(leading_lines=blanks)
        self.body[self.inside :] = [whole.with_deep_changes(whole.body, body=body)]

    @property
    def is_empty(self) -> bool:
        """Whether not even a comment is left."""
        return not self.body and not any(line.comment for line in self.pending)

    def into(self, block: cst.IndentedBlock) -> cst.IndentedBlock:
        if not self.body:
            self.body = [cst.parse_statement("pass")]
        comments = [line for line in self.pending if line.comment]
        footer = [*self.blanks, *comments, *block.footer]
        return block.with_changes(body=self.body, footer=footer)

    def _with_pending(
        self, statement: cst.CSTNode, lines: list[cst.EmptyLine]
    ) -> cst.BaseStatement:
        pending, self.pending = self.pending, []
        if not self.body and self.is_first_gone:
            lines = _without_blanks_first([*pending, *lines])
        elif any(line.comment for line in pending) or not lines or lines[0].comment:
            lines = pending + lines
        return statement.with_changes(leading_lines=lines)  # type: ignore[return-value]


def parse(text: str, module: cst.Module) -> list[cst.BaseStatement]:
    """Parse statements as this file indents and ends its lines."""
    if not text:
        return []
    lines = text.replace("\n", module.default_newline)
    parsed = cst.parse_module(lines + module.default_newline, module.config_for_parsing)
    if parsed.header and parsed.body:
        first = parsed.body[0]
        assert isinstance(first, _STATEMENTS)
        leading = [*parsed.header, *first.leading_lines]
        return [first.with_changes(leading_lines=leading), *parsed.body[1:]]
    return list(parsed.body)


def _expression(text: str, module: cst.Module) -> cst.BaseExpression:
    return cst.parse_expression(text, module.config_for_parsing)


def _without_comments(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Take away the comments right above a statement."""
    kept = list(lines)
    while kept and kept[-1].comment:
        kept.pop()
    return kept


def _without_blanks_first(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    kept = list(lines)
    while kept and not kept[0].comment:
        kept.pop(0)
    return kept


def _comment_beside(old: cst.CSTNode) -> list[cst.EmptyLine]:
    """Return the comment at the end of a statement's line as a line of its own."""
    if isinstance(old, cst.SimpleStatementLine) and old.trailing_whitespace.comment:
        return [cst.EmptyLine(comment=old.trailing_whitespace.comment)]
    return []


def _with_comment_beside(new: cst.BaseStatement, old: cst.CSTNode) -> cst.BaseStatement:
    if not isinstance(new, cst.SimpleStatementLine) or not isinstance(old, cst.SimpleStatementLine):
        return new
    if new.trailing_whitespace.comment:
        return new
    return new.with_changes(trailing_whitespace=old.trailing_whitespace)
