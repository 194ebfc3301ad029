"""From drafts to plans: new names, what is written at each use, what stays behind."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from dlfix.fixing import naming
from dlfix.fixing.hoisting import forms, instances, names, places
from dlfix.fixing.hoisting.branches import are_alternatives, has_fields, is_top
from dlfix.fixing.hoisting.captures import (
    BOUND,
    Asked,
    CannotHoist,
    Capture,
    Draft,
    Drafts,
    OnlyParent,
    check_bound,
    check_decorators,
    guard_of,
    is_global,
    line_up,
    refuses,
    takes_any_keyword,
)
from dlfix.fixing.hoisting.captures import Callable as Node
from dlfix.fixing.hoisting.followers import followers_of
from dlfix.fixing.hoisting.instances import (
    bound_method,
    is_in_classmethod,
    reads_of,
)
from dlfix.fixing.hoisting.line_width import width_of
from dlfix.fixing.hoisting.siblings import share_captures, with_siblings
from dlfix.fixing.plans_callables import Expression, Hoist, Parameter, Use
from dlfix.project.module import Module, Scope
from dlfix.project.trees import kept
from dlfix.source.text import Span


@dataclass
class Move:
    """What one function's move asks of its file."""

    message: str
    hoists: list[Hoist] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)  # whose captures are bound


@dataclass
class Moves:
    """Plans moves in one module; names given are taken from then on."""

    module: Module
    picklable: Callable[[ast.expr], bool] = lambda _: True
    crosses: Callable[[ast.ClassDef], bool] = lambda _: False
    stays: Callable[[ast.ClassDef, str], str] = lambda _cls, _attribute: ""
    """Why an attribute may not be read early, empty where it may."""
    member: Callable[[ast.ClassDef, str], str] = instances.member_of
    """What an attribute of a class is: "method", "property", "attribute"; empty where not known."""
    only_parent: OnlyParent = lambda _: set()
    is_loader: Callable[[ast.expr], bool] = lambda _: False
    passes_all_on: Callable[[ast.expr], bool] = lambda _: False
    name_read: Callable[[Draft], bool] = lambda _: False
    """Whether code of the parent, and none of workers, reads the name of a function."""
    signature_read: Callable[[Draft], bool] = lambda _: False
    """Whether code may ask for the parameters of a function: of a partial, they are without those in front that it binds."""
    may_replace: Callable[[str], bool] = lambda _: False
    """Whether other modules would get a new name from this one that may mean something else there."""
    asked: Asked = lambda _: []
    """The calls of a function that only the parent can make, whose results are bound."""

    def __post_init__(self) -> None:
        self.taken = naming.names_in(self.module.tree)
        self.given: set[str] = set()
        self.drafts = Drafts(self.module, self.only_parent, self.asked)
        self.width = width_of(self.module)
        self.inner: list[Draft] = []  # what moves out of the lambda at hand

    def move(self, node: Node, parameter: str = "", by_loader: bool = False) -> Move:
        """Plan the move of one function; raise CannotHoist where it stays.

        `by_loader` tells that it is called by a loader, which passes no keywords.
        """
        here = self._in_place(node)
        if here is not None:
            return here
        draft = self.drafts.draft(node)
        group = with_siblings(draft)
        share_captures(group)
        uses = self._settle_instances(group)
        share_captures(group)  # of attributes, too
        for each in group:
            line_up(each)
            check_decorators(each, self.passes_all_on)
            open_ended = takes_any_keyword(each.node) and not (by_loader and each is draft)
            each.positional = open_ended or self.signature_read(each)
            named = bool(each.captures) and not isinstance(each.node, ast.Lambda)
            each.keeps_name = named and self.name_read(each)
        simple = self._simple(draft)
        if simple is not None:
            text = simple.function
            message = f"Use `{text}` instead of the lambda"
            if simple.binds:
                message = f"Use a partial of `{text}` instead of the lambda"
            use = Use(self._span(node), simple)
            hoists = [self._hoist(each, None) for each in self.inner]
            return Move(message, hoists, [use], drafts=[draft, *self.inner])
        existing = self._existing(draft)
        if existing is not None:
            message = f"Use `{existing}` instead of the lambda"
            return Move(message, uses=[Use(self._span(node), Expression(existing))])
        self._name(group, parameter)
        move = Move(self._message(draft), uses=uses, drafts=list(group))
        for each in group:
            self._carry(each, group, move)
            move.doubts += [doubt for doubt in each.doubts if doubt not in move.doubts]
        return move

    def key(self, node: Node) -> object:
        """Return a key that functions share which do the very same; None for one by itself."""
        if self._assigned_in_place(node) is not None:
            return None
        try:
            draft = self.drafts.draft(node)
        except CannotHoist:
            return None
        if draft.siblings or draft.imports or draft.instance or draft.defaults:
            return None
        captured = sorted((each.name, each.annotation) for each in draft.captures.values())
        text = _text_of(self.module, node)
        return (draft.name, text, *captured) if text is not None else None

    def follow(self, node: Node, first: Node) -> Move:
        """Let a function use what an equal one became."""
        became = self.drafts.draft(first).new_name
        if not became:
            return self.move(node)
        draft = self.drafts.draft(node)
        draft.new_name = became
        move = Move("", drafts=[draft])
        self._carry(draft, [draft], move)
        move.doubts += draft.doubts
        move.hoists = [replace(each, where="gone") for each in move.hoists if draft.name]
        return move

    def forget(self, nodes: Iterable[Node]) -> None:
        """Let functions that were to share a name have their own."""
        for node in nodes:
            if node in self.drafts.of:
                self.drafts.of[node].new_name = ""

    # In its place

    def _in_place(self, node: Node) -> Move | None:
        """A lambda that has a name at the top of a module or class becomes a def there."""
        found = self._assigned_in_place(node)
        if found is None:
            return None
        name, statement, decorator = found
        scope = self.module.scope_of(statement)
        again = [b for b in scope.bindings.get(name, ()) if b.statement is not statement]
        if again and not are_alternatives(self.module, statement, [b.statement for b in again]):
            line = getattr(again[-1].node, "lineno", 0)
            raise CannotHoist(
                f"`{name}` is reassigned (line {line}), so pickle would find another value"
            )
        hoist = Hoist(
            self._span(node),
            name,
            "here",
            self._span(statement),
            assignment=self._span(statement),
            decorator=decorator,
            types=self._types(node),
        )
        return Move(f"Define `{name}` with `def`", [hoist])

    def _assigned_in_place(self, node: Node) -> tuple[str, ast.stmt, str] | None:
        if not isinstance(node, ast.Lambda):
            return None
        value: ast.AST = node
        decorator = ""
        parent = self.module.parent(node)
        match parent:
            case ast.Call(func=ast.Name(id="staticmethod" | "classmethod" as decorator)):
                value, parent = parent, self.module.parent(parent)
        match parent:
            case ast.Assign(targets=[ast.Name(id=name)], value=given) if given is value:
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=given) if given is value:
                pass
            case _:
                return None
        scope = self.module.scope_of(parent)
        if scope.is_function or (scope.is_class and scope.parent and not is_top(scope)):
            return None
        if scope.is_module and (decorator or guard_of(self.module, parent) is not None):
            return None
        if scope.is_class and isinstance(parent, ast.AnnAssign) and has_fields(scope.node):
            return None
        return name, parent, decorator

    # Instances

    def _settle_instances(self, group: list[Draft]) -> list[Use]:
        """Let a use of `self` become a method, or bind the attributes it reads."""
        uses: list[Use] = []
        for draft in group:
            uses += draft.reads
            if not draft.instance or draft.owner is None:
                continue
            is_class = is_in_classmethod(draft)
            if is_class or self.crosses(draft.owner):
                continue
            attributes = self._attributes(draft)
            draft.reads += attributes
            uses += attributes
        for draft in group:
            self._settle_private_names(draft)
        return uses

    def _settle_private_names(self, draft: Draft) -> None:
        """A class-private name means the same in a method of the class only."""
        bound = {use.span for use in draft.reads}
        private = instances.private_names(self.module, draft.node, bound)
        if not private or draft.instance:
            return
        name, line = private[0]
        owner, method = instances.class_around(self.module, draft.node)
        movable = not draft.siblings and name not in draft.captures
        if owner is None or method is None or not movable:
            raise CannotHoist(f"{draft.what} uses the class-private name `{name}` (line {line})")
        draft.owner, draft.method = owner, method
        draft.static = instances.way_to(method, owner)

    def _attributes(self, draft: Draft) -> list[Use]:
        assert draft.owner is not None
        uses = []
        for name in reads_of(draft, draft.instance):
            parent = self.module.parent(name)
            if not isinstance(parent, ast.Attribute):
                raise CannotHoist(
                    f"{draft.what} uses `{name.id}` (line {name.lineno}), which requires "
                    f"sending the `{draft.owner.name}` instance to the workers"
                )
            if not isinstance(parent.ctx, ast.Load):
                raise CannotHoist(
                    f"{draft.what} sets `{name.id}.{parent.attr}` (line {name.lineno}), "
                    "but the parent does not see changes made in a worker"
                )
            kind = self.member(draft.owner, parent.attr)
            if kind in ("method", "property"):
                verb = "calls the method" if kind == "method" else "reads the property"
                raise CannotHoist(
                    f"{draft.what} {verb} `{name.id}.{parent.attr}` (line {name.lineno}), "
                    f"which requires sending the `{draft.owner.name}` instance to the "
                    "workers"
                )
            self._settle_attribute(draft, parent)
            bound = self._parameter(draft, parent)
            uses.append(Use(self._span(parent), Expression(bound)))
        draft.instance = ""
        return uses

    def _settle_attribute(self, draft: Draft, read: ast.Attribute) -> None:
        """See that an attribute has the value where it is bound that it has when it is read."""
        assert draft.owner is not None
        text = f"{draft.instance}.{read.attr}"
        own = instances.stores_of(self.module, draft, read.attr)
        order, made = instances.order_of_making(self.module, draft)
        for each in own:
            if any(order.may_follow(each, point) for point in made):
                raise CannotHoist(
                    f"`{text}` is set after {draft.what} is created (line {each.lineno}), "
                    f"but {draft.what} reads it when called"
                )
        why = self.stays(draft.owner, read.attr)
        in_init = draft.method is not None and draft.method.name in ("__init__", "__post_init__")
        if in_init and why:
            raise CannotHoist(f"{why}, but {draft.what} reads it when called")
        before = [point for point in made if own and not order.surely_after(point, own)]
        if in_init and (before or not (own or self.member(draft.owner, read.attr))):
            raise CannotHoist(f"`{text}` may not be set yet (line {draft.line})")
        if why and not draft.doubts:
            draft.doubts.append(f"{why}{BOUND}")

    def _parameter(self, draft: Draft, attribute: ast.Attribute) -> str:
        text = self.module.segment(attribute)
        for capture in draft.captures.values():
            if capture.value == text:
                return capture.name
        inner = {name for scope in draft.scope.walk() for name in scope.bindings}
        inner |= {name for scope in draft.scope.walk() for name in scope.reads}
        name = naming.free_name(attribute.attr.lstrip("_"), inner)
        draft.captures[name] = Capture(name, text)
        return name

    # Simpler forms

    def _simple(self, draft: Draft) -> Expression | None:
        """Return what stands for a lambda without a function of its own."""
        simple = self._simpler(draft)
        if simple is not None and simple.binds:
            self._check_bound(draft, draft.node)
        return simple

    def _simpler(self, draft: Draft) -> Expression | None:
        if "#" in self.module.segment(draft.node):
            return None
        if draft.instance:
            return bound_method(draft)
        self.inner = []
        return forms.simpler(draft, self)

    def within(self, node: ast.Lambda) -> Expression | None:
        """Let a lambda within one that becomes a partial move by itself."""
        draft = self.drafts.draft(node)
        own = [each.scope for each in draft.captures.values() if each.scope is not None]
        if draft.instance or draft.siblings or any(isinstance(s.node, ast.Lambda) for s in own):
            return None
        existing = self._existing(draft)
        if existing is not None:
            return Expression(existing)
        self._name([draft], "")
        self.inner.append(draft)
        return _expression(draft)

    def _existing(self, draft: Draft) -> str | None:
        """Return a function of the module that does the very same."""
        node = draft.node
        if not isinstance(node, ast.Lambda) or draft.captures or draft.siblings or draft.instance:
            return None
        if "#" in self.module.segment(node) or draft.binding:
            return None
        names = _returning(self.module.tree).get((ast.dump(node.args), ast.dump(node.body)), ())
        return next((name for name in names if len(self.module.scope.bindings[name]) == 1), None)

    # Names

    def _name(self, group: list[Draft], parameter: str) -> None:
        for draft in group:
            if draft.new_name:
                continue
            wanted = self._wanted(draft, parameter)
            listed = [each for each in wanted if not self.may_replace(each)] or wanted
            if draft.name and listed[0] == draft.name and self._may_keep(draft):
                draft.new_name = draft.name
                self.given.add(draft.name)
                continue
            free_again = {draft.name} if self._goes_away(draft, group) else set()
            taken = (self.taken - free_again) | self.given
            if draft.owner is not None and draft.instance:
                taken |= instances.attributes_set(self.module)
                listed = [*listed, names.of_class(draft.owner, draft.name or listed[0])]
            # Two private names should differ by more than an underscore.
            listed = sorted(listed, key=lambda each: f"_{each}" in taken)
            draft.new_name = naming.free_name(listed, taken)
            self.given.add(draft.new_name)

    def _wanted(self, draft: Draft, parameter: str) -> list[str]:
        """Return names for a function, the best first; its own first where it may keep that."""
        node = draft.node
        if isinstance(node, ast.Lambda) and (not draft.name or names.is_vague(draft.name)):
            beside = [each.node for each in self.drafts.of.values() if each.new_name]
            return names.wanted(self.module, node, parameter, beside)
        scope = self.module.scope_of(node)
        reads = scope.reads.get(draft.name, ())
        keeps = self._may_keep(draft)
        return names.wanted_for_def(self.module, node, draft.name, keeps, reads)

    def _goes_away(self, draft: Draft, group: list[Draft]) -> bool:
        """Return whether nothing is left of a local function's name where it stood."""
        if not draft.name:
            return False
        bindings = [
            binding
            for scope in self.module.scope.walk()
            for binding in scope.bindings.get(draft.name, ())
        ]
        scope = self.module.scope_of(draft.node)
        if len(bindings) != 1 or not is_only_name(self.module, draft.name, scope):
            return False
        _, outside = self._references(draft, scope, group)
        if len(outside) != 1:
            return not outside
        return self._may_inline(draft, outside[0], scope) and self._fits(draft, outside[0])

    def _may_keep(self, draft: Draft) -> bool:
        """Return whether a local function may have its own name at module level."""
        if draft.captures or draft.instance or draft.binding is None or draft.name in self.given:
            return False
        scope = self.module.scope_of(draft.node)
        if scope.is_module:
            return len(scope.bindings[draft.name]) == 1
        if len(scope.bindings[draft.name]) > 1 or draft.name in self.module.scope.bindings:
            return False
        if not naming.is_free(draft.name, ()) or self.may_replace(draft.name):
            return False
        above = scope.parent
        while above is not None:
            if draft.name in above.bindings:
                return False
            above = above.parent
        return not any(
            draft.name in each.reads and each.lookup(draft.name) is None
            for each in self.module.scope.walk()
        )

    def _message(self, draft: Draft) -> str:
        if (draft.instance or draft.static) and draft.owner is not None:
            return f"Convert {draft.what} to the method `{draft.owner.name}.{draft.new_name}`"
        if draft.new_name == draft.name:
            return f"Move {draft.what} to module level"
        return f"Move {draft.what} to module level as `{draft.new_name}`"

    # The plan

    def _carry(self, draft: Draft, group: list[Draft], move: Move) -> None:
        becomes = _expression(draft)
        within = _within(draft)
        leaves = None
        if draft.binding is None and not draft.name:
            self._check_bound(draft, draft.node)
            move.uses.append(Use(self._span(draft.node), becomes))
        else:
            leaves = self._uses_of_name(draft, group, becomes, within, move)
        move.hoists.append(self._hoist(draft, leaves))

    def _hoist(self, draft: Draft, leaves: Expression | None) -> Hoist:
        assignment = None
        if draft.name and isinstance(draft.node, ast.Lambda):
            assignment = self._span(self.module.statement(draft.node))
        is_method = bool(draft.instance or draft.static)
        near: ast.AST | None = draft.method if is_method else None
        if near is None:
            annotations = [each.annotation for each in draft.captures.values()]
            near = places.near(self.module, draft.node, annotations)
        return Hoist(
            self._span(draft.node),
            draft.new_name,
            "method" if is_method else "module",
            self._span(near),
            assignment=assignment,
            parameters=tuple(
                Parameter(each.name, each.annotation) for each in draft.captures.values()
            ),
            positional=draft.positional,
            marked=takes_any_keyword(draft.node) and not refuses(draft.node, draft.captures),
            followers=tuple(self._span(each) for each in draft.followers),
            without=tuple(draft.defaults),
            first=draft.instance,
            decorator=self._decorator(draft),
            imports=tuple(dict.fromkeys(draft.imports)),
            leaves=leaves,
            types=self._types(draft.node),
            keeps_name=draft.keeps_name and not draft.wrapped,
            bare=bool(draft.wrapped),
        )

    def _decorator(self, draft: Draft) -> str:
        if draft.static:
            return "staticmethod"
        return "classmethod" if draft.instance and is_in_classmethod(draft) else ""

    def _types(self, node: Node) -> tuple[str, ...]:
        """Return the types of a lambda's parameters and result, where `f: Callable[...]` has them."""
        match self.module.parent(node):
            case ast.AnnAssign(
                annotation=ast.Subscript(
                    value=ast.Name(id="Callable") | ast.Attribute(attr="Callable"),
                    slice=ast.Tuple(elts=[ast.List(elts=given), result]),
                ),
                value=ast.Lambda(args=args),
            ) if len(given) == len(args.args) and not (args.posonlyargs or args.vararg):
                types = [*given, result]
            case _:
                return ()
        scope = self.module.scope_of(node)
        names = [n.id for each in types for n in ast.walk(each) if isinstance(n, ast.Name)]
        if not all(is_global(self.module, scope, each) for each in names):
            return ()
        return tuple(self.module.segment(each) for each in types)

    def _uses_of_name(
        self,
        draft: Draft,
        group: list[Draft],
        becomes: Expression,
        within: Expression,
        move: Move,
    ) -> Expression | None:
        """Rewrite what reads a local function's name; return what the name is left with."""
        scope = self.module.scope_of(draft.node)
        inside, outside = self._references(draft, scope, group)
        self._settle_attributes(draft, inside, outside)
        several = len(scope.bindings[draft.name]) > 1
        same = draft.new_name == draft.name and not becomes.binds
        if same:
            return None
        if several:
            self._check_bound(draft, draft.node)
            return becomes
        move.uses += [Use(self._span(each), within) for each in inside]
        if draft.defaults and inside:
            raise CannotHoist(
                f"{draft.what} calls itself (line {inside[0].lineno}) and has a default "
                "that is evaluated when it is defined"
            )
        if not becomes.binds:
            move.uses += [Use(self._span(each), becomes) for each in outside]
            return None
        if not outside:
            return None
        if len(outside) == 1 and self._is_bound_where_used(draft, outside[0], scope):
            move.uses.append(Use(self._span(outside[0]), becomes))
            return None
        self._check_bound(draft, draft.node)
        return becomes

    def _settle_attributes(
        self, draft: Draft, inside: list[ast.Name], outside: list[ast.Name]
    ) -> None:
        """What is set on a function moves with it; multiprocessing drops what is set on a partial."""
        if not draft.captures and not draft.instance:
            draft.followers = followers_of(draft, self.drafts, [*outside, *inside])
            return
        for name in [*inside, *outside]:
            if isinstance(self.module.parent(name), ast.Attribute):
                raise CannotHoist(
                    f"an attribute of {draft.what} is used (line {name.lineno}), but a "
                    "partial does not send it to the workers"
                )

    def _is_bound_where_used(self, draft: Draft, use: ast.Name, scope: Scope) -> bool:
        """Return whether to bind at the only use: where that is short, or the definition too early."""
        if not self._may_inline(draft, use, scope):
            return False
        if not self._fits(draft, use):
            try:
                self._check_bound(draft, draft.node)
                return bool(draft.doubts)
            except CannotHoist:
                pass
        self._check_bound(draft, use)
        return True

    def _may_inline(self, draft: Draft, use: ast.Name, scope: Scope) -> bool:
        if draft.doubts or draft.defaults or self.module.scope_of(use) is not scope:
            return False
        if draft.keeps_name and not draft.wrapped:
            return False
        loops = (ast.For, ast.While, ast.AsyncFor)
        around = [each for each in self.module.ancestors(use) if isinstance(each, loops)]
        made = set(self.module.ancestors(draft.node))
        return all(each in made for each in around)

    def _fits(self, draft: Draft, use: ast.Name) -> bool:
        """Return whether the line stays as short as lines of this file are."""
        line = self.module.lines[use.lineno - 1]
        name = draft.new_name or naming.private(draft.name)
        bound = sum(len(each.name) + len(each.value) + 3 for each in draft.captures.values())
        parent = self.module.parent(use)
        called = isinstance(parent, ast.Call) and parent.func is use
        added = (
            bound + len(name) - len(draft.name) + (0 if called else len("functools.partial(, )"))
        )
        if draft.wrapped:
            added += len(f"functools.update_wrapper(, {draft.wrapped})")
        return len(line) + added <= self.width

    def _references(
        self, draft: Draft, scope: Scope, group: list[Draft]
    ) -> tuple[list[ast.Name], list[ast.Name]]:
        moved = {id(node) for each in group for node in ast.walk(each.node)}
        inside: list[ast.Name] = []
        outside: list[ast.Name] = []
        for each in scope.walk():
            if each.lookup(draft.name) is not scope:
                continue
            for name in each.reads.get(draft.name, ()):
                (inside if id(name) in moved else outside).append(name)
        return inside, outside

    def _check_bound(self, draft: Draft, point: ast.AST) -> None:
        check_bound(draft, point, self.is_loader)

    def _span(self, node: ast.AST) -> Span:
        return self.module.span(node)


def _text_of(module: Module, node: Node) -> str | None:
    """Return what two functions share that are one, with their comments; None for a lambda that has one."""
    if isinstance(node, ast.Lambda):
        return None if "#" in module.segment(node) else ast.dump(node)
    return textwrap.dedent("\n".join(module.lines[module.first_row(node) - 1 : node.end_lineno]))


def is_only_name(module: Module, name: str, binder: Scope) -> bool:
    """Return whether a name is read for what `binder` binds only."""
    return not any(
        name in each.reads and each.lookup(name) is not binder for each in module.scope.walk()
    )


def _expression(draft: Draft) -> Expression:
    """Return what stands for a moved function where it was made."""
    return _bound(draft, [(each.name, each.value) for each in draft.captures.values()])


def _within(draft: Draft) -> Expression:
    """Return what stands for a moved function within others that moved."""
    kept = [each.name for each in draft.captures.values() if each.name not in draft.defaults]
    return _bound(draft, [(name, name) for name in kept])


def _bound(draft: Draft, arguments: list[tuple[str, str]]) -> Expression:
    if draft.positional:
        given = tuple(value for _, value in arguments)
        return Expression(_function(draft), given, wrapped=draft.wrapped)
    return Expression(_function(draft), keywords=tuple(arguments), wrapped=draft.wrapped)


def _function(draft: Draft) -> str:
    owner = draft.instance or draft.static
    return f"{owner}.{draft.new_name}" if owner else draft.new_name


__all__ = ["CannotHoist", "Move", "Moves", "is_global"]


@kept
def _returning(tree: ast.Module) -> dict[tuple[str, str], list[str]]:
    """Return the functions of a module that only return something, by parameters and by that."""
    found: dict[tuple[str, str], list[str]] = {}
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(
                name=name, body=[*doc, ast.Return(value=value)], decorator_list=[]
            ) if value and (not doc or (len(doc) == 1 and isinstance(doc[0], ast.Expr))):
                key = ast.dump(statement.args), ast.dump(value)
                found.setdefault(key, []).append(name)
    return found
