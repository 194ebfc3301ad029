"""Plan a handle that a class keeps for all its instances, opened by the first: one in each process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.fixing.classes.facts import STARTS, ClassFacts, Method, StoreSite, self_name
from dlfix.fixing.classes.forms import not_optional
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.moving import Mover
from dlfix.fixing.classes.plans import ClassPlan, Exchange, Lazy
from dlfix.project.syntax import is_name

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project


def class_site(facts: ClassFacts, attribute: str, statement: ast.stmt) -> StoreSite:
    """Return the store of a class attribute; raise Refusal where it is no plain assignment."""
    method = next((each for each in facts.all_methods if statement in ast.walk(each)), None)
    if method is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        raise Refusal(f"the resource is stored on the class ({facts.line(statement)})")
    return StoreSite(attribute, method, statement, statement.targets[0], statement.value)


class SharedHandle:
    """Plans one class attribute."""

    def __init__(self, project: Project, facts: ClassFacts, handle: Handle) -> None:
        self.project = project
        self.facts = facts
        self.module = facts.module
        self.handle = handle
        self.name = handle.attribute

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        site = self.handle.site
        guard = self._guard()
        field = self._field()
        uses = [each for each in self._uses() if not self._is_within(each[1], guard)]
        self._refuse_defaults(site.method)
        self.facts.stores[self.name] = [site]
        mover = Mover(self.facts, site.method, {self.name: self.handle})
        body = mover.opening(self.name)
        saves = mover.saves.get(self.name, [])
        kept_in = self._kept_in()
        exchanges = [
            Exchange(self.module.span(guard), "\n".join(saves)),
            Exchange(self.module.span(field), self._storage(field, kept_in)),
        ]
        for method, node in uses:
            if _is_of_class(method):
                exchanges.append(self._without_an_instance(node, kept_in))
            elif not _is_own(node, method):
                read = f"{self_name(method)}.{self.name}"
                exchanges.append(Exchange(self.module.span(node), read, "expression"))
        lazy = Lazy(
            name=self.name,
            body=body,
            annotation=self._annotation(field),
            kept_in=kept_in,
            alone=self.handle.closed_by_parent,
            self_name=self_name(site.method),
        )
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(exchanges),
            lazies=(lazy,),
            after=site.method.name,
        )

    def _without_an_instance(self, node: ast.Attribute, kept_in: str) -> Exchange:
        """Return what a class method does instead: it asks for, or lets go of, this process's handle."""
        table = f"{ast.unparse(node.value)}.{kept_in}"
        match self.module.parent(node):
            case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]) as test:
                return Exchange(self.module.span(test), f"os.getpid() not in {table}", "expression")
            case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]) as test:
                return Exchange(self.module.span(test), f"os.getpid() in {table}", "expression")
            case ast.If(test=test) if test is node:
                return Exchange(self.module.span(test), f"os.getpid() in {table}", "expression")
            case ast.Assign() as statement:
                return Exchange(self.module.span(statement), f"{table}.pop(os.getpid(), None)")
        return Exchange(self.module.span(node), f"{table}[os.getpid()]", "expression")

    def _where(self) -> str:
        return self.facts.line(self.handle.site.statement)

    def _guard(self) -> ast.If:
        """Return the `if` that lets the first instance alone open it."""
        site = self.handle.site
        guard = self.module.parent(site.statement)
        match guard:
            case ast.If(test=test, body=[only], orelse=[]) if (
                only is site.statement and guard in site.method.body and site.method.name in STARTS
            ):
                if f".{self.name} is None" in ast.unparse(test) or (
                    isinstance(test, ast.UnaryOp) and isinstance(test.operand, ast.Attribute)
                ):
                    return guard
        raise Refusal(
            f"the resource is stored on the class and opened for each instance ({self._where()})"
        )

    def _field(self) -> ast.Assign | ast.AnnAssign:
        field = self.facts.fields.get(self.name)
        value = field.value if field is not None else None
        if field is None or not isinstance(value, ast.Constant) or value.value is not None:
            raise Refusal(f"the resource is stored on the class ({self._where()})")
        return field

    def _uses(self) -> Iterator[tuple[Method, ast.Attribute]]:
        """Yield the reads in methods; refuse other stores, and uses where there is no instance."""
        inside = {node: each for each in self.facts.all_methods for node in ast.walk(each)}
        for module in self.project.mentions(self.name):
            for node in module.parents:
                if not isinstance(node, ast.Attribute) or node.attr != self.name:
                    continue
                method = inside.get(node)
                where = f"{module.path.name}:{node.lineno}"
                if method is None or not self_name(method):
                    raise Refusal(
                        f"the resource is stored on the class and used without an instance ({where})"
                    )
                if node is self.handle.site.target:
                    continue
                if not isinstance(node.ctx, ast.Load) and not _lets_go(module, method, node):
                    raise Refusal(f"the resource is stored on the class and reassigned ({where})")
                yield method, node

    def _is_within(self, node: ast.AST, outer: ast.AST) -> bool:
        return any(each is outer for each in self.module.ancestors(node))

    def _refuse_defaults(self, method: Method) -> None:
        """Refuse where only the first instance may be told what to open."""
        positional = [*method.args.posonlyargs, *method.args.args]
        count = len(method.args.defaults)
        optional = {each.arg for each in positional[len(positional) - count :]} if count else set()
        optional |= {each.arg for each in method.args.kwonlyargs}
        value = self.handle.site.value
        assert value is not None
        for node in ast.walk(value):
            if isinstance(node, ast.Name) and node.id in optional:
                raise Refusal(f"`{node.id}` may be passed to only one instance ({self._where()})")

    def _kept_in(self) -> str:
        wanted = "_" + self.name.lstrip("_") + "_by_pid"
        while wanted in self.facts.names:
            wanted = "_" + wanted
        return wanted

    def _annotation(self, field: ast.Assign | ast.AnnAssign) -> str:
        if not isinstance(field, ast.AnnAssign):
            return ""
        return not_optional(field.annotation, self.module.segment(field.annotation))

    def _storage(self, field: ast.Assign | ast.AnnAssign, kept_in: str) -> str:
        opened = self._annotation(field)
        if not opened:
            return f"{kept_in} = {{}}"
        table = f"dict[int, {opened}]"
        written = ast.unparse(field.annotation) if isinstance(field, ast.AnnAssign) else ""
        of_class, bracket, _ = written.partition("[")
        if bracket and of_class.endswith("ClassVar"):
            table = f"{of_class}[{table}]"
        return f"{kept_in}: {table} = {{}}"


def _is_own(node: ast.Attribute, method: Method) -> bool:
    return is_name(node.value, self_name(method))


def _lets_go(module: Module, method: Method, node: ast.Attribute) -> bool:
    """Return whether a class method sets the attribute to None, and nothing else."""
    match module.parent(node):
        case ast.Assign(targets=[_], value=ast.Constant(value=None)):
            return _is_of_class(method)
    return False


def _is_of_class(method: Method) -> bool:
    return any("classmethod" in ast.unparse(each) for each in method.decorator_list)
