"""Names of modules and classes that code sets without spelling them: `setattr(Config, name, value)`, `vars(settings).update(read)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.bodies import FUNCTIONS
from dlfix.project.syntax import attributes_of, dotted, first_parameter, positional
from dlfix.project.trees import walk
from dlfix.reach.methods import decorator_kind
from dlfix.reach.set_by_call import names_set, owner_set, setting
from dlfix.reach.values import Bound, Class, Constant, Container, ModuleValue

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Frame, Value

_WORDS = ("setattr", "vars", "__dict__")
_LITERALS = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context)
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)


@dataclass(frozen=True)
class ComputedWrite:
    """Code that sets names of a module or class of the tree: those in `names`, or others as well where it is `open`."""

    where: Module
    node: ast.expr
    owner: ast.expr
    bindings: Mapping[str, list[Binding]]  # what an import gives to names of the module or class
    names: frozenset[str]
    is_open: bool

    def may_set(self, name: str, analysis: Analysis) -> bool:
        """Return whether it may set a name: of names that are not in view, those that hold plain values are meant."""
        if name in self.names:
            return True
        if not self.is_open or name.startswith("_") or not self.is_plain(name):
            return False
        options = _options(self, analysis)
        if options is not None:
            return name.casefold() in options
        return not self.names and _has_case(self.node, name)

    def is_plain(self, name: str) -> bool:
        """Return whether an import gives a name a value that is written out: what a file of settings changes."""
        bindings = self.bindings.get(name, [])
        return bool(bindings) and all(
            each.kind == "assign" and not each.path and is_written_out(each.value)
            for each in bindings
        )


def computed_writes(analysis: Analysis, owner: Module | ast.ClassDef) -> list[ComputedWrite]:
    """Return the code that sets names of a module or class without spelling them as attributes."""
    return _by_owner(analysis).get(owner, [])


def sets_on_classes(analysis: Analysis) -> bool:
    """Return whether any code sets names of a class without spelling them."""
    return any(isinstance(owner, ast.ClassDef) for owner in _by_owner(analysis))


def _by_owner(analysis: Analysis) -> dict[Module | ast.ClassDef, list[ComputedWrite]]:
    found: dict[Module | ast.ClassDef, list[ComputedWrite]] = analysis.once(
        "computed_writes", lambda: _all(analysis)
    )
    return found


def _all(analysis: Analysis) -> dict[Module | ast.ClassDef, list[ComputedWrite]]:
    found: dict[Module | ast.ClassDef, list[ComputedWrite]] = {}
    places = {each: None for word in _WORDS for each in analysis.project.mentions(word)}
    for where in places:
        for node, owner in _setting(where):
            for held, bindings in _owners(owner, where, analysis):
                frame = analysis.interpreter.frame_at(where, node)
                names, is_open = _names(node, frame, analysis)
                write = ComputedWrite(where, node, owner, bindings, names, is_open)
                found.setdefault(held, []).append(write)
    return found


def _setting(where: Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the calls and items that set attributes by their names, each with the object that they are set on."""
    for name in ("setattr", "update", "setdefault"):
        for call in where.calls_by_name.get(name, ()):
            owner = owner_set(call)
            if owner is not None:
                yield call, owner
    for name in ("vars", "__dict__"):
        for named in where.nodes_by_name.get(name, ()):
            attributes = where.parent(named) if name == "vars" else named
            held = where.parent(attributes) if attributes is not None else None
            owner = attributes_of(attributes)
            if isinstance(held, ast.Subscript) and isinstance(held.ctx, ast.Store) and owner:
                yield held, owner


def _owners(
    owner: ast.expr, where: Module, analysis: Analysis
) -> Iterator[tuple[Module | ast.ClassDef, Mapping[str, list[Binding]]]]:
    """Yield the modules and classes of the tree that an expression stands for, each with what it binds."""
    if not _may_own(owner, where):
        return
    frame = analysis.interpreter.frame_at(where, owner)
    for value in analysis.interpreter.values_at(owner, frame):
        if isinstance(value, ModuleValue) and value.module is not None:
            yield value.module, value.module.scope.bindings
        elif isinstance(value, Class):
            yield value.node, value.module.inner_scope(value.node).bindings


def _may_own(owner: ast.expr, where: Module) -> bool:
    """Return whether it is worth while to evaluate an expression: most that code sets attributes of is an object."""
    base = owner
    while isinstance(base, (ast.Attribute, ast.Subscript)):
        base = base.value
    if not isinstance(base, ast.Name):
        return isinstance(base, ast.Call)
    scope = where.scope_of(owner).lookup(base.id)
    bindings = scope.bindings.get(base.id, []) if scope is not None else []
    if any(each.kind in ("import", "class") for each in bindings):
        return True
    if owner is not base or scope is None or not scope.is_function:
        return False
    node = scope.node
    if isinstance(node, FUNCTIONS) and decorator_kind(node) == "classmethod":
        return base.id == first_parameter(node)
    is_method = isinstance(where.parent(node), ast.ClassDef)
    is_parameter = isinstance(node, FUNCTIONS) and base.id in positional(node)
    imports = any("import_module" in _words(b.value) for b in bindings)
    return (
        imports
        or (is_parameter and not is_method)
        or any(
            dotted(each.value.value if isinstance(each.value, ast.Subscript) else None)
            == "sys.modules"
            for each in bindings
        )
    )


def _words(node: ast.AST | None) -> set[str]:
    return (
        {getattr(each, "attr", getattr(each, "id", "")) for each in walk(node)} if node else set()
    )


def _names(node: ast.expr, frame: Frame, analysis: Analysis) -> tuple[frozenset[str], bool]:
    """Return the names that code sets, and whether it may set others."""
    interpreter = analysis.interpreter
    if isinstance(node, ast.Subscript):
        return _texts(interpreter.values_at(node.slice, frame))
    assert isinstance(node, ast.Call)
    if setting(node):
        found = [each for names in names_set(node, frame, interpreter) for each in names]
        return _texts(found)
    named = {each.arg for each in node.keywords if each.arg is not None}
    given = [*node.args, *(each.value for each in node.keywords if each.arg is None)]
    if not setting(node) and getattr(node.func, "attr", "") == "setdefault":
        return _texts(interpreter.values_at(node.args[0], frame)) if node.args else _texts([])
    is_open = False
    for each in given:
        held = [v for v in interpreter.values(Bound(each, frame)) if isinstance(v, Container)]
        is_open = is_open or not held
        for container in held:
            keys = [key for key, _ in container.items]
            named |= {key for key in keys if isinstance(key, str)}
            is_open = is_open or container.is_open or None in keys
    return frozenset(named), is_open


def _texts(values: Sequence[Value]) -> tuple[frozenset[str], bool]:
    known = [
        each.value for each in values if isinstance(each, Constant) and isinstance(each.value, str)
    ]
    return frozenset(known), len(known) < len(values) or not values


def is_written_out(value: ast.expr | None) -> bool:
    """Return whether an expression is a literal, or a display of such."""
    return value is not None and all(
        isinstance(each, (*_LITERALS, *_DISPLAYS)) for each in walk(value)
    )


def _has_case(node: ast.expr, name: str) -> bool:
    """Return whether a name is in the case that the code turns names into, where it does."""
    called = _words(node)
    if "upper" in called:
        return name == name.upper()
    return name == name.lower() if "lower" in called else True


def _options(write: ComputedWrite, analysis: Analysis) -> set[str] | None:
    """Return the options of the program, in lower case, where their names are set: `for name in vars(args)`."""
    above = [each for each in write.where.ancestors(write.node) if isinstance(each, ast.For)]
    sources = [each.iter for each in above] + [*getattr(write.node, "args", ())]
    called = [
        each.args[0]
        for source in sources
        for each in walk(source)
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") == "vars" and each.args
    ]
    if not called:
        return None
    options = set()
    for module in analysis.project.mentions("add_argument"):
        for call in module.calls_by_name.get("add_argument", ()):
            for each in call.args:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    options.add(each.value.lstrip("-").replace("-", "_").casefold())
    return options


__all__ = ["ComputedWrite", "computed_writes", "is_written_out", "sets_on_classes"]
