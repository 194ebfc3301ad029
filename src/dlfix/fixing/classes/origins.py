"""Where a method makes the values of attributes: at once, under a local name, in several steps."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import replace

from dlfix.fixing.classes.facts import (
    ClassFacts,
    Method,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.handles import Handle, Moved, Refusal
from dlfix.fixing.classes.plans import Exchange
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.classes.statements import only_raises
from dlfix.fixing.classes.text import comments_move, names_in


class Origins:
    """Knows what each handle is made by, and which local names stand for it."""

    def __init__(
        self,
        facts: ClassFacts,
        method: Method,
        handles: Mapping[str, Handle],
        around: Surroundings | None = None,
    ) -> None:
        around = around or Surroundings()
        self.kept_by_bases = around.kept_by_bases
        self.set_elsewhere = around.set_elsewhere  # attributes that may be others once it is opened
        self.inputs = around.inputs
        # what the attributes may be unless they are opened
        self.defaults = facts.fields.keys() | around.inherited | around.set_by_bases
        self.taken = around.taken
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
        # What is kept by a statement, and the expressions kept by branches alone: another keeps them anew.
        self.kept_parts: dict[str, tuple[str, ast.expr]] = {}
        self.kept_inside: set[str] = set()
        self.inside: list[str] = []  # the statements that a branch keeps what it opens from with
        self.evaluated: dict[ast.expr, str] = {}  # a kept part -> the attribute that keeps it
        self.remade: ast.expr | None = None  # the value that is made again and never kept
        self.taken_locals: set[ast.stmt] = set()
        self.exits: dict[str, list[ast.If]] = {}  # attribute -> what returns before it is opened
        self.given: dict[
            str, str
        ] = {}  # parameter -> what stands for it where the method is called
        self.bound_around: set[str] = set()  # names bound by a `with` that moves along

    def also(self, handles: Mapping[str, Handle]) -> None:
        """Know the local names of handles that another mover moves."""
        for name, handle in handles.items():
            if name not in self.handles:
                self._find_alias(name, handle)

    def _is_parameter(self, name: str) -> bool:
        return any(each.kind == "parameter" for each in self.scope.bindings.get(name, []))

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
            raise Refusal(f"`{name.id}` is assigned more than once before it is stored")
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
            raise Refusal(
                "the expression that creates the stored value is unknown "
                f"({self.facts.line(site.statement)})"
            )
        return value

    def _stands_for(self, node: ast.AST, attribute: str) -> bool:
        if is_self_attribute(node, self.me):
            return bool(node.attr == attribute)
        return isinstance(node, ast.Name) and self.alias.get(node.id) == attribute

    def _is_part(self, node: ast.AST | None, attribute: str) -> bool:
        """Return whether a node is what an attribute holds, or a part of that: `self.container.streams[0]`."""
        while node is not None and not self._stands_for(node, attribute):
            match node:
                case ast.Attribute() | ast.Subscript():
                    node = node.value
                case ast.Call(func=ast.Attribute(value=of, attr=method), args=[], keywords=[]):
                    node = of if method in self.handles[attribute].derived else None
                case ast.Name():
                    node = self._path_of(node)
                case _:
                    return False
        return node is not None

    def _path_of(self, name: ast.Name) -> ast.expr | None:
        """Return the attribute, the item or the cursor that a local name stands for, if it always does."""
        bindings = self.scope.bindings.get(name.id, [])
        if len(bindings) != 1 or bindings[0].path or name.id in self.alias:
            return None
        value = bindings[0].value
        paths = (ast.Attribute, ast.Subscript, ast.Call)
        return value if isinstance(value, paths) else None

    def _within(self, node: ast.AST, statements: Collection[ast.AST]) -> bool:
        walrus = set(self.walrus.values())
        for each in (node, *self.module.ancestors(node)):
            if each in walrus:
                return True
            if each in statements and not any(
                self.definitions[name] is each for name in self.walrus
            ):
                return True
        return False

    def _compounds(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the compound statements a statement of the method stands in, innermost first."""
        found = []
        for each in self.module.ancestors(statement):
            if each is self.method:
                break
            if isinstance(each, (ast.For, ast.AsyncFor, ast.While, ast.Match)):
                raise Refusal(f"the resource is opened in a loop ({self.facts.line(each)})")
            if isinstance(each, ast.ExceptHandler):
                raise Refusal(
                    f"the resource is opened in an `except` clause ({self.facts.line(each)})"
                )
            if isinstance(each, ast.stmt) and not self._is_beyond_errors(each, statement):
                found.append(each)
        return found

    def _is_beyond_errors(self, compound: ast.stmt, statement: ast.stmt) -> bool:
        """Return whether a statement stands in an `else` that is reached unless there is an error."""
        if not isinstance(compound, ast.Try) or not self._within(statement, set(compound.orelse)):
            return False
        if compound.finalbody or not all(only_raises(each.body) for each in compound.handlers):
            where = self.facts.line(compound.orelse[0])
            raise Refusal(
                f"the resource is opened in the `else` clause of a `try` statement ({where})"
            )
        return True

    def _exchange(self, statement: ast.stmt, becomes: str, takes_comments: bool) -> None:
        span = self.module.span(statement)
        for index, each in enumerate(self.moved.exchanges):
            if each.span == span:
                together = "\n".join(part for part in (each.becomes, becomes) if part)
                self.moved.exchanges[index] = replace(each, becomes=together)
                return
        takes_comments = takes_comments and comments_move(self.module, statement)
        self.moved.exchanges.append(Exchange(span, becomes, takes_comments=takes_comments))


def _only_binds(statement: ast.stmt, name: str) -> bool:
    """Return whether all a statement does is to bind one local name."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound == name
        case ast.If():
            return all(_only_binds(each, name) for each in (*statement.body, *statement.orelse))
    return False
