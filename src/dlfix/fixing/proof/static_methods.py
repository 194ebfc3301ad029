"""Methods that became static: whoever uses one passes the attributes that it read of its object."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import Function, dotted, last_part
from dlfix.project.module import Module

# What lets an object send something else than its attributes, or give others than it has.
_OF_STATE = frozenset(
    "__getstate__ __setstate__ __reduce__ __reduce_ex__ __getattr__ __getattribute__".split()
)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what a method that became static no longer is."""
    for name, after in change.after.methods.items():
        before = change.before.methods.get(name)
        if before is None or before.decorator_list or not _is_static(after):
            continue
        reading = _Reading(before, after)
        if not reading.same():
            yield change.regression(
                after, f"`{name}` is a static method and does something else (line {after.lineno})"
            )
            continue
        for node, reason in _reasons(change, after, reading.taken):
            yield change.regression(node, f"`{name}` is a static method now, {reason}")


def _is_static(method: Function) -> bool:
    return any(dotted(each) == "staticmethod" for each in method.decorator_list)


@dataclass
class _Reading:
    """Two texts of a method: the second has parameters where the first read attributes of its object."""

    before: Function
    after: Function
    taken: dict[str, str] = field(default_factory=dict)  # attributes, by parameter

    def same(self) -> bool:
        """Return whether they do the same; note what the second takes."""
        old, new = self.before.args, self.after.args
        mine = [*old.posonlyargs, *old.args]
        if not mine or old.kwarg is not None or new.kwarg is not None:
            return False
        self.owner = mine[0].arg
        had = len(old.kwonlyargs)
        self.fresh = {each.arg for each in new.kwonlyargs[had:]}
        signs = (mine[1:], old.vararg, old.kwonlyargs, old.defaults, old.kw_defaults)
        others = [*new.posonlyargs, *new.args]
        now = (others, new.vararg, new.kwonlyargs[:had], new.defaults, new.kw_defaults[:had])
        if any(each is not None for each in new.kw_defaults[had:]):
            return False
        same = self._same(signs, now) and self._same(self.before.body, self.after.body)
        return same and set(self.taken) == self.fresh

    def _same(self, old: object, new: object) -> bool:
        if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            return len(old) == len(new) and all(map(self._same, old, new))
        match old, new:
            case ast.Attribute(
                value=ast.Name(id=owner), attr=attribute, ctx=ast.Load()
            ), ast.Name():
                if owner != self.owner or new.id not in self.fresh:
                    return False
                return self.taken.setdefault(new.id, attribute) == attribute
            case ast.Name(id=name), _ if name == self.owner:
                return False
        if isinstance(new, (ast.Name, ast.arg)):
            name = new.id if isinstance(new, ast.Name) else new.arg
            if name in self.fresh:
                return False
        if not isinstance(old, ast.AST) or not isinstance(new, ast.AST):
            return type(old) is type(new) and old == new
        fields = old._fields if type(old) is type(new) else None
        return fields is not None and all(
            self._same(getattr(old, each, None), getattr(new, each, None)) for each in fields
        )


def _reasons(
    change: ClassChange, method: Function, taken: Mapping[str, str]
) -> Iterator[tuple[ast.AST, str]]:
    """Yield why a static method that takes some attributes may not do what the bound one did."""
    family = change.new.family(change.after)
    for cls in family:
        also = sorted(_OF_STATE & cls.methods.keys())
        if also and taken:
            yield method, f"and `{cls.name}` has `{also[0]}` (line {cls.methods[also[0]].lineno})"
        if cls.qualname != change.after.qualname and method.name in cls.methods:
            line = cls.methods[method.name].lineno
            yield method, f"but `{cls.name}` has another one (line {line})"
    for attribute in taken.values():
        yield from _sets(change, family, method, attribute)
    for module in change.new.project.mentions(method.name):
        for use in module.attributes_by_name.get(method.name, ()):
            named = last_part(use.value) in {cls.name for cls in family}
            if not named and not writes.may_be(change.new, module, use.value, family):
                continue
            if named or not _passes(module, use, taken):
                yield (
                    method,
                    f"but `{dotted(use)}` does not pass what it takes (line {use.lineno})",
                )


def _sets(
    change: ClassChange, family: list[Class], method: Function, attribute: str
) -> Iterator[tuple[ast.AST, str]]:
    """Yield where an attribute gets another value than the constructor gave it."""
    for cls in family:
        if attribute in cls.methods:
            line = cls.methods[attribute].lineno
            yield method, f"but `{attribute}` is a method or property (line {line})"
    for write in (
        *writes.in_family(change.new, family, attribute),
        *writes.outside(change.new, family, attribute),
    ):
        if write.function is None or write.function.name != "__init__":
            yield method, f"but `{attribute}`, which it takes, is set later (line {write.line})"


def _passes(module: Module, use: ast.Attribute, taken: Mapping[str, str]) -> bool:
    """Return whether a use of a method passes it the attributes of the object that it is read from."""
    if not taken:
        return isinstance(use.ctx, ast.Load)
    call = module.parent(use)
    if not isinstance(call, ast.Call):
        return False
    partial = use in call.args[:1] and last_part(call.func) == "partial"
    passed = {each.arg: each.value for each in call.keywords}
    return (partial or call.func is use) and all(
        dotted(passed.get(name)) == f"{dotted(use.value)}.{attribute}"
        for name, attribute in taken.items()
    )


__all__ = ["check"]
