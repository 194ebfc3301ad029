"""Move what opens an attribute out of the method that opens it, into a body of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dlfix.fixing.classes.closing import asks, is_closer
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.plans import Exchange, Insert
from dlfix.fixing.classes.text import comments_of, indented, names_in, render, shifted
from dlfix.project.module import Module

INDENT = "    "
LOGGING = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log"}
SQL_SETTINGS = ("PRAGMA", "SET ", "ATTACH", "LOAD", "INSTALL", "CREATE TEMP")
SQL_READS = ("SELECT", "WITH", "EXPLAIN", "SHOW", "DESCRIBE", "VALUES", "FROM")
PURE = (
    ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare,
    ast.IfExp, ast.Tuple, ast.List, ast.Dict, ast.Subscript, ast.JoinedStr, ast.FormattedValue,
    ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.Slice,
)  # fmt: skip


class Refusal(Exception):
    """Why something cannot be moved: one clause."""


@dataclass(frozen=True)
class Handle:
    """An attribute to be made lazy, and what is known of what it holds."""

    attribute: str
    site: StoreSite
    close: str = ""
    configure: tuple[str, ...] = ()
    position: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    iterates: bool = False
    closed_by_parent: bool = False
    reads_on: bool = True  # made of another handle, it goes on reading where that one stands
    inherited: bool = False  # a forked process may go on using its parent's
    opens: bool = True  # it is opened from data; False where it hangs from another handle
    type: str = ""
    name: str = ""  # the constructor's dotted name
    error: str = ""
    container: str = ""  # "list" or "dict" where the attribute holds several handles


@dataclass
class Moved:
    """What a method's openings become."""

    bodies: dict[str, str] = field(default_factory=dict)
    branching: set[str] = field(default_factory=set)  # bodies with several ways out
    exchanges: list[Exchange] = field(default_factory=list)
    inserts: list[Insert] = field(default_factory=list)
    gone: set[ast.stmt] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)  # local name -> attribute made for it


class Mover:
    """Works out, for the handles that one method opens, their bodies and what stays behind."""

    def __init__(
        self,
        facts: ClassFacts,
        method: Method,
        handles: Mapping[str, Handle],
        kept_by_bases: frozenset[str] = frozenset(),
        set_elsewhere: frozenset[str] = frozenset(),
    ) -> None:
        self.kept_by_bases = kept_by_bases
        self.set_elsewhere = set_elsewhere  # attributes that may be others once it is opened
        self.facts = facts
        self.module = facts.module
        self.method = method
        self.me = self_name(method)
        self.handles = handles
        self.scope = self.module.inner_scope(method)
        self.moved = Moved()
        self.alias: dict[str, str] = {}  # local name -> attribute it stands for
        self.definitions: dict[str, ast.stmt] = {}  # attribute -> where its value is made
        self.walrus: dict[str, ast.NamedExpr] = {}
        self.steps: dict[str, list[ast.stmt]] = {}  # attribute -> what makes its value, in order
        self.saves: dict[str, list[str]] = {}  # attribute -> statements to keep values
        self.taken_locals: set[ast.stmt] = set()
        self.unpacked: set[ast.stmt] = set()  # what is moved with all its targets
        self.bound_around: set[str] = set()  # names bound by a `with` that moves along

    def run(self, leading: Mapping[str, str]) -> Moved:
        """Move all handles; `leading` are statements to put where each was opened."""
        for attribute, handle in self.handles.items():
            self._find_alias(attribute, handle)
        settings = {name: self._settings(name) for name in self.handles}
        for name, statements in settings.items():
            self.moved.gone.update(statements)
            self.moved.gone.add(self.handles[name].site.statement)
            self.moved.gone.update([self.definitions[name], *self.steps.get(name, [])])
        for name, handle in self.handles.items():
            self.moved.bodies[name] = self._body(name, handle, settings[name])
        for name in self.handles:
            self._leave(name, settings[name], leading.get(name, ""))
        return self.moved

    def opening(self, attribute: str) -> str:
        """Return the body that opens one attribute alone."""
        self._find_alias(attribute, self.handles[attribute])
        self.moved.gone.add(self.definitions[attribute])
        body = self._body(attribute, self.handles[attribute], [])
        return "\n".join([*self.saves.get(f"import {attribute}", []), body])

    def expression(self, attribute: str) -> tuple[list[str], list[str]]:
        """Return statements that set an attribute anew, and what must be kept for them."""
        self._find_alias(attribute, self.handles[attribute])
        value = self.value_of(attribute)
        if isinstance(value, ast.Name) and self._is_parameter(value.id):
            raise Refusal(f"it is passed in at {self.facts.line(value)}")
        before = len(self.saves.get(attribute, []))
        text = self._text(attribute, value)
        settings = self._settings_left(attribute)
        imports = self.saves.get(f"import {attribute}", [])
        lines = [*imports, f"self.{attribute} = {text}", *settings]
        return lines, self.saves.get(attribute, [])[before:]

    def _settings_left(self, attribute: str) -> list[str]:
        """Return the statements that set up an attribute once it is made: they run anew as well."""
        handle = self.handles[attribute]
        lines = []
        for statement in self._later(handle.site.statement):
            one_by_one = self._sets_up_items(statement, attribute)
            if not one_by_one and not self._configures(statement, attribute, handle):
                continue
            if self._compounds(statement):
                raise Refusal(f"it is set up on conditions at {self.facts.line(statement)}")
            lines.append(self._text(attribute, statement))
        return lines

    def _sets_up_items(self, statement: ast.stmt, attribute: str) -> bool:
        """Tell whether a loop over what an attribute holds only calls methods of each."""
        if not isinstance(statement, ast.For) or statement.orelse:
            return False
        if not any(self._stands_for(each, attribute) for each in ast.walk(statement.iter)):
            return False
        names = names_in([statement.target])
        for each in statement.body:
            match each:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                    if name in names:
                        continue
            return False
        return True

    def rendered(self, attribute: str, node: ast.expr, changes: Mapping[ast.AST, str]) -> str:
        """Return a node's text in the body of `attribute`, some parts exchanged besides."""
        return self._text(attribute, node, more=changes)

    def statement(self, attribute: str, node: ast.stmt, local: str) -> str:
        """Return a statement that fills `attribute`, held under a local name meanwhile."""
        value = self.handles[attribute].site.value
        if isinstance(value, ast.Name):
            self.alias[value.id] = attribute
        self.bound_around = {
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        return self._text(attribute, node, local)

    def also(self, handles: Mapping[str, Handle]) -> None:
        """Know the local names of handles that another mover moves."""
        for name, handle in handles.items():
            if name not in self.handles:
                self._find_alias(name, handle)

    def _is_parameter(self, name: str) -> bool:
        return any(each.kind == "parameter" for each in self.scope.bindings.get(name, []))

    # -- where the value is made

    def _find_alias(self, attribute: str, handle: Handle) -> None:
        site = handle.site
        self.definitions[attribute] = site.statement
        if isinstance(site.statement, ast.Assign):
            for target in site.statement.targets:
                if isinstance(target, ast.Name):
                    self.alias[target.id] = attribute
        if isinstance(site.value, ast.Name):
            self._follow_local(attribute, site.value)

    def _follow_local(self, attribute: str, name: ast.Name) -> None:
        bindings = self.scope.bindings.get(name.id, [])
        if len(bindings) != 1:
            if bindings:
                self._follow_steps(attribute, name)
            return
        binding = bindings[0]
        if binding.kind == "parameter":
            return
        if binding.kind == "walrus":
            parent = self.module.parent(binding.node)
            walrus = binding.node if isinstance(binding.node, ast.NamedExpr) else parent
            assert isinstance(walrus, ast.NamedExpr)
            self.walrus[attribute] = walrus
            self.definitions[attribute] = self.module.statement(walrus)
        elif binding.kind in ("assign", "annotated") and not binding.path:
            assert isinstance(binding.statement, ast.stmt)
            self.definitions[attribute] = binding.statement
        else:
            return
        self.alias[name.id] = attribute

    def _follow_steps(self, attribute: str, name: ast.Name) -> None:
        """Take all statements that bind a local name, one after the other, for one making."""
        body, site = self.method.body, self.handles[attribute].site.statement
        binding = [each.statement for each in self.scope.bindings[name.id]]
        before = body[: body.index(site)] if site in body else []
        steps = [each for each in before if name.id in names_in([each])]
        inside = {inner for each in steps for inner in ast.walk(each)}
        if (
            not steps
            or not isinstance(steps[0], ast.Assign)
            or not inside.issuperset(binding)
            or not all(_only_binds(each, name.id) for each in steps)
        ):
            raise Refusal(f"`{name.id}` is bound more than once before it is kept")
        self.steps[attribute] = steps
        self.definitions[attribute] = steps[0]
        self.alias[name.id] = attribute

    def value_of(self, attribute: str) -> ast.expr:
        """Return the expression that makes an attribute's value."""
        if attribute in self.walrus:
            return self.walrus[attribute].value
        definition = self.definitions[attribute]
        site = self.handles[attribute].site
        if definition is not site.statement:
            value = getattr(definition, "value", None)
        else:
            value = site.value
        if not isinstance(value, ast.expr):
            raise Refusal(f"the value kept at {self.facts.line(site.statement)} cannot be named")
        return value

    # -- statements that configure it

    def _settings(self, attribute: str) -> list[ast.stmt]:
        handle = self.handles[attribute]
        return self.settings_of(handle, self.definitions[attribute])

    def settings_of(self, handle: Handle, *definitions: ast.stmt) -> list[ast.stmt]:
        """Return the statements that configure a handle once it is open, in order."""
        return [
            statement
            for statement in self._later(handle.site.statement, *definitions)
            if self._configures(statement, handle.attribute, handle)
        ]

    def _later(self, *opened: ast.stmt) -> list[ast.stmt]:
        row = min(each.lineno for each in opened)
        return [
            each
            for each in self._statements(self.method.body)
            if each.lineno > row and each not in opened
        ]

    def _statements(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of a block, and those in compound ones that move in parts."""
        for statement in block:
            yield statement
            if not _is_compound_setting(statement, self._is_leaf):
                for part in ("body", "orelse", "finalbody"):
                    if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                        yield from self._statements(getattr(statement, part, []))

    def _is_leaf(self, statement: ast.stmt) -> bool:
        return any(
            self._configures_simply(statement, name, handle)
            for name, handle in self.handles.items()
        )

    def _configures(self, statement: ast.stmt, attribute: str, handle: Handle) -> bool:
        if _is_compound_setting(statement, self._is_leaf):
            return any(
                self._configures_simply(each, attribute, handle)
                for each in ast.walk(statement)
                if isinstance(each, ast.stmt)
            )
        return self._configures_simply(statement, attribute, handle)

    def _configures_simply(self, statement: ast.stmt, attribute: str, handle: Handle) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=receiver)]):
                return self._stands_for(receiver, attribute)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=name)) as call):
                if not self._stands_for(receiver, attribute):
                    return False
                return self._is_setting(call, name, handle)
        return False

    def _is_setting(self, call: ast.Call, name: str, handle: Handle) -> bool:
        if name in LOGGING or name == handle.close or name in ("close", "flush"):
            return False
        if name in ("execute", "executescript", "sql", "query"):
            return self._is_sql_setting(call)
        if name in handle.write:
            raise Refusal(f"it is written to at {self.facts.line(call)}")
        if name == "enter_context":
            raise Refusal(f"what it closes is opened apart from it ({self.facts.line(call)})")
        return name not in handle.position

    def _is_sql_setting(self, call: ast.Call) -> bool:
        sql = sql_of(self.module, call)
        if sql.startswith(SQL_SETTINGS):
            return True
        if sql and not sql.startswith(SQL_READS):
            raise Refusal(f"it is written to at {self.facts.line(call)}")
        return False

    def _stands_for(self, node: ast.AST, attribute: str) -> bool:
        if is_self_attribute(node, self.me):
            return bool(node.attr == attribute)
        return isinstance(node, ast.Name) and self.alias.get(node.id) == attribute

    # -- the body

    def _body(self, attribute: str, handle: Handle, settings: Sequence[ast.stmt]) -> str:
        if attribute in self.steps:
            return self._stepwise(attribute, [*self.steps[attribute], *settings])
        value = self.value_of(attribute)
        compounds = self._compounds(self.definitions[attribute])
        withs = [each for each in compounds if isinstance(each, (ast.With, ast.AsyncWith))]
        self.bound_around = _bound_within(ast.Module([*withs], [])) if withs else set()
        self._refuse_entered(value)
        docs = self._comments(attribute, settings)
        moves = [value, *settings, *(each.test for each in compounds if isinstance(each, ast.If))]
        moves += [item.context_expr for each in withs for item in each.items]
        before = self._locals_first(attribute, moves)
        if self._branches(attribute, compounds):
            self.moved.branching.add(attribute)
            return "\n".join([*before, *self._branching(attribute, compounds, docs)])
        return "\n".join([*before, self._wrapped(attribute, compounds, value, settings, docs)])

    def _stepwise(self, attribute: str, steps: Sequence[ast.stmt]) -> str:
        """Return a body that makes a value in several statements."""
        local = next(name for name, alias in self.alias.items() if alias == attribute)
        parts = self._locals_first(attribute, steps)
        for step in steps:
            above, beside = comments_of(self.module, step)
            text = self._text(attribute, step, local)
            parts += [*above, f"{text}  {beside}" if beside else text]
        above, beside = comments_of(self.module, self.handles[attribute].site.statement)
        returned = f"return {local}"
        return "\n".join([*parts, *above, f"{returned}  {beside}" if beside else returned])

    def _refuse_entered(self, value: ast.expr) -> None:
        """Refuse what the end of a `with` closes."""
        for each in ast.walk(value):
            match each:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="enter_context")):
                    if name in self.bound_around:
                        raise Refusal(f"`{name}` closes it again ({self.facts.line(each)})")

    def _wrapped(
        self,
        attribute: str,
        compounds: Sequence[ast.stmt],
        value: ast.expr,
        settings: Sequence[ast.stmt],
        docs: Sequence[str],
    ) -> str:
        tried = next((each for each in compounds if isinstance(each, ast.Try)), None)
        if len(compounds) == 1 and tried is not None:
            later = [each for each in settings if not self._within(each, set(tried.body))]
            if later and all(_only_raises(each.body) for each in tried.handlers):
                return self._set_up_later(attribute, tried, value, settings, later, docs)
        text = "\n".join([*docs, self._opened(attribute, value, settings)])
        for compound in compounds:
            if isinstance(compound, (ast.With, ast.AsyncWith)):
                items = ", ".join(self._with_item(attribute, each) for each in compound.items)
                text = f"with {items}:\n" + indented(text, INDENT)
                self.moved.branching.add(attribute)
            elif isinstance(compound, ast.Try):
                text = self._tried(attribute, compound, text)
                self.moved.branching.add(attribute)
        return text

    def _set_up_later(
        self,
        attribute: str,
        compound: ast.Try,
        value: ast.expr,
        settings: Sequence[ast.stmt],
        later: Sequence[ast.stmt],
        docs: Sequence[str],
    ) -> str:
        """Open within a `try`, and set up below it what was set up there."""
        parts = self._opened_parts(attribute, value, settings)
        inside = 1 + len(settings) - len(later)
        text = self._tried(attribute, compound, "\n".join([*docs, *parts[:inside]]))
        return "\n".join([text, *parts[inside:]])

    def _with_item(self, attribute: str, item: ast.withitem) -> str:
        text = self._text(attribute, item.context_expr)
        if item.optional_vars is None:
            return text
        return f"{text} as {self.module.segment(item.optional_vars)}"

    def _tried(self, attribute: str, compound: ast.Try, text: str) -> str:
        if compound.finalbody or not self.moved.gone.issuperset(compound.orelse):
            raise Refusal(f"it is opened in a `try` with more parts at {self.facts.line(compound)}")
        returned: dict[ast.AST, str] = {}
        for handler in compound.handlers:
            returned.update(self._returned_instead(attribute, handler))
            given = {inner for each in returned for inner in ast.walk(each)}
            if any(
                isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
                for each in ast.walk(handler)
                if each not in given
            ):
                raise Refusal(
                    f"what happens when it cannot be opened sets more ({self.facts.line(handler)})"
                )
        handlers = [self._text(attribute, each, more=returned) for each in compound.handlers]
        return "\n".join(["try:", indented(text, INDENT), *handlers])

    def _returned_instead(
        self, attribute: str, handler: ast.ExceptHandler
    ) -> Iterator[tuple[ast.AST, str]]:
        """Yield the last statement of a handler as a `return`, where it sets the attribute itself."""
        last = handler.body[-1]
        for site in self.facts.stores[attribute]:
            if site.statement is last and site.value is not None:
                self.moved.gone.add(last)
                yield last, f"return {self._text(attribute, site.value)}"

    def _opened(self, attribute: str, value: ast.expr, settings: Sequence[ast.stmt]) -> str:
        if settings:
            return "\n".join(self._opened_parts(attribute, value, settings))
        begin = self.module.span(value).start.column - self._indent_of(value)
        return self._returned(attribute, value, self._text(attribute, value), begin)

    def _opened_parts(
        self, attribute: str, value: ast.expr, settings: Sequence[ast.stmt]
    ) -> list[str]:
        """Return what opens a handle, what sets it up, and the `return`."""
        begin = self.module.span(value).start.column
        base = self._indent_of(value)
        text = self._text(attribute, value)
        local = self._local_for(attribute, [value, *settings])
        parts = [f"{local} = " + shifted(text, len(local) + 3 - (begin - base), begin - base)]
        for statement in settings:
            above, beside = comments_of(self.module, statement)
            setting = self._text(attribute, statement, local)
            parts.append("\n".join([*above, f"{setting}  {beside}" if beside else setting]))
        return [*parts, f"return {local}"]

    def _returned(self, attribute: str, value: ast.expr, text: str, column: int) -> str:
        beside = comments_of(self.module, self.definitions[attribute])[1]
        if attribute in self.walrus:
            beside = ""
        returned = "return " + shifted(text, len("return ") - column, column)
        return f"{returned}  {beside}" if beside else returned

    def _indent_of(self, node: ast.AST) -> int:
        line = self.module.lines[_place(node)[0] - 1]
        return len(line) - len(line.lstrip())

    def _comments(self, attribute: str, settings: Sequence[ast.stmt]) -> list[str]:
        if attribute in self.walrus:
            return []
        definition = self.definitions[attribute]
        above, beside = comments_of(self.module, definition)
        site = self.handles[attribute].site.statement
        if site is not definition:
            more, end = comments_of(self.module, site)
            above += [*more, end] if end else more
        return [*above, beside] if settings and beside else above

    def _local_for(self, attribute: str, nodes: Sequence[ast.AST]) -> str:
        for name, alias in self.alias.items():
            if alias == attribute:
                return name
        name = attribute.lstrip("_")
        used = names_in(nodes) | set(self.module.scope.bindings)
        return name if name.isidentifier() and name not in used else "opened"

    # -- branches

    def _compounds(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the compound statements a statement of the method stands in, innermost first."""
        found = []
        for each in self.module.ancestors(statement):
            if each is self.method:
                break
            if isinstance(each, (ast.For, ast.AsyncFor, ast.While, ast.Match)):
                raise Refusal(f"it is opened in a loop at {self.facts.line(each)}")
            if isinstance(each, ast.ExceptHandler):
                raise Refusal(f"it is opened after an error at {self.facts.line(each)}")
            if isinstance(each, ast.stmt) and not self._is_beyond_errors(each, statement):
                found.append(each)
        return found

    def _is_beyond_errors(self, compound: ast.stmt, statement: ast.stmt) -> bool:
        """Tell whether a statement stands in an `else` that is reached unless there is an error."""
        if not isinstance(compound, ast.Try) or not self._within(statement, set(compound.orelse)):
            return False
        if compound.finalbody or not all(_only_raises(each.body) for each in compound.handlers):
            where = self.facts.line(compound.orelse[0])
            raise Refusal(f"it is opened where a `try` before it went well ({where})")
        return True

    def _branches(self, attribute: str, compounds: Sequence[ast.stmt]) -> bool:
        if not any(isinstance(each, ast.If) for each in compounds):
            return False
        others = [
            site
            for site in self.facts.stores[attribute]
            if site.statement is not self.handles[attribute].site.statement
            and site.method.name in self.facts.started
        ]
        return bool(others) or self._is_asked_for(attribute)

    def _is_asked_for(self, attribute: str) -> bool:
        """Tell whether a method asks if the attribute is there at all: it must not always be."""
        return any(
            asks(node, self_name(method), attribute)
            for method in self.facts.all_methods
            if not is_closer(method)
            for node in ast.walk(method)
        )

    def _branching(
        self, attribute: str, compounds: Sequence[ast.stmt], docs: Sequence[str]
    ) -> list[str]:
        outer = compounds[-1]
        pruned = self._pruned(attribute, outer)
        self.taken_locals.add(outer)
        lines = [*docs, pruned]
        if not _always_returns(pruned):
            asked = self._is_asked_for(attribute)
            lines.append(f'raise AttributeError("{attribute}")' if asked else "return None")
        return lines

    def _pruned(self, attribute: str, statement: ast.stmt) -> str:
        """Return a compound statement with what opens `attribute` alone, each time a `return`."""
        if not isinstance(statement, ast.If):
            return self._pruned_store(attribute, statement)
        if not any(site.statement in ast.walk(statement) for site in self.facts.stores[attribute]):
            return ""
        text = f"if {self._text(attribute, statement.test)}:\n"
        body = self._pruned_block(attribute, statement.body)
        rest = self._pruned_block(attribute, statement.orelse)
        if body and not rest and _only_raises(statement.orelse):
            return body
        text += indented(body or "return None", INDENT)
        if rest.startswith("if ") and len(statement.orelse) == 1:
            return text + "\nel" + rest
        return text + "\n" + rest if rest else text

    def _pruned_block(self, attribute: str, block: Sequence[ast.stmt]) -> str:
        parts: list[str] = []
        for each in block:
            part = self._pruned(attribute, each)
            if part and parts and _always_returns("\n".join(parts)):
                raise Refusal(f"`{attribute}` is set again at {self.facts.line(each)}")
            parts += [part] if part else []
        return "\n".join(parts)

    def _pruned_store(self, attribute: str, statement: ast.stmt) -> str:
        for site in self.facts.stores[attribute]:
            if site.statement is statement:
                if site.value is None:
                    raise Refusal(f"the value kept at {self.facts.line(statement)} cannot be named")
                self.moved.gone.add(statement)
                begin = self.module.span(site.value).start.column - self._indent_of(site.value)
                text = shifted(self._text(attribute, site.value), 7 - begin, begin)
                self._exchange(
                    statement, "\n".join(self._saved_inside(attribute, statement)), False
                )
                return "return " + text
        moving = any(
            isinstance(each, ast.stmt) and each in self.moved.gone for each in ast.walk(statement)
        )
        if moving and self._mentions(statement, attribute):
            where = self.facts.line(statement)
            raise Refusal(f"it is opened and set up within branches at {where}")
        return ""

    def _saved_inside(self, attribute: str, statement: ast.stmt) -> list[str]:
        """Take, of what must be kept, what only a branch around a statement has a value for."""
        compounds = self._compounds(statement)
        inside = [
            save
            for save in self.saves.get(attribute, [])
            if any(self._is_bound_in(save.rpartition(" = ")[2], each) for each in compounds)
        ]
        self.saves[attribute] = [
            each for each in self.saves.get(attribute, []) if each not in inside
        ]
        return inside

    def _is_bound_in(self, name: str, compound: ast.stmt) -> bool:
        return any(
            self._within(each.statement, {compound}) for each in self.scope.bindings.get(name, [])
        )

    def _mentions(self, node: ast.AST, attribute: str) -> bool:
        return any(
            is_self_attribute(each, self.me) and each.attr == attribute for each in ast.walk(node)
        )

    # -- local values

    def _locals_first(self, attribute: str, nodes: Sequence[ast.AST]) -> list[str]:
        """Return the local statements that move along, in order."""
        found: list[ast.stmt] = []
        todo = list(nodes)
        seen: set[str] = set()
        while todo:
            for name in self._free_locals(todo.pop(0)):
                statement = None if name in seen else self._movable(name)
                seen.add(name)
                if statement is not None and statement not in found:
                    found.append(statement)
                    self.moved.gone.add(statement)
                    todo += [
                        each
                        for each in ast.iter_child_nodes(statement)
                        if isinstance(each, ast.expr)
                    ]
        found.sort(key=lambda each: each.lineno)
        return [self._moved_local(attribute, each) for each in found]

    def _moved_local(self, attribute: str, statement: ast.stmt) -> str:
        self._exchange(statement, "", takes_comments=True)
        above, beside = comments_of(self.module, statement)
        text = self._text(attribute, statement)
        return "\n".join([*above, f"{text}  {beside}" if beside else text])

    def _free_locals(self, node: ast.AST) -> list[str]:
        bound = _bound_within(node) | self.bound_around
        return [
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Load)
            and each.id in self.scope.bindings
            and each.id not in bound
            and each.id != self.me
            and each.id not in self.alias
        ]

    def _movable(self, name: str) -> ast.stmt | None:
        """Return the statement that makes a local value which nothing else needs."""
        bindings = self.scope.bindings[name]
        if len(bindings) != 1 or bindings[0].kind not in ("assign", "annotated", "import"):
            return None
        statement = bindings[0].statement
        if not isinstance(statement, ast.stmt) or self._compounds(statement):
            return None
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return None
        value = getattr(statement, "value", None)
        if value is None or not all(
            isinstance(each, ast.Name) for each in _flat_targets(statement)
        ):
            return None
        if not self._used_here_only(statement):
            return None
        return statement if _is_pure(value) or _is_client(value) else None

    def _used_here_only(self, statement: ast.stmt) -> bool:
        """Tell whether what a statement binds is read in statements that move alone."""
        names = _target_names(statement)
        moving = self.moved.gone | set(self.definitions.values())
        return all(
            self._within(node, moving)
            for node in ast.walk(self.method)
            if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
        )

    def _within(self, node: ast.AST, statements: set[ast.stmt]) -> bool:
        walrus = set(self.walrus.values())
        for each in (node, *self.module.ancestors(node)):
            if each in walrus:
                return True
            if each in statements and not any(
                self.definitions[name] is each for name in self.walrus
            ):
                return True
        return False

    def _text(
        self,
        attribute: str,
        node: ast.AST,
        local: str = "",
        more: Mapping[ast.AST, str] | None = None,
    ) -> str:
        """Return a node's text as it reads in the body of `attribute`."""
        changes: dict[ast.AST, str] = dict(more or {})
        bound = _bound_within(node) | self.bound_around
        given = {inner for each in changes for inner in ast.walk(each)}
        for each in sorted(ast.walk(node), key=_place):
            if each in given:
                continue
            if isinstance(each, ast.Name) and each.id not in bound:
                new = self._name(attribute, each, local)
                if new is not None:
                    changes[each] = new
            elif local and self._stands_for(each, attribute):
                changes[each] = local
            elif is_self_attribute(each, self.me):
                new = self._own_attribute(attribute, each)
                if new is not None:
                    changes[each] = new
        inside = {
            child
            for old in changes
            if isinstance(old, ast.Attribute)
            for child in ast.walk(old)
            if child is not old
        }
        return render(self.module, node, {k: v for k, v in changes.items() if k not in inside})

    def _name(self, attribute: str, node: ast.Name, local: str) -> str | None:
        name = node.id
        if name == self.me or name not in self.scope.bindings:
            return None
        if name in self.alias:
            if self.alias[name] == attribute:
                return local or None
            return f"{self.me}.{self.alias[name]}"
        if isinstance(node.ctx, ast.Store):
            return None
        bindings = self.scope.bindings[name]
        if bindings[0].kind == "import":
            self._carry_import(attribute, bindings[0].statement)
            return None
        if bindings[0].kind in ("def", "class"):
            raise Refusal(f"it is opened by `{name}`, local to `{self.method.name}`")
        if any(
            isinstance(each.statement, ast.stmt) and each.statement in self.moved.gone
            for each in bindings
        ):
            return None
        return self.keep(attribute, name)

    def _carry_import(self, attribute: str, statement: ast.AST) -> None:
        text = self.module.segment(statement)
        imports = self.saves.setdefault(f"import {attribute}", [])
        beside = comments_of(self.module, statement)[1]  # type: ignore[arg-type]
        line = f"{text}  {beside}" if beside else text
        if line not in imports:
            imports.append(line)
        assert isinstance(statement, ast.stmt)
        if not self._compounds(statement) and self._imports_here_only(statement):
            self.moved.gone.add(statement)
            self._exchange(statement, "", takes_comments=True)

    def _imports_here_only(self, statement: ast.stmt) -> bool:
        names = {
            name for name, found in self.scope.bindings.items() if found[0].statement is statement
        }
        moving = self.moved.gone | set(self.definitions.values())
        return all(
            self._within(node, moving)
            for node in ast.walk(self.method)
            if isinstance(node, ast.Name) and node.id in names
        )

    def keep(self, attribute: str, name: str) -> str:
        """See that a local value is kept on the instance; return how the body reads it."""
        known = self._kept_already(name)
        if known is not None:
            self._keep_in_time(attribute, known)
        known = known or self._kept_by_base(name)
        if known is None:
            known = self.moved.kept.get(name) or self._new_attribute(name)
            if name not in self.moved.kept:
                self.moved.kept[name] = known
                self.saves.setdefault(attribute, []).append(f"{self.me}.{known} = {name}")
        return f"{self.me}.{known}"

    def _kept_already(self, name: str) -> str | None:
        """Return the attribute a parameter is stored as, if neither is bound again."""
        if len(self.scope.bindings[name]) != 1:
            return None
        for attribute, sites in self.facts.stores.items():
            site = sites[0]
            if len(sites) != 1 or site.method is not self.method or self._compounds(site.statement):
                continue
            if attribute in self.set_elsewhere:
                continue
            if isinstance(site.value, ast.Name) and site.value.id == name:
                return attribute
        return self._kept_by_caller(name)

    def _keep_in_time(self, attribute: str, known: str) -> None:
        """Store a parameter where the handle was opened, if the handle is used before it is stored."""
        statement = self.facts.stores[known][0].statement
        opened = self.definitions.get(attribute)
        if opened is None or statement in self.moved.gone or statement not in self.method.body:
            return
        rows = range(opened.lineno, statement.lineno)
        if any(node.lineno in rows for node in self._runs()):
            above, beside = comments_of(self.module, statement)
            text = self.module.segment(statement)
            lines = [*above, f"{text}  {beside}" if beside else text]
            self.saves.setdefault(attribute, []).append("\n".join(lines))
            self.moved.gone.add(statement)
            self._exchange(statement, "", takes_comments=True)

    def _runs(self) -> Iterator[ast.expr]:
        """Yield what may open a handle in this method: reads of one, and of the methods."""
        lazy = self.handles.keys() | self.facts.methods.keys()
        for node in ast.walk(self.method):
            if is_self_attribute(node, self.me) and isinstance(node.ctx, ast.Load):
                if node.attr in lazy:
                    yield node
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                whole = node.id == self.me and not is_self_attribute(
                    self.module.parent(node), self.me
                )
                if whole or node.id in self.alias:
                    yield node

    def _kept_by_caller(self, name: str) -> str | None:
        """Return the attribute as which the only caller, a constructor, stores an argument before."""
        calls = self.facts.reads.get(self.method.name, [])
        if self.method.name in STARTS or len(calls) != 1 or not self._is_parameter(name):
            return None
        caller, node = calls[0]
        call = self.module.parent(node)
        passed = _passed_as(self.method, call, name) if isinstance(call, ast.Call) else None
        if caller.name not in STARTS or not isinstance(passed, ast.Name):
            return None
        bindings = self.module.inner_scope(caller).bindings.get(passed.id, [])
        if len(bindings) != 1:
            return None
        for attribute, sites in self.facts.stores.items():
            value, statement = sites[0].value, sites[0].statement
            before = statement in caller.body and statement.lineno < passed.lineno
            named = isinstance(value, ast.Name) and value.id == passed.id
            if len(sites) == 1 and before and named:
                return attribute
        return None

    def _kept_by_base(self, name: str) -> str | None:
        """Return the attribute a base class stores a parameter as, which it is handed here."""
        if len(self.scope.bindings[name]) != 1:
            return None
        for call in ast.walk(self.method):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".__init__"):
                passed = [*call.args, *(each.value for each in call.keywords)]
                if any(isinstance(each, ast.Name) and each.id == name for each in passed):
                    return name if name in self.kept_by_bases else None
        return None

    def _new_attribute(self, name: str) -> str:
        wanted = f"_{name}" if self._is_underscored() else name
        taken = self.facts.names | set(self.moved.kept.values()) | self.kept_by_bases
        if wanted.startswith("_") and wanted in taken:
            wanted = f"_{next(iter(self.handles)).lstrip('_')}{wanted}"
        while wanted in taken:
            wanted = "_" + wanted
        return wanted

    def _is_underscored(self) -> bool:
        names = [name for name in self.facts.stores if name not in self.handles]
        private = sum(name.startswith("_") for name in names)
        if not names:
            return any(name.startswith("_") for name in self.handles)
        return private * 2 > len(names)

    def _own_attribute(self, attribute: str, node: ast.AST) -> str | None:
        """Return another attribute to read where this one is bound again after the opening."""
        assert isinstance(node, ast.Attribute)
        name = node.attr
        sites = self.facts.stores.get(name, [])
        if name in self.handles or (len(sites) < 2 and name not in self.set_elsewhere):
            return None
        opened = self.handles[attribute].site.statement
        later = [each for each in sites if self._is_later(each, opened)]
        if name in self.set_elsewhere:
            later = later or sites
        if not later or self._reopens(attribute, later):
            return None
        key = f"{self.me}.{name}"
        if key not in self.moved.kept:
            self.moved.kept[key] = self._new_attribute("_" + name.lstrip("_"))
            self.saves.setdefault(attribute, []).append(f"{self.me}.{self.moved.kept[key]} = {key}")
        return f"{self.me}.{self.moved.kept[key]}"

    def _is_later(self, site: StoreSite, opened: ast.stmt) -> bool:
        if site.method is self.method:
            return site.statement.lineno > opened.lineno
        return site.method.name not in self.facts.started

    def _reopens(self, attribute: str, sites: Sequence[StoreSite]) -> bool:
        stored = {each.method for each in self.facts.stores[attribute]} - {self.method}
        return all(each.method in stored for each in sites)

    # -- what stays behind

    def _leave(self, attribute: str, settings: Sequence[ast.stmt], leading: str) -> None:
        imports = self.saves.get(f"import {attribute}", [])
        if imports:
            self.moved.bodies[attribute] = "\n".join([*imports, self.moved.bodies[attribute]])
        stay = self.saves.get(attribute, []) + ([leading] if leading else [])
        definition = self.definitions[attribute]
        site = self.handles[attribute].site.statement
        self._leave_definition(attribute, definition, stay)
        if site is not definition:
            self._exchange(site, "", takes_comments=True)
        for statement in (*settings, *self.steps.get(attribute, [])[1:]):
            self._exchange(statement, "", takes_comments=True)

    def _leave_definition(self, attribute: str, definition: ast.stmt, stay: list[str]) -> None:
        compounds = self._compounds(definition)
        if attribute in self.walrus:
            self._leave_walrus(attribute, stay)
            return
        if compounds and stay:
            inside = self._saved_inside(attribute, definition)
            stay = [each for each in stay if each not in inside]
            outer = self.module.span(compounds[-1])
            if stay:
                self.moved.inserts.append(Insert(outer, "\n".join(stay), before=True))
            stay = inside
        rest = self._remaining(attribute, definition)
        self._exchange(definition, "\n".join([*stay, *rest]), takes_comments=True)

    def _leave_walrus(self, attribute: str, stay: list[str]) -> None:
        walrus = self.walrus[attribute]
        statement = self.definitions[attribute]
        self.moved.gone.discard(statement)
        if stay:
            self.moved.inserts.append(
                Insert(self.module.span(statement), "\n".join(stay), before=True)
            )
        assert isinstance(walrus.target, ast.Name)
        read = f"{self.me}.{attribute}"
        if self._still_read(walrus.target.id):
            read = f"({walrus.target.id} := {read})"
        self.moved.exchanges.append(Exchange(self.module.span(walrus), read, "expression"))

    def _remaining(self, attribute: str, definition: ast.stmt) -> list[str]:
        """Return what a statement goes on doing once the opening has left it."""
        read = f"{self.me}.{attribute}"
        if definition in self.unpacked:
            return []
        if not isinstance(definition, ast.Assign):
            return self._alias_left(definition, read)
        lines = []
        for target in definition.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                lines += self._unpacked_rest(attribute, definition, target)
            elif isinstance(target, ast.Name):
                if self._still_read(target.id):
                    lines.append(f"{target.id} = {read}")
            elif not self._stands_for(target, attribute):
                raise Refusal(f"it is kept twice at {self.facts.line(definition)}")
        return lines

    def _alias_left(self, definition: ast.stmt, read: str) -> list[str]:
        target = getattr(definition, "target", None)
        if isinstance(target, ast.Name) and self._still_read(target.id):
            return [f"{target.id} = {read}"]
        return []

    def _unpacked_rest(
        self, attribute: str, definition: ast.Assign, targets: ast.Tuple | ast.List
    ) -> list[str]:
        values = definition.value
        if not isinstance(values, (ast.Tuple, ast.List)):
            raise Refusal(f"it is unpacked from another value at {self.facts.line(definition)}")
        lines = []
        for target, value in zip(targets.elts, values.elts, strict=True):
            if is_self_attribute(target, self.me) and target.attr in self.handles:
                continue
            lines.append(f"{self.module.segment(target)} = {self.module.segment(value)}")
        return lines if attribute == self._first_of(definition) else []

    def _first_of(self, definition: ast.stmt) -> str:
        return next(name for name in self.handles if self.definitions[name] is definition)

    def _still_read(self, name: str) -> bool:
        return any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and not self._within(node, self.moved.gone)
            for node in ast.walk(self.method)
        )

    def _exchange(self, statement: ast.stmt, becomes: str, takes_comments: bool) -> None:
        span = self.module.span(statement)
        for index, each in enumerate(self.moved.exchanges):
            if each.span == span:
                together = "\n".join(part for part in (each.becomes, becomes) if part)
                self.moved.exchanges[index] = replace(each, becomes=together)
                return
        self.moved.exchanges.append(Exchange(span, becomes, takes_comments=takes_comments))


def _passed_as(method: Method, call: ast.Call, name: str) -> ast.expr | None:
    """Return the argument that a call of a method passes for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [each.arg for each in (*method.args.posonlyargs, *method.args.args)][1:]
    position = names.index(name) if name in names else len(call.args)
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return None if starred or position >= len(call.args) else call.args[position]


def _is_compound_setting(statement: ast.stmt, is_leaf: object) -> bool:
    """Tell whether all a compound statement does is to configure a handle."""
    if not isinstance(statement, (ast.If, ast.For, ast.With)):
        return False
    blocks = [*statement.body, *getattr(statement, "orelse", [])]
    return all(is_leaf(each) or _is_compound_setting(each, is_leaf) for each in blocks)  # type: ignore[operator]


def sql_of(module: Module, call: ast.Call) -> str:
    """Return the start of the statement a call executes, empty where it is not known."""
    if not call.args:
        return ""
    node = call.args[0]
    if isinstance(node, ast.Name):
        scope = module.scope_of(node).lookup(node.id)
        found = scope.bindings.get(node.id, []) if scope is not None else []
        if len(found) != 1 or found[0].value is None or found[0].path:
            return ""
        node = found[0].value
    return _constant_start(node).lstrip().upper()


def _constant_start(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr) and node.values:
        return _constant_start(node.values[0])
    if isinstance(node, ast.BinOp):
        return _constant_start(node.left)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def _bound_within(node: ast.AST) -> set[str]:
    """Return the names that comprehensions and lambdas inside a node bind."""
    names: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.comprehension):
            names |= names_in([each.target])
        elif isinstance(each, ast.Lambda):
            arguments = each.args
            names |= {
                a.arg for a in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs)
            }
        elif isinstance(each, (ast.For, ast.AsyncFor)):
            names |= names_in([each.target])
        elif isinstance(each, ast.withitem) and each.optional_vars is not None:
            names |= names_in([each.optional_vars])
        elif isinstance(each, ast.ExceptHandler) and each.name:
            names.add(each.name)
    return names


def _only_binds(statement: ast.stmt, name: str) -> bool:
    """Tell whether all a statement does is to bind one local name."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound == name
        case ast.If():
            return all(_only_binds(each, name) for each in (*statement.body, *statement.orelse))
    return False


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _flat_targets(statement: ast.stmt) -> list[ast.expr]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    flat: list[ast.expr] = []
    for target in targets:
        flat += target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return flat


def _target_names(statement: ast.stmt) -> set[str]:
    return {each.id for each in _flat_targets(statement) if isinstance(each, ast.Name)}


def _is_pure(value: ast.expr) -> bool:
    return all(isinstance(each, PURE) or _is_path_call(each) for each in ast.walk(value)) or (
        isinstance(value, ast.Call)
        and _is_path_call(value)
        and all(_is_pure(a) for a in value.args)
    )


def _is_path_call(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    return name in ("str", "Path", "pathlib.Path", "os.fspath", "bool", "int") or name.startswith(
        "os.path.join"
    )


def _is_client(value: ast.expr) -> bool:
    """Tell whether a call makes a session: cheap, of no use but to open from, and not picklable."""
    if not isinstance(value, ast.Call):
        return False
    return ast.unparse(value.func).rpartition(".")[2].lower() in (
        "session",
        "get_session",
        "config",
        "options",
    )


def _only_raises(block: Sequence[ast.stmt]) -> bool:
    """Tell whether no instance is made where a block runs."""
    return bool(block) and isinstance(block[-1], ast.Raise)


def _always_returns(text: str) -> bool:
    function = ast.parse("def f():\n" + indented(text, INDENT)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return _ends(function.body[-1])


def _ends(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Return, ast.Raise)):
        return True
    if isinstance(statement, ast.If) and statement.orelse:
        return _ends(statement.body[-1]) and _ends(statement.orelse[-1])
    return False
