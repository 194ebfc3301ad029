"""Who goes through the members of a class: metaclasses, `__init_subclass__`, decorators, `vars(cls)`, `dir(rows)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    dotted,
    executed,
    last_part,
    parameters,
    within,
)
from dlfix.project.module import Module
from dlfix.project.syntax import attributes_of

_LISTS = frozenset({"dir", "getmembers", "getmembers_static", "classify_class_attrs"})
_BASES = frozenset({"__mro__", "mro", "__bases__"})
_OF_DESCRIPTORS = frozenset({"__get__", "__set__", "__delete__"})
_OF_ONE = frozenset({"get", "pop", "setdefault"})
# What tests for functions and properties are called: others pick members of another kind.
_OF_FUNCTIONS = frozenset(
    "FunctionType MethodType Callable property cached_property isfunction ismethod isroutine"
    " isdatadescriptor callable".split()
)
_FAR = 3  # how far functions that get the class are followed


class Listing(NamedTuple):
    """Code that goes through the members of a class."""

    module: Module
    node: ast.expr


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the code that would come to members that the class did not have, or miss some."""
    changed = _members(change.before) ^ _members(change.after)
    if not changed:
        return
    for listing in (*_by_hooks(change), *_outside(change)):
        seen = sorted(name for name in changed if not _passes_over(listing, name))
        if seen:
            line = getattr(listing.node, "lineno", 1)
            yield change.regression(
                change.after.node,
                f"code goes through the members of the class ({listing.module.path.name}:{line}), but the fix "
                f"changes `{seen[0]}`",
            )
            return


def _members(cls: Class) -> set[str]:
    return {each.name for each in cls.functions} | cls.values.keys()


def _by_hooks(change: ClassChange) -> Iterator[Listing]:
    """Yield what metaclasses, `__init_subclass__` of bases and decorators go through."""
    for module, function, classes, tables in hooks(change.new, change.after):
        yield from _in_function(change.new, module, function, classes, tables, _FAR)


def hooks(
    program: Program, cls: Class
) -> Iterator[tuple[Module, Function, frozenset[str], frozenset[str]]]:
    """Yield the functions that run when a class is defined, with their names for it and its members."""
    nothing: frozenset[str] = frozenset()
    for base in program.lineage(cls):
        if base is not cls and "__init_subclass__" in base.methods:
            function = base.methods["__init_subclass__"]
            yield base.module, function, frozenset(parameters(function)[:1]), nothing
        for keyword in base.node.keywords:
            meta = program.class_of(base.module, keyword.value) if keyword.arg else None
            for each in program.lineage(meta) if keyword.arg == "metaclass" and meta else ():
                for name in {"__new__", "__init__"} & each.methods.keys():
                    function = each.methods[name]
                    given = parameters(function)
                    own = frozenset(given[:1] if name == "__init__" else ())
                    yield each.module, function, own | _made(function), frozenset(given[3:4])
    for decorator in cls.node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = program.function_of(cls.module, target)
        if found is not None:
            inner = [n for n in found[1].body if isinstance(n, FUNCTIONS)]
            makes = target is not decorator and inner  # `@traced(level=1)`
            for function in inner if makes else [found[1]]:
                yield found[0], function, frozenset(parameters(function)[:1]), nothing


def _made(function: Function) -> frozenset[str]:
    """Return the names of the class that the `__new__` of a metaclass makes."""
    return frozenset(
        dotted(target)
        for node in executed(function.body)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if last_part(node.value.func) == "__new__"
        for target in node.targets
    )


def _in_function(
    program: Program,
    module: Module,
    function: Function,
    classes: frozenset[str],
    tables: frozenset[str],
    far: int,
) -> Iterator[Listing]:
    classes |= _bases_gone_through(function, classes)
    for node in executed(function.body):
        if isinstance(node, ast.expr) and _shows(module, node, classes, tables):
            yield Listing(module, node)
        known = program.function_of(module, node.func) if isinstance(node, ast.Call) else None
        if known is None or not far or not isinstance(node, ast.Call):
            continue
        names = parameters(known[1])
        pairs = [(name, dotted(given)) for name, given in zip(names, node.args, strict=False)]
        own = frozenset(name for name, given in pairs if given in classes)
        rows = frozenset(name for name, given in pairs if given in tables)
        if own or rows:
            yield from _in_function(program, *known, own, rows, far - 1)


def _bases_gone_through(function: Function, classes: frozenset[str]) -> frozenset[str]:
    """Return the names that loops give the class and its bases: `for base in cls.__mro__`."""
    loops = (n for n in executed(function.body) if isinstance(n, (ast.For, ast.comprehension)))
    return frozenset(
        dotted(loop.target)
        for loop in loops
        for node in within(loop.iter)
        if isinstance(node, ast.Attribute) and node.attr in _BASES and dotted(node.value) in classes
    )


def _shows(module: Module, node: ast.expr, classes: frozenset[str], tables: frozenset[str]) -> bool:
    """Return whether an expression gives all members of a class."""
    if isinstance(node, ast.Name) and node.id in tables and isinstance(node.ctx, ast.Load):
        return not _is_of_one(module, node)
    shown = attributes_of(node)
    if shown is not None and dotted(shown) in classes:
        return not _is_of_one(module, node)
    is_list = isinstance(node, ast.Call) and last_part(node.func) in _LISTS
    return isinstance(node, ast.Call) and is_list and _first(node) in classes


def _first(call: ast.Call) -> str:
    return dotted(call.args[0]) if call.args else ""


def _is_of_one(module: Module, table: ast.expr) -> bool:
    """Return whether an expression takes one member of a table by its name, or hands it on to `type`."""
    match module.parent(table):
        case ast.Subscript(slice=ast.Constant()):
            return True
        case ast.Compare(left=ast.Constant()):
            return True
        case ast.Attribute(attr=name) as method if name in _OF_ONE:
            call = module.parent(method)
            return isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant)
        case ast.Call(func=func):
            return last_part(func) in ("__new__", "__init__", "type", "__init_subclass__")
    return False


def _outside(change: ClassChange) -> Iterator[Listing]:
    """Yield where other code goes through the members of the class, or of an object of it."""
    classes = [change.after, *change.new.heirs(change.after)]
    for word in ("vars", "__dict__", *sorted(_LISTS)):
        for module in change.new.project.mentions(word):
            for node in module.nodes_by_name.get(word, ()):
                shown = _shown(module, node)
                if shown is None or _is_of_one(module, shown[0]):
                    continue
                held = whose_class(shown[1])
                of_class = change.new.class_of(module, shown[1]) in classes
                is_list = word in _LISTS
                if of_class or (
                    (held is not None or is_list)
                    and may_be_object(change, module, held or shown[1], classes)
                ):
                    yield Listing(module, shown[0])


def _shown(module: Module, node: ast.Name | ast.Attribute) -> tuple[ast.expr, ast.expr] | None:
    """Return the expression that gives all members of something, and that something."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node, node.value
    call = module.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or not call.args:
        return None
    return call, call.args[0]


# Which members code passes over


def _passes_over(listing: Listing, name: str) -> bool:
    """Return whether the code that goes through members leaves one of this name out."""
    tests = list(tests_of_members(listing.module, listing.node))
    return any(_leaves_out(node, name) for test in tests for node in _conditions(test))


def _conditions(test: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a test, without the types that it rules out: `not isinstance(value, staticmethod)`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="isinstance"))):
            return
    yield test
    for part in ast.iter_child_nodes(test):
        yield from _conditions(part)


def tests_of_members(module: Module, node: ast.expr) -> Iterator[ast.expr]:
    """Yield the tests that decide for each member: of the loop, of the comprehension, or of the call itself."""
    if isinstance(node, ast.Call):
        yield from node.args[1:]
    for above in module.ancestors(node):
        if isinstance(above, ast.comprehension):
            yield from above.ifs
        elif isinstance(above, ast.For) and any(n is node for n in ast.walk(above.iter)):
            yield from (each.test for each in above.body if isinstance(each, ast.If))
        elif isinstance(above, ast.stmt):
            return


def _leaves_out(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(
            func=ast.Attribute(attr="startswith"), args=[ast.Constant(value=str(prefix))]
        ):
            return name.startswith(prefix) == prefix.startswith("_")
        case ast.Call(func=ast.Attribute(attr="endswith"), args=[ast.Constant(value=str(ending))]):
            return not name.endswith(ending)
        case ast.Call(
            func=ast.Name(id="hasattr" | "getattr"), args=[_, ast.Constant(value=mark), *_]
        ):
            return mark not in _OF_DESCRIPTORS  # members that are marked
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            return not any(last_part(each) in _OF_FUNCTIONS for each in ast.walk(kinds))
        case ast.Name() | ast.Attribute():
            return last_part(node) == "isclass"
    return False


__all__ = ["check", "hooks", "tests_of_members"]
