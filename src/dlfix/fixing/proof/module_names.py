"""Names that a module has now: who goes through all names of it, and who gets them by a star import."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeGuard

from dlfix.fixing.proof import modules_meant
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.members import tests_of_members
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import last_part, within
from dlfix.project.bindings import Binding
from dlfix.project.module import Module

_LISTS = frozenset({"dir", "getmembers", "getmembers_static"})
_TABLES = frozenset({"vars", "__dict__", "globals", "locals"})
_ALL = frozenset({"items", "values", "keys", "copy"})
_TAKE_ALL = frozenset(
    "list tuple set frozenset dict sorted iter enumerate filter map reversed len any all update".split()
)
# What each test asks for: it leaves out what is of another kind.
_KINDS = {
    "isfunction": {"function"}, "isroutine": {"function"}, "isclass": {"class"}, "ismodule": {"import"},
    "callable": {"function", "class"}, "FunctionType": {"function"}, "Callable": {"function", "class"},
    "type": {"class"}, "ModuleType": {"import"}, "isgeneratorfunction": {"function"},
}  # fmt: skip
_PROTOCOLS = frozenset(
    {"Protocol", "ABC", "ABCMeta"}
)  # which a class may be of without naming them
_SHAPES: dict[str, Callable[[str], bool]] = {"islower": str.islower, "isupper": str.isupper}


def check(change: FileChange) -> Iterator[Regression]:
    """Yield what other code would meet that goes through the names of a module, or gets all of them."""
    had = change.before.scope.bindings
    new = {name: found for name, found in change.after.scope.bindings.items() if name not in had}
    if new:
        yield from _listed(change, new)
        yield from _looked_up(change, new)
        yield from _starred(change, new)


# Who goes through the names


def _listed(change: FileChange, new: dict[str, list[Binding]]) -> Iterator[Regression]:
    # The program as it was: a module that the fix imports again by its name is one that was kept.
    for module, node in _listings(change.old, change.before):
        tests = [*tests_of_members(module, node)]
        seen = sorted(
            n
            for n, found in new.items()
            if not _is_left_out(tests, n, _kind(found))
            and not _is_no_heir(change.old, module, tests, found)
        )
        if seen:
            yield change.regression(
                seen[0],
                new[seen[0]][0].node,
                "code goes through the names of the module "
                f"({module.path.name}:{node.lineno} before the fix), but the fix adds `{seen[0]}`",
            )
            return


def _listings(program: Program, wanted: Module) -> Iterator[tuple[Module, ast.expr]]:
    """Yield the code that goes through all names of a module."""
    for word in sorted(_LISTS | _TABLES):
        for module in program.project.mentions(word):
            for node in module.nodes_by_name.get(word, ()):
                table, owner = _table(module, node)
                if table is None or not _is_of(program, module, table, owner, wanted):
                    continue
                looks_up = isinstance(module.parent(table), ast.Compare)
                if _is_gone_through(module, table) if word in _TABLES else not looks_up:
                    yield module, table


def _table(
    module: Module, node: ast.Name | ast.Attribute
) -> tuple[ast.expr | None, ast.expr | None]:
    """Return the expression that has all names of something, and that something; None where nothing is passed."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node, node.value
    call = module.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None, None
    return call, call.args[0] if call.args else None


def _is_of(
    program: Program, module: Module, table: ast.expr, owner: ast.expr | None, wanted: Module
) -> bool:
    if owner is not None:
        return modules_meant.may_be(program, module, owner, wanted)
    is_global = last_part(getattr(table, "func", None)) == "globals"
    return module.path == wanted.path and (is_global or module.scope_of(table).is_module)


def _is_gone_through(module: Module, table: ast.AST) -> bool:
    """Return whether code takes all that a table has, not what it looks up there."""
    match module.parent(table):
        case ast.Attribute(attr=attr):
            return attr in _ALL
        case ast.Call(func=func) if func is not table:
            return last_part(func) in _TAKE_ALL
        case ast.keyword(arg=None) | ast.For() | ast.comprehension() | ast.Starred():
            return True
        case ast.Dict(keys=keys, values=values) if table in values:
            return keys[values.index(table)] is None
        case ast.Assign(targets=[ast.Name(id=name)]) as statement:
            scope = module.scope_of(statement)
            reads = [each for inner in scope.walk() for each in inner.reads.get(name, ())]
            return any(_is_gone_through(module, each) for each in reads)
    return False


def _kind(bindings: list[Binding]) -> str:
    if any(isinstance(each.node, ast.ClassDef) for each in bindings):
        return "class"
    return "import" if all(each.kind == "import" for each in bindings) else "function"


def _is_left_out(tests: list[ast.expr], name: str, kind: str) -> bool:
    return any(_leaves_out(node, name, kind) for test in tests for node in ast.walk(test))


def _is_no_heir(
    program: Program, module: Module, tests: list[ast.expr], bindings: list[Binding]
) -> bool:
    """Return whether a class that derives from nothing is asked whether it derives from some class."""
    classes = [each.node for each in bindings]
    if not all(isinstance(each, ast.ClassDef) and _derives_from_nothing(each) for each in classes):
        return False
    asked = [call for test in tests for call in ast.walk(test) if _asks_for_heirs(call)]
    return any(_is_plain_class(program, module, call.args[1]) for call in asked)


def _derives_from_nothing(node: ast.ClassDef) -> bool:
    return not node.keywords and all(last_part(each) == "object" for each in node.bases)


def _asks_for_heirs(node: ast.AST) -> TypeGuard[ast.Call]:
    match node:
        case ast.Call(func=ast.Name(id="issubclass"), args=[_, _]):
            return True
    return False


def _is_plain_class(program: Program, module: Module, node: ast.AST | None, far: int = 4) -> bool:
    """Return whether an expression is surely a class that others derive from by naming it: no `object`, no protocol."""
    if not isinstance(node, ast.Name) or not far:
        return False
    found = program.resolve(module, node)
    if found is not None:
        bases = getattr(found[1], "bases", None)
        return bases is not None and not {last_part(each) for each in bases} & _PROTOCOLS
    scope = module.scope_of(node).lookup(node.id)
    bindings = scope.bindings[node.id] if scope is not None else []
    return bool(bindings) and all(
        _is_plain_class(program, module, each.value, far - 1) for each in bindings
    )


def _leaves_out(test: ast.AST, name: str, kind: str) -> bool:
    """Return whether a test of each name, or of what has it, leaves one out."""
    match test:
        case ast.Call(
            func=ast.Attribute(attr="startswith"), args=[ast.Constant(value=str(prefix))]
        ):
            return name.startswith(prefix) == prefix.startswith("_")
        case ast.Call(func=ast.Attribute(attr="endswith"), args=[ast.Constant(value=str(ending))]):
            return not name.endswith(ending)
        case ast.Call(func=ast.Attribute(attr=attr), args=[]) if attr in _SHAPES:
            return not _SHAPES[attr](name)
        case ast.Compare(left=ast.Subscript(), comparators=[ast.Constant(value="_")]):
            return name.startswith("_")
        case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[_, ast.Constant(), *_]):
            return True  # what is marked
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            named = [_KINDS.get(last_part(each), set()) for each in within(kinds)]
            return not any(kind in each for each in named)
        case ast.Call(func=ast.Name(id="issubclass")):
            return kind != "class"
        case ast.Name() | ast.Attribute() if last_part(test) in _KINDS:
            return kind not in _KINDS[last_part(test)]
    return False


# Who looks a name up


def _looked_up(change: FileChange, new: dict[str, list[Binding]]) -> Iterator[Regression]:
    """Yield the names, spelled as texts or put together of such, that code may ask the module for: `getattr(hooks, name, None)`."""
    words = dict.fromkeys(word for name in new for word in (name, *name.split("_")) if word)
    saying = (module for word in words for module in change.new.project.mentions(word))
    for module in dict.fromkeys(saying):
        lookups = list(_lookups(module))
        constants = module.of_kind(ast.Constant) if lookups else []
        texts = {text for each in constants if isinstance(text := each.value, str)}
        for call in lookups:
            spelled = next((name for name in new if _may_be_asked(call, name, texts)), None)
            if spelled and modules_meant.may_be(change.new, module, call.args[0], change.after):
                yield change.regression(
                    spelled,
                    new[spelled][0].node,
                    f"code may look up `{spelled}` in the module ({module.path.name}:{call.lineno}), "
                    "and now finds it",
                )
                return


def _lookups(module: Module) -> Iterator[ast.Call]:
    for function in ("getattr", "hasattr"):
        if module.says(function):
            yield from (c for c in module.calls_by_name.get(function, ()) if len(c.args) > 1)


def _may_be_asked(call: ast.Call, name: str, texts: set[str]) -> bool:
    """Return whether a lookup may be of a name, as the texts of its module go: `getattr(hooks, "_" + part)`."""
    asked = call.args[1]
    if isinstance(asked, ast.Constant):
        return asked.value == name
    bare = {text.strip("_") for text in texts if text.isidentifier()}
    return name in texts or any(text and text in name.split("_") for text in bare)


# Who gets them by a star import


def _starred(change: FileChange, new: dict[str, list[Binding]]) -> Iterator[Regression]:
    """Yield what another module means by a name that it gets from this one now."""
    public = [name for name in new if change.after.exports(name)]
    importing = _importing(change.new, change.after) if public else []
    for name in public if importing else ():
        for module, node in _meanings(change.new, [change.after, *importing], name):
            yield change.regression(
                name,
                new[name][0].node,
                f"`{name}` may mean something else ({module.path.name}:{getattr(node, 'lineno', 1)}) where "
                "all names of the module are imported",
            )
            break


def _importing(program: Program, source: Module) -> list[Module]:
    """Return the modules that get all names of a module, itself or through others."""
    found = [source]
    for each in found:  # grows while it is read
        for other in program.project.mentions(each.name.rpartition(".")[2]):
            if other not in found and any(
                program.project.find(origin, other) is each
                for origin in _star_origins(program, other)
            ):
                found.append(other)
    return found[1:]


def _star_origins(program: Program, module: Module) -> Iterator[str]:
    for node in module.nodes(ast.ImportFrom):
        if node.names[0].name == "*":
            origin = node.module or ""
            is_near = bool(node.level)
            yield program.project.relative(module, node.level, node.module) if is_near else origin


def _meanings(
    program: Program, sources: list[Module], name: str
) -> Iterator[tuple[Module, ast.AST]]:
    """Yield where code names something that it has from some modules, or that one of those has under the name."""
    for module in program.project.mentions(name):
        for statement in module.nodes(ast.ImportFrom):
            if any(alias.name == name for alias in statement.names):
                origin = statement.module or ""
                if statement.level:
                    origin = program.project.relative(module, statement.level, statement.module)
                if program.project.find(origin, module) in sources:
                    yield module, statement
        is_given = module in sources[1:]
        for binding in module.scope.bindings.get(name, ()) if is_given else ():
            yield module, binding.node
        for node in module.nodes_by_name.get(name, ()):
            if isinstance(node, ast.Attribute):
                if any(modules_meant.may_be(program, module, node.value, s) for s in sources):
                    yield module, node
            elif is_given:
                scope = module.scope_of(node).lookup(name)
                if scope is None or scope.is_module:
                    yield module, node


__all__ = ["check"]
