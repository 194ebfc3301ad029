"""Why a callable or a class that crosses cannot be found by its name."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Literal, TypeGuard

from dlfix.catalog import CallableRow
from dlfix.project.module import enclosing_function
from dlfix.project.syntax import FUNCTIONS, last_name, parameters
from dlfix.reach.calls import is_enumeration, makes_class
from dlfix.reach.entry_points import under_guard
from dlfix.reach.interpreter import DECORATED
from dlfix.reach.labels import node_of
from dlfix.reach.values import (
    Bound,
    BoundMethod,
    Class,
    Constant,
    Derived,
    External,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Reached,
    Unknown,
    Value,
)
from dlfix.rules.base import Finding, Place, Rule
from dlfix.rules.reading.other_picklers import is_left_to_another
from dlfix.source.notebook import is_notebook

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Passed

Problem = Literal[
    "lambda", "local", "class", "named", "decorated", "shadowed", "unimportable", "private"
]
_SAYING = frozenset({"qualname", "module"})  # what a call is passed to say where its class is found
_OF_TYPES = {"types.new_class"} | (
    {"dataclasses.make_dataclass"} if sys.version_info < (3, 12) else set()
)  # their classes are of the module `types`
_FINDING = (
    "globals()",
    "setattr(",
    "copyreg",
    "__module__",
    "__qualname__",
)
_REDUCING = ("__reduce__", "__reduce_ex__")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def definition(value: Value | None) -> Function | Class | None:
    """Return the function, or the class of the object, that is sent by its name."""
    if isinstance(value, Instance):
        return value.cls
    return value if isinstance(value, (Function, Class)) else None


def problem(crossing: Crossing, analysis: Analysis) -> Problem | None:
    """Return why pickle cannot find what crosses by its name; None where it can."""
    found = _problem(crossing, analysis)
    if found is not None and _is_left_to_another_pickler(crossing):
        return None
    return None if found == "shadowed" and _is_defined_again(crossing) else found


def _is_left_to_another_pickler(crossing: Crossing) -> bool:
    """Return whether what is sent, or what sends it, is there only where dill or cloudpickle is."""
    made = node_of(crossing.value)
    boundary = crossing.boundary
    return is_left_to_another(boundary.node, boundary.frame.module) or (
        made is not None and is_left_to_another(*made)
    )


def _is_defined_again(crossing: Crossing) -> bool:
    """Return whether a name that leads elsewhere in the end may lead to what is sent when it is sent.

    A class that nobody in view sends is got by its name, and the cells of a notebook are run one by one.
    """
    made = node_of(crossing.value)
    in_cell = made is not None and is_notebook(made[1].path)
    return in_cell or (crossing.boundary.kind == "dataset" and isinstance(crossing.value, Class))


def _problem(crossing: Crossing, analysis: Analysis) -> Problem | None:
    value = crossing.value
    if isinstance(value, BoundMethod):
        return _of_method(value, analysis)
    if isinstance(value, Function):
        return _of_function(value, crossing, analysis)
    if isinstance(value, Class):
        return _of_class(value, analysis)
    if makes_class(value):
        return "class" if is_lost_class(value, analysis) else None
    if isinstance(value, Derived) and module_of_file(value, analysis) and _is_called(crossing):
        return "unimportable"
    return None


def module_of_file(value: Derived, analysis: Analysis) -> str:
    """Return the name that the file was loaded under whose function this is, if no import finds it."""
    made = value.origin
    if value.called or not isinstance(made, ExternalCall):
        return ""
    if made.name != "importlib.util.module_from_spec":
        return ""
    specs = analysis.values(made.arguments.get(0, "spec"))
    names = [
        name.value
        for spec in specs
        if isinstance(spec, ExternalCall) and spec.name == "importlib.util.spec_from_file_location"
        for name in analysis.values(spec.arguments.get(0, "name"))
        if isinstance(name, Constant) and isinstance(name.value, str)
    ]
    found = [analysis.project.find(name, value.frame.module) for name in names]
    only = len(names) == 1 and len(specs) == 1 and found == [None] and "." not in names[0]
    return names[0] if only else ""


def _is_called(crossing: Crossing) -> bool:
    """Return whether code calls what it names, keeps or passes on as this object."""
    value = crossing.value
    above = [crossing, *crossing.above()]
    modules = {crossing.boundary.frame.module}
    modules |= {made[1] for each in above if (made := node_of(each.value)) is not None}
    names = {each.edge.name for each in above} | {getattr(value, "how", "")}
    names |= {p.node.arg for p in crossing.passed if isinstance(p.node, ast.arg)}
    return any(name in module.calls_by_name for module in modules for name in names if name)


def is_sent_by_name(crossing: Crossing, analysis: Analysis) -> bool:
    """Return whether what crosses, or its class, is found by its name and is sent by that."""
    found = definition(crossing.value)
    if isinstance(found, Class):
        return _of_class(found, analysis) is None
    return found is not None and _of_function(found, crossing, analysis) is None


def _of_function(value: Function, crossing: Crossing, analysis: Analysis) -> Problem | None:
    if any(passed.note == DECORATED for passed in crossing.passed):
        return "decorated" if _is_local(value) else None
    if value.named is not None:
        return _of_named(value, analysis)
    if any(_gives_name(passed) for passed in crossing.passed):
        return None
    if _is_renamed(value):
        return None
    if isinstance(value.node, ast.Lambda):
        return "named" if _bound_at_top(value) else "lambda"
    if _is_local(value):
        return "local"
    if _is_mangled(value):
        return "private"
    if under_guard(value.module, value.node) is not None:
        return None  # DLF302 tells of it
    if not _leads_back(value, analysis) or _is_kept_undecorated(value, crossing, analysis):
        return "shadowed"
    return None


def _is_kept_undecorated(value: Function, crossing: Crossing, analysis: Analysis) -> bool:
    """Return whether a decorator kept the function itself, while its name leads to what decorators made of it."""
    if isinstance(value.node, ast.Lambda):
        return False
    keeping = {
        above.name
        for passed in crossing.passed
        if isinstance(passed.node, ast.arg)
        for above in passed.module.ancestors(passed.node)
        if isinstance(above, FUNCTIONS)
    }
    kept, made = False, [Reached(value)]
    for decorator in reversed(value.node.decorator_list):
        name = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        kept = kept or (name in keeping and not _is_another(made, value))
        decorate = analysis.interpreter.calls.decorate
        made = [each for one in made for each in decorate(decorator, one, value.frame)]
    return kept and _is_another(made, value)


def _is_another(made: list[Reached], value: Function) -> bool:
    return any(
        isinstance(each.value, Function) and each.value.node is not value.node for each in made
    )


def _of_method(value: BoundMethod, analysis: Analysis) -> Problem | None:
    """Return whether a method is what a decorator put in its place, under a name that the object has not."""
    function, owner = value.function, value.owner
    cls = owner.cls if isinstance(owner, Instance) else owner
    if isinstance(cls, Class) and _is_mangled(function):
        return None if analysis.method(cls, "__getattr__") is not None else "private"
    if isinstance(owner, Instance) and _is_lambda_of_class(function, owner.cls, analysis):
        return "named"
    if not isinstance(owner, Instance) or function.named is not None or not _is_local(function):
        return None
    name = getattr(function.node, "name", "")
    if not name or analysis.method(owner.cls, name) is not None:
        return None
    scope, makers = function.frame.scope, set[str]()
    while scope.parent is not None:
        makers.add(scope.name)
        scope = scope.parent
    decorators = (
        each.func if isinstance(each, ast.Call) else each
        for base in analysis.mro(owner.cls)
        if isinstance(base, Class)
        for method in base.node.body
        for each in getattr(method, "decorator_list", ())
    )
    used = {last_name(each) for each in decorators}
    return "decorated" if used & makers else None


def _is_lambda_of_class(function: Function, cls: Class, analysis: Analysis) -> bool:
    """Return whether a method is a lambda, which the worker asks the object for by the name `<lambda>`."""
    is_own = isinstance(function.node, ast.Lambda) and function.frame.scope.is_class
    lookups = ("__getattr__", "__getattribute__")
    return (
        is_own
        and _bound_at_top(function)
        and not any(analysis.method(cls, name) is not None for name in lookups)
    )


def _is_mangled(function: Function) -> bool:
    """Return whether a class keeps a method under another name than its own: `__run` of `Rows` as `_Rows__run`."""
    name = getattr(function.node, "name", "")
    within = function.module.parent(function.node)
    is_private = name.startswith("__") and not name.endswith("__")
    return function.named is None and is_private and isinstance(within, ast.ClassDef)


def _gives_name(passed: Passed) -> bool:
    """Return whether a function that it was passed to gives it a name: `f.__qualname__ = name`."""
    if not isinstance(passed.node, ast.arg):
        return False
    above = passed.module.ancestors(passed.node)
    function = next((each for each in above if isinstance(each, _FUNCTIONS)), None)
    return function is not None and _names(passed.module, function, passed.node.arg)


def _of_named(value: Function, analysis: Analysis) -> Problem | None:
    """Return what is wrong with what `functools.wraps` gave the name of another function."""
    bearer = value.bearer
    if _is_local(bearer):
        return "local"
    name = getattr(bearer.node, "name", "")
    if not bearer.frame.scope.is_module or not name:
        return None
    found = [r.value for r in analysis.interpreter.global_name(bearer.module, name)]
    if bearer in found:  # its name leads to what its decorators make of it
        found += [r.value for r in analysis.interpreter.decorated(bearer)]
    known = found and all(node_of(each) is not None for each in found)
    same = any(isinstance(each, Function) and each.node is value.node for each in found)
    return "shadowed" if known and not same else None


def _of_class(value: Class, analysis: Analysis) -> Problem | None:
    if _is_local(value):
        is_named = _is_renamed(value) or _is_published(value, analysis)
        return None if is_named else "class"
    if under_guard(value.module, value.node) is not None:
        return None
    is_found = _leads_back(value, analysis) and not _is_replaced(value, analysis)
    return None if is_found else "shadowed"


def _is_replaced(value: Class, analysis: Analysis) -> bool:
    """Return whether a decorator puts a function that makes the objects under a class's name: a singleton."""
    if not value.node.decorator_list or value.frame.scope.is_class:
        return False
    made = [reached.value for reached in analysis.interpreter.decorated(value)]
    return bool(made) and all(isinstance(each, Function) and _is_local(each) for each in made)


def _is_local(value: Function | Class) -> bool:
    scope = value.frame.scope
    while scope.parent is not None:
        if scope.is_function:
            return True
        scope = scope.parent
    return False


def _is_renamed(value: Function | Class) -> bool:
    """Return whether code next to a definition gives it another path to be found by: `C.__qualname__ = name`."""
    module, around = value.module, enclosing_function(value.module, value.node)
    bound = getattr(module.parent(value.node), "targets", ())  # of a lambda
    names = {getattr(value.node, "name", ""), *(getattr(each, "id", "") for each in bound)}
    return any(
        isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        and enclosing_function(module, node) is around
        and not _is_path_of_another(module.statement(node))
        for node in module.attributes_by_name.get("__qualname__", ())
    )


def _is_published(value: Class, analysis: Analysis) -> bool:
    """Return whether a local class is passed to a function that gives it a name: `publish(Rows, name)`."""
    module = value.module
    for read in module.scope_of(value.node).reads.get(value.node.name, ()):
        call = module.parent(read)
        if not isinstance(call, ast.Call) or read not in call.args:
            continue
        for callee in analysis.values(Bound(call.func, analysis.frame(module.scope_of(call)))):
            taken = parameters(callee.node) if isinstance(callee, Function) else []
            given = taken[call.args.index(read) :][:1]
            if isinstance(callee, Function) and any(
                _names(callee.module, callee.node, each) for each in given
            ):
                return True
    return False


def _names(module: Module, function: ast.AST, parameter: str) -> bool:
    """Return whether a function gives one of its parameters another path to be found by."""
    return any(
        isinstance(node.ctx, ast.Store)
        and getattr(node.value, "id", "") == parameter
        and function in module.ancestors(node)
        for node in module.attributes_by_name.get("__qualname__", ())
    )


def _is_path_of_another(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Attribute) and value.attr == "__qualname__"


def _bound_at_top(value: Function) -> bool:
    """Return whether a lambda is the value of a name of its module or class."""
    if value.frame.scope.is_function:
        return False
    parent = _binder(value.module, value.node)
    if isinstance(parent, ast.Assign):
        return any(isinstance(target, ast.Name) for target in parent.targets)
    return isinstance(parent, ast.AnnAssign) and isinstance(parent.target, ast.Name)


def _binder(module: Module, node: ast.AST) -> ast.AST | None:
    parent = module.parent(node)
    if isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in (
        "staticmethod",
        "classmethod",
    ):
        parent = module.parent(parent)
    return parent


def _leads_back(value: Function | Class, analysis: Analysis) -> bool:
    """Return whether the value's qualified name leads to that very statement."""
    scope = value.frame.scope
    if scope.is_class:
        return True
    name = getattr(value.node, "name", "")
    found = [r.value for r in analysis.interpreter.global_name(value.module, name)]
    if not found:
        return True
    return any(isinstance(f, (Function, Class)) and f.node is value.node for f in found) or not all(
        node_of(f) is not None for f in found
    )


def _is_lost(value: ExternalCall, analysis: Analysis) -> bool:
    """Return whether a class made by a call is bound elsewhere than its name, and module, say."""
    module, scope = value.frame.module, value.frame.scope
    names = [v.value for v in analysis.values(value.arguments.get(0, "typename"))
             if isinstance(v, Constant)]  # fmt: skip
    if _SAYING & value.arguments.keywords.keys():
        return False
    if scope.is_function:
        return not (_may_be_found_later(value, analysis) or _names_its_module(value.frame))
    statement = module.parent(value.node)
    if not isinstance(statement, ast.Assign) or len(names) != 1:
        return False
    if scope.is_class or value.name in _OF_TYPES:
        is_bound = names[0] in module.scope.bindings and value.name not in _OF_TYPES
        return not is_bound and not _says_how_to_find(module)
    if any(getattr(target, "id", None) == names[0] for target in statement.targets):
        return False
    return not _is_bound_as(str(names[0]), value, analysis)


def _is_bound_as(name: str, made: ExternalCall, analysis: Analysis) -> bool:
    """Return whether a module binds a class by its own name as well, or may let it be found in another way."""
    module = made.frame.module
    if _says_how_to_find(module):
        return True
    if name not in module.scope.bindings:
        return False
    found = [each.value for each in analysis.interpreter.global_name(module, name)]
    return any(isinstance(each, Unknown) or node_of(each) == node_of(made) for each in found)


def is_lost_class(value: Value, analysis: Analysis) -> TypeGuard[ExternalCall]:
    """Return whether a value is a class that a call makes under a name by which pickle does not find it."""
    return makes_class(value) and _is_lost(value, analysis)


def bound_to(value: ExternalCall) -> str:
    """Return the name to which a module binds a class that a call makes; empty where it has none."""
    match value.frame.module.parent(value.node):
        case ast.Assign(targets=[ast.Name(id=name)]) if value.frame.scope.is_module:
            return name
    return ""


def _may_be_found_later(made: ExternalCall, analysis: Analysis) -> bool:
    """Return whether a module may make a class that one of its functions makes known by its name.

    It has the class under that name, or binds what the function returns if the name is not known; it has computed
    names, or the class says how it is pickled.
    """
    module, function = made.frame.module, made.frame.scope.name
    if _says_how_to_find(module):
        return True
    names = [
        getattr(each, "value", None) for each in analysis.values(made.arguments.get(0, "typename"))
    ]
    if names and all(isinstance(each, str) for each in names):
        return any(_is_bound_as(str(each), made, analysis) for each in names)
    return any(
        isinstance(module.parent(call), ast.Assign) and module.scope_of(call).is_module
        for call in module.calls_by_name.get(function, ())
    )


def _says_how_to_find(module: Module) -> bool:
    """Return whether a module may make a class known by its name, or say how its objects are pickled."""
    return any(module.says(word) for word in _FINDING) or any(
        _is_given(module, word) for word in _REDUCING
    )


def _is_given(module: Module, method: str) -> bool:
    """Return whether a module defines or names a method elsewhere than in classes of its own, whose method that is."""
    if not module.says(method):
        return False
    named = (*module.nodes_by_name.get(method, ()), *module.functions_by_name.get(method, ()))
    of_others = [
        any(module.parent(above) is module.tree for above in module.ancestors(each)
            if isinstance(above, ast.ClassDef))
        for each in named
    ]  # fmt: skip
    return not all(of_others) or any(module.says(f"{quote}{method}") for quote in "'\"")


def _names_its_module(frame: Frame) -> bool:
    """Return whether a module that calls the function says where a class is found: `Point.__module__ = __name__`."""
    while frame.caller is not None:
        frame = frame.caller
        named = frame.module.attributes_by_name.get("__module__", ())
        if any(isinstance(each.ctx, ast.Store) for each in named):
            return True
    return False


def library_row(crossing: Crossing, analysis: Analysis) -> CallableRow | None:
    """Return the catalogue's row for a library's callable that cannot cross by its name."""
    value = crossing.value
    return analysis.catalog.callable(value.name) if isinstance(value, External) else None


def name_of(crossing: Crossing) -> str:
    """Return the name of the function or class that crosses."""
    value = crossing.value
    if isinstance(value, Derived):
        return value.how
    if isinstance(value, ExternalCall):
        return class_name(value)
    made = value.function if isinstance(value, BoundMethod) else value
    return str(getattr(getattr(made, "node", None), "name", "lambda"))


def class_name(made: ExternalCall) -> str:
    """Return the name that a call gives the class it makes."""
    named = [*made.node.args[:1], *(k.value for k in made.node.keywords if k.arg == "typename")]
    texts = [each.value for each in named if isinstance(each, ast.Constant)]
    return str(texts[0]) if texts else made.name


def said(why: Problem, crossing: Crossing) -> str:
    """Return the message for a callable that is not found by its name."""
    name = name_of(crossing)
    value = crossing.value
    if isinstance(value, Function) and value.named is not None:
        bearer = getattr(value.bearer.node, "name", "")
        return (
            f"`{name}` is sent to the workers under the name of `{bearer}`, which is another "
            "function"
        )
    if why == "unimportable":
        return f"`{name}` is sent to the workers, which cannot import the module that defines it"
    if why == "private":
        return f"`{name}` is sent to the workers, but the object has no attribute of that name"
    if why == "named":
        return "Lambda is sent to the workers under a name that pickle cannot find"
    if why == "decorated":
        return (
            f"`{name}` is sent to the workers wrapped by a decorator that does not use "
            "`functools.wraps`"
        )
    return f"`{name}` is sent to the workers, but its name refers to another object"


def finding(rule: type[Rule], crossing: Crossing, message: str, error: str = "") -> Finding:
    """Return a finding about a callable that crosses."""
    made = node_of(crossing.value)
    place = crossing.path[-1].place
    if made is not None:
        place = Place(made[1].path, made[1].span(made[0]))
    return Finding(rule, message, place, crossing.path, error or _error(crossing), crossing)


def not_the_same(crossing: Crossing) -> str:
    """Return what pickle says where a name leads to another object."""
    value = crossing.value
    if not isinstance(value, (Function, Class)):
        return ""
    module = "__main__" if is_notebook(value.module.path) else value.module.name
    name = f"{module}.{value.module.inner_scope(value.node).qualname}"
    what = (
        f"class '{name}'" if isinstance(value, Class) else f"function {name_of(crossing)} at 0x..."
    )
    return f"Can't pickle <{what}>: it's not the same object as {name}"


def not_found(made: ExternalCall) -> str:
    """Return what pickle says of a class that a call makes under another name than its module's."""
    module = "__main__" if is_notebook(made.frame.module.path) else made.frame.module.name
    module = "types" if made.name in _OF_TYPES else module
    name = class_name(made)
    what = f"<enum '{name}'>" if is_enumeration(made) else f"<class '{module}.{name}'>"
    return f"Can't pickle {what}: attribute lookup {name} on {module} failed"


def _error(crossing: Crossing) -> str:
    value = crossing.value
    if isinstance(value, BoundMethod) and isinstance(value.owner, Instance):
        name = getattr(value.function.node, "name", "<lambda>")
        return f"'{value.owner.cls.name}' object has no attribute '{name}'"
    if makes_class(value):
        return not_found(value) if class_name(value) != value.name else ""
    if not isinstance(value, (Function, Class)):
        return ""
    qualname = value.module.inner_scope(value.node).qualname
    if "<locals>" in qualname:
        return f"Can't pickle local object '{qualname}'"
    module = "__main__" if is_notebook(value.module.path) else value.module.name
    return f"Can't pickle {qualname}: attribute lookup {qualname} on {module} failed"
