"""The attributes that take the place of handles: their form, type and pickled state."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping

from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    self_name,
)
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.opened_together import Together
from dlfix.fixing.classes.plans import ALONE, Drop, Exchange, Insert, Lazy, State
from dlfix.fixing.classes.state import EACH_ITS_OWN, is_slotted, state_for
from dlfix.source.lines import bare


class Forms(Together):
    """Writes the lazy attributes."""

    unneeded: Collection[str] = ()  # handles that only the constructor needs

    def _kept_in(self, name: str, by_process: bool) -> str:
        if not by_process:
            return ""
        wanted = "_" + self._place(name).lstrip("_") + "_by_pid"
        while wanted in self.facts.names:
            wanted = "_" + wanted
        return wanted

    def _leading(self, handles: Mapping[str, Handle]) -> dict[str, str]:
        """Return what sets up, where each was opened, what holds it for each process."""
        first = self.together[:1]
        return {
            name: self._storage(name)
            for name in handles
            if name not in self.together or name in first
        }

    def _storage(self, name: str) -> str:
        handle = self.handles[name]
        me = self_name(handle.site.method)
        annotation = "" if name in self.together else self._annotation(handle)
        typed = f": dict[int, {annotation}]" if annotation else ""
        return f"{me}.{self._kept_in(name, True)}{typed} = {{}}"

    def _lazies(self, by_process: bool, openers: Collection[str] = ()) -> Iterator[Lazy]:
        if self.together:
            yield from self._lazies_together(by_process)
        for name, handle in self.handles.items():
            if name in self.together or name in self.unneeded:
                continue
            moved = self.work.moved[handle.site.method]
            kept_in = self._kept_in(name, by_process)
            yield Lazy(
                name=name,
                body=moved.bodies[name],
                annotation=self._annotation(handle),
                kept_in=kept_in,
                settable=by_process and self._is_stored_elsewhere(name, ast.Store),
                deletable=by_process and self._is_stored_elsewhere(name, ast.Del),
                opener=self._opener(name)
                if name in openers or (by_process and name in moved.branching)
                else "",
                alone=by_process and self._is_alone(handle),
                self_name=self_name(handle.site.method),
            )

    def _lazies_together(self, by_process: bool) -> Iterator[Lazy]:
        first = self.handles[self.together[0]]
        me = self_name(first.site.method)
        place = self._group_name()
        if any(self._is_stored_elsewhere(name, ast.Store) for name in self.together):
            raise Refusal(f"`{self.together[0]}` is opened in more than one place")
        branching = self.work.moved[first.site.method].branching & set(self.together)
        if branching:
            raise Refusal("the resource and a derived resource are opened in several branches")
        yield Lazy(
            name=place,
            body=self._opened_together(),
            kept_in=self._kept_in(self.together[0], by_process),
            self_name=me,
        )
        for index, name in enumerate(self.together):
            body = f"return {me}.{place}[{index}]"
            annotation = self._annotation(self.handles[name])
            yield Lazy(name=name, body=body, annotation=annotation, item=True, self_name=me)

    def _is_alone(self, handle: Handle) -> bool:
        if handle.closed_by_parent:
            self._refuse_stack(handle)
        return handle.closed_by_parent

    def _calls(self, me: str, opener: str) -> str:
        """Return the call of a method that opens all; what a fork handed down goes first where it must."""
        tables = (self._kept_in(name, True) for name in self.handles)
        alone = any(map(self._is_alone, self.handles.values()))
        cleared = [ALONE, *(f"{me}.{table}.clear()" for table in tables)] if alone else []
        return "\n".join([*cleared, f"{me}.{opener}()"])

    def _refuse_stack(self, handle: Handle) -> None:
        """Refuse what an exit stack of the object keeps open: a fork hands the stack down."""
        match handle.site.value:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr=stack), attr="enter_context")
            ):
                raise Refusal(
                    f"`{stack}` would keep the parent's `{handle.attribute}` open in a "
                    f"forked worker ({self.facts.line(handle.site.statement)})"
                )

    def _opener(self, name: str) -> str:
        wanted = "_open_" + name.lstrip("_")
        while wanted in self.facts.names:
            wanted = "_" + wanted
        return wanted

    def _is_stored_elsewhere(self, name: str, context: type[ast.expr_context]) -> bool:
        return name in self.around.set_outside or any(
            isinstance(getattr(site.target, "ctx", None), context)
            for site in self.facts.stores[name]
            if site.statement not in self.work.gone
        )

    def _may_be_none(self, name: str) -> bool:
        """Return whether a handle is opened on some paths only."""
        moved = self.work.moved.get(self.handles[name].site.method)
        body = moved.bodies.get(name, "") if moved is not None else ""
        return any(line.strip() == "return None" for line in bare(body))

    def _annotation(self, handle: Handle) -> str:
        site = handle.site
        field_ = self.facts.fields.get(handle.attribute)
        annotation = site.annotation or getattr(field_, "annotation", None)
        if isinstance(annotation, ast.expr):
            text = self.facts.written(annotation)
            optional = _is_none_sometimes(site.value) or self._may_be_none(handle.attribute)
            return text if optional or not text else not_optional(annotation, text)
        if not self.facts.is_typed:
            return ""
        return self._annotation_of_value(handle)

    def _annotation_of_value(self, handle: Handle) -> str:
        value = handle.site.value
        if not isinstance(value, ast.Call):
            return ""
        written = ast.unparse(value.func)
        if written.startswith("self.") and written[5:] in self.facts.methods:
            returns = self.facts.methods[written[5:]].returns
            return self.module.segment(returns) if returns is not None else ""
        if written.rpartition(".")[2][:1].isupper():
            return written
        package = written.rpartition(".")[0]
        if (
            package
            and handle.type.startswith(package + ".")
            and handle.type.count(".") == package.count(".") + 1
        ):
            return handle.type
        return ""

    def _state(self, by_process: bool) -> State | None:
        drops: list[Drop] = []
        rest = [n for n in self.handles if n not in self.together and n not in self.unneeded]
        for name in [*self.together[:1], *rest]:
            why = EACH_ITS_OWN if not drops else ""
            if by_process:
                drops.append(Drop(self._kept_in(name, True), "{}", why))
            else:
                drops.append(Drop(self._place(name), why=why))
        kept = tuple(
            name for moved in self.work.moved.values() for name in moved.kept.values() if name
        )
        return state_for(self.facts, tuple(drops), (), self.around, kept)

    def _slots_changed(self, kept: Iterable[str]) -> Iterator[Exchange]:
        """Yield `__slots__` with what holds the handles, and the values that are kept, in their place."""
        slots = self.facts.slots
        if slots is None or not is_slotted(self.facts):
            return
        names = [name for name in slots if name not in self.handles]
        names += [*kept, *(self._kept_in(name, True) for name in self.handles)]
        value = self.facts.fields["__slots__"].value
        assert value is not None
        text = (
            "(" + ", ".join(f'"{name}"' for name in names) + ("," if len(names) == 1 else "") + ")"
        )
        yield Exchange(self.module.span(value), text, "expression")

    def _after(self) -> str:
        site = next(iter(self.handles.values())).site
        if site.method not in self.work.gone:
            return site.method.name
        return "__init__" if "__init__" in self.facts.methods else "__post_init__"


def storage_insert(facts: ClassFacts, text: str, opens: Method | None = None) -> Insert:
    """Return where `__init__` sets up what holds handles: first, or below the call of its base's.

    Where only the constructor of a base or an heir calls the method that opens, that method does.
    """
    method = next((facts.methods[n] for n in STARTS if n in facts.methods), None)
    if opens is not None and (method is None or opens.name not in facts.reached([method.name])):
        method = opens
    if method is None:
        raise Refusal("the class has no `__init__`")
    body = method.body
    first = 1 if ast.get_docstring(method) is not None else 0
    if len(body) > first and method is not opens and _is_super_call(body[first]):
        return Insert(facts.module.span(body[first]), text)
    if len(body) == first:
        return Insert(facts.module.span(body[-1]), text)
    return Insert(facts.module.span(body[first]), text, before=True)


def _is_super_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and "super(" in ast.unparse(statement.value)


def _is_none_sometimes(value: ast.expr | None) -> bool:
    return isinstance(value, ast.IfExp) and any(
        isinstance(each, ast.Constant) and each.value is None for each in (value.body, value.orelse)
    )


def not_optional(annotation: ast.expr, text: str) -> str:
    """Return what an annotation says besides `None`."""
    match annotation:
        case ast.Subscript(value=value, slice=inner) if ast.unparse(value).endswith("Optional"):
            return ast.unparse(inner)
        case ast.Subscript(value=value, slice=inner) if ast.unparse(value).endswith("ClassVar"):
            return not_optional(inner, ast.unparse(inner))
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return ast.unparse(left)
        case ast.Name(id="Any" | "object"):
            return ""
    return text
