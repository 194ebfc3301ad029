"""How a worker gives a table, or a configuration object, what the parent's holds: the object stays the same one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlfix.project.syntax import ADDING, MUTATORS, last_name
from dlfix.reach.global_state import Use, method_called, whole_part
from dlfix.reach.values import Class, Container, Derived, External, ExternalCall, Instance, Value
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.dlf303_global_set_in_main import SetInParent

_NAMESPACES = frozenset({"argparse.Namespace", "types.SimpleNamespace"})
_PARSED = frozenset({"parse_args", "parse_intermixed_args"})
_MAPPINGS = frozenset(
    [
        "addict.Dict",
        "builtins.dict",
        "collections.Counter",
        "collections.OrderedDict",
        "collections.defaultdict",
        "detectron2.config.CfgNode",
        "dict",
        "easydict.EasyDict",
        "fvcore.common.config.CfgNode",
        "yacs.config.CfgNode",
    ]
)
# What a class may define that has a say in what its objects hold.
_OF_MAPPINGS = frozenset({"update", "__setitem__"})
_OF_ATTRIBUTES = frozenset({"__slots__", "__setattr__", "__getattribute__"})


class Filled(NamedTuple):
    """An object by its name in a module, and the statement that gives it what `value` holds."""

    name: str
    statement: str
    imports: tuple[str, ...] = ()  # modules to import


def filled(
    evidence: SetInParent, analysis: Analysis, module: Module, loader: ast.Call
) -> Filled | None:
    """Return how a worker fills an object as the parent has; None where that is not known.

    Not where the parent gives the name another object: then the worker's is another one, too.
    """
    if evidence.write.rebinds or any(map(_takes_away, evidence.name.writes())):
        return None
    imports: tuple[str, ...] = ()
    name = _name_in(module, evidence, analysis)
    if not name:
        dotted = module_name(module, evidence.name.module, analysis)
        name, imports = f"{dotted}.{evidence.name.name}", (dotted,)
        if not dotted:
            return None
    elif module.scope_of(loader).lookup(name.partition(".")[0]) is not module.scope:
        return None
    found = analysis.interpreter.global_name(evidence.name.module, evidence.name.name)
    statements = {_statement(each.value, name, analysis) for each in found}
    statement = statements.pop() if len(statements) == 1 else ""
    return Filled(name, statement, imports) if statement else None


def _name_in(module: Module, evidence: SetInParent, analysis: Analysis) -> str:
    """Return what a module calls the object: a global name, or an attribute of a module; empty where it has none."""
    wanted = evidence.name.module, evidence.name.name
    if module is wanted[0]:
        return wanted[1]
    code = WorkerCode.of(analysis)
    names = (wanted[1], *module.aliases_of(wanted[1]))
    imported = (
        f"{name}.{wanted[1]}"
        for name, bindings in module.scope.bindings.items()
        if {each.kind for each in bindings} == {"import"}
        and code.module_named(module, module.scope, name) is wanted[0]
    )
    own = (each for each in names if code.home(module, each) == wanted)
    return next(own, "") or next(imported, "")


def _takes_away(use: Use) -> bool:
    """Return whether a use removes something: what fills an object again leaves that there."""
    target = whole_part(use.module, use.node)
    call = method_called(use.module, use.node)
    removes = call is not None and last_name(call.func) in MUTATORS - ADDING - {
        "register",
        "reverse",
        "sort",
    }
    return removes or isinstance(getattr(target, "ctx", None), ast.Del)


def module_name(module: Module, wanted: Module, analysis: Analysis) -> str:
    """Return the dotted name under which a module can import another that it imports names from; empty if it cannot."""
    for statement in module.nodes(ast.ImportFrom):
        dotted = statement.module or ""
        if statement.level == 0 and dotted and analysis.project.find(dotted, module) is wanted:
            root = dotted.partition(".")[0]
            scopes = [each for each in module.scope.walk() if root in each.bindings]
            if all(b.kind == "import" for each in scopes for b in each.bindings[root]):
                return dotted
    return ""


def _statement(value: Value, name: str, analysis: Analysis) -> str:
    match value:
        case Container(kind="dict" | "set"):
            return f"{name}.update(value)"
        case Container(kind="list"):
            return f"{name}[:] = value"
        case ExternalCall(name=made) if made in _MAPPINGS:
            return f"{name}.update(value)"
        case ExternalCall(name=made) if made in _NAMESPACES:
            return f"vars({name}).update(vars(value))"
        case Derived(how=made) if made in _PARSED:
            return f"vars({name}).update(vars(value))"
        case Instance(cls=cls):
            return _of_instance(cls, name, analysis)
    return ""


def _of_instance(cls: Class, name: str, analysis: Analysis) -> str:
    """Return how an object of a class of the tree takes what another has: a dict's items, else its attributes."""
    line = [each for each in analysis.mro(cls) if not _is_object(each)]
    others = [each for each in line if not isinstance(each, Class)]
    defined = {name for each in line if isinstance(each, Class) for name in _defined(each)}
    if not others:
        is_plain = defined.isdisjoint(_OF_ATTRIBUTES)
        return f"vars({name}).update(vars(value))" if is_plain else ""
    mapping = all(isinstance(each, External) and each.name in _MAPPINGS for each in others)
    return f"{name}.update(value)" if mapping and defined.isdisjoint(_OF_MAPPINGS) else ""


def _is_object(base: object) -> bool:
    return isinstance(base, External) and base.name in ("object", "builtins.object")


def _defined(cls: Class) -> set[str]:
    return {*cls.module.inner_scope(cls.node).bindings}
