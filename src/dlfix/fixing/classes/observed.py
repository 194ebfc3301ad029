"""What code around a class observes of it, and goes on observing: errors, attributes, files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    self_name,
    self_names_used,
)
from dlfix.fixing.classes.inputs import STATE_METHODS, Inputs
from dlfix.project.import_time import FUNCTIONS
from dlfix.project.module import Module

MODELS = ("BaseModel", "BaseSettings", "NamedTuple", "TypedDict", "Struct")
REMOVERS = ("unlink", "remove", "rmtree", "removedirs", "rmdir", "cleanup")
TEMPORARY = ("TemporaryDirectory", "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile")


def tried_at(inputs: Inputs | None) -> str:
    """Return where a caller catches what the constructor raises; empty where none does."""
    if inputs is None:
        return ""
    for module, call in inputs.calls:
        found = _tried(module, call) or _maker_tried(inputs, module, call)
        if found:
            return found
    return ""


def _tried(module: Module, node: ast.AST) -> str:
    inner: ast.AST = node
    for each in module.ancestors(node):
        if isinstance(each, (*FUNCTIONS, ast.Lambda)):
            return ""
        caught = isinstance(each, ast.Try) and inner in each.body and _goes_on(each)
        if caught or (isinstance(each, ast.With) and inner in each.body and _suppresses(each)):
            return f"{module.path.name}:{getattr(each, 'lineno', 1)}"
        inner = each
    return ""


def _maker_tried(inputs: Inputs, module: Module, call: ast.Call) -> str:
    """Return where a caller catches what a function raises that makes an instance."""
    maker = next((e for e in module.ancestors(call) if isinstance(e, FUNCTIONS)), None)
    if maker is None or maker.name == "main":
        return ""
    for user in inputs.project.callers(module, maker.name):
        for each in user.calls_by_name.get(maker.name, ()):
            found = _tried(user, each)
            if found:
                return found
    return ""


def _goes_on(statement: ast.Try) -> bool:
    return any(not isinstance(each.body[-1], ast.Raise) for each in statement.handlers)


def _suppresses(statement: ast.With) -> bool:
    return any("suppress(" in ast.unparse(each.context_expr) for each in statement.items)


def seen_whole_at(inputs: Inputs | None) -> str:
    """Return where all attributes of an instance are looked at together; empty if nowhere."""
    if inputs is None:
        return ""
    for facts in inputs.related.all:
        for method in facts.all_methods:
            if method.name in STATE_METHODS:
                continue
            for node in ast.walk(method):
                if _is_whole(node, self_name(method)):
                    return facts.line(node)
    return ""


def fields_seen_at(inputs: Inputs | None) -> str:
    """Return where the project goes through the fields of its data classes; empty if nowhere."""
    if inputs is None:
        return ""
    for name in ("fields", "asdict", "astuple"):
        for module in inputs.project.mentions(name):
            for call in module.calls_by_name.get(name, ()):
                if ast.unparse(call.func) in (name, f"dataclasses.{name}"):
                    return f"{module.path.name}:{call.lineno}"
    return ""


def _is_whole(node: ast.AST, me: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)]):
            return name == me
        case ast.Attribute(value=ast.Name(id=name), attr="__dict__"):
            return name == me
    return False


def declared_at(facts: ClassFacts, name: str) -> str:
    """Return where a class declares a field for its constructor to take; empty if nowhere."""
    field = facts.fields.get(name)
    if field is None:
        return ""
    bases = {ast.unparse(each).rpartition(".")[2].partition("[")[0] for each in facts.node.bases}
    decorators = [ast.unparse(each) for each in facts.node.decorator_list]
    made = any("dataclass" in each or "attr" in each or "define" in each for each in decorators)
    if not made and not bases & set(MODELS):
        return ""
    value = ast.unparse(field.value) if field.value is not None else ""
    if made and ("init=False" in value or value == "None"):
        return ""
    return facts.line(field)


def gone_at(facts: ClassFacts, site: StoreSite, inputs: Inputs | None) -> str:
    """Return where what was opened is removed once it is open; empty if it stays."""
    method = site.method
    for each in facts.module.ancestors(site.statement):
        if each is method:
            break
        if isinstance(each, (ast.With, ast.AsyncWith)) and _is_temporary(each):
            return facts.line(each)
    names = _names(site.value) | _paths_before(method, site)
    for node in ast.walk(method):
        if (
            _removes(node, names)
            and facts.module.span(node).start > facts.module.span(site.statement).start
        ):
            return facts.line(node)
    if inputs is not None and method.name in STARTS:
        for module, call in inputs.calls:
            found = _removed_after(module, call, _touching(facts, site.attribute))
            if found:
                return found
    return ""


def _touching(facts: ClassFacts, attribute: str) -> set[str]:
    """Return the attribute, and the methods that may read it."""
    found = {attribute}
    size = 0
    while size != len(found):
        size = len(found)
        found |= {
            method.name for method in facts.all_methods if found & set(self_names_used(method))
        }
    return found


def _is_temporary(statement: ast.With | ast.AsyncWith) -> bool:
    return any(
        name in ast.unparse(each.context_expr) for each in statement.items for name in TEMPORARY
    )


def _paths_before(method: Method, site: StoreSite) -> set[str]:
    """Return the local names that what is opened is made of."""
    names = _names(site.value)
    for _ in range(4):
        for node in ast.walk(method):
            if isinstance(node, ast.Assign) and names & {
                each.id for each in node.targets if isinstance(each, ast.Name)
            }:
                names |= _names(node.value)
    return names - {self_name(method)}


def _names(node: ast.AST | None) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node else set()


def _removes(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=arguments):
            if attr not in REMOVERS or (attr == "remove" and ast.unparse(owner) != "os"):
                return False
            return bool(_names(owner) & names) or any(_names(each) & names for each in arguments)
    return False


def _removed_after(module: Module, call: ast.Call, opening: set[str]) -> str:
    """Return where the function that makes an instance removes what it passed, before it is used up.

    `opening` are the attributes whose use may open it again.
    """
    passed = {
        each.id
        for argument in (*call.args, *(k.value for k in call.keywords))
        for each in ast.walk(argument)
        if isinstance(each, ast.Name)
    }
    function = next((e for e in module.ancestors(call) if isinstance(e, FUNCTIONS)), None)
    around = function if function is not None else module.parent(module.statement(call))
    if around is None:
        return ""
    for with_ in ast.walk(around):
        around_it = isinstance(with_, ast.With) and call in ast.walk(with_)
        if isinstance(with_, ast.With) and around_it and _is_temporary(with_):
            if not _returned_from(module, with_, call, opening):
                continue
            return f"{module.path.name}:{with_.lineno}"
    for statement in _after(module, call):
        for node in ast.walk(statement):
            if _removes(node, passed) and not _uses_loader(module, call, node):
                return f"{module.path.name}:{getattr(node, 'lineno', 1)}"
    return ""


def _returned_from(module: Module, with_: ast.With, call: ast.Call, opening: set[str]) -> bool:
    """Tell whether what a call makes leaves a `with` that removes its files."""
    statement = module.statement(call)
    if isinstance(statement, ast.Return):
        return True
    names = {each.id for each in getattr(statement, "targets", []) if isinstance(each, ast.Name)}
    if any(isinstance(each, ast.Compare) for each in _up_to(module, call, statement)):
        return False
    inside = set(ast.walk(with_))
    scope = module.scope_of(call)
    return any(
        node not in inside and module.scope_of(node) is scope and isinstance(node.ctx, ast.Load)
        and module.span(node).start > module.span(with_).start
        for name in names
        for node in module.nodes_by_name.get(name, ())
        if isinstance(node, ast.Name) and not _reads_plainly(module, node, opening)
    )  # fmt: skip


def _reads_plainly(module: Module, node: ast.Name, opening: set[str]) -> bool:
    """Tell whether an object is only asked for an attribute, or its length, and that opens nothing."""
    match module.parent(node):
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name not in opening
        case ast.Call(func=ast.Name(id=("len" | "repr" | "str") as name)):
            return f"__{name}__" not in opening
    return False


def _up_to(module: Module, node: ast.AST, end: ast.AST) -> Iterator[ast.AST]:
    """Yield what is around a node, up to a statement."""
    for each in module.ancestors(node):
        if each is end:
            return
        yield each


def _after(module: Module, call: ast.Call) -> Iterator[ast.stmt]:
    """Yield the statements that follow a call in the blocks around it."""
    inner: ast.AST = module.statement(call)
    for each in (inner, *module.ancestors(inner)):
        parent = module.parent(each)
        for part in ("body", "orelse", "finalbody"):
            block = getattr(parent, part, [])
            if isinstance(block, list) and each in block:
                yield from block[block.index(each) + 1 :]
        if isinstance(parent, FUNCTIONS):
            return


def _uses_loader(module: Module, call: ast.Call, removal: ast.AST) -> bool:
    """Tell whether a loader is gone through between the making of an instance and a removal."""
    begin, end = module.span(call).start, module.span(removal).start
    return any(
        begin < module.span(each).start < end
        for each in module.nodes(ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    )
