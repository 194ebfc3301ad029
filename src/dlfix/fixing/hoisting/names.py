"""The name a person would give a lambda: the parameter it fills, or what it does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from dlfix.fixing import naming
from dlfix.project.module import Module
from dlfix.project.syntax import defaults, last_name, positional

# Parameters that say nothing of what they take.
_VAGUE = {
    "fn", "func", "function", "f", "lam", "lambd", "lambda_", "callable", "callback", "cb", "args", "obj",
    "target", "default_factory", "x", "op", "item", "value", "fun", "iterable", "factory", "kwargs",
    "default", "inner", "wrapper", "wrapped", "closure", "helper", "method", "decorate", "decorator",
}  # fmt: skip
# Words that tell nothing in any name, and words of a function's name that tell nothing of what is made in it.
_EMPTY = {"fn", "func", "function", "the", "a", "of"}
_FILLING = {
    *_EMPTY,
    "loader", "loaders", "dataloader", "dataloaders", "dataset", "datasets", "data", "module",
    "datamodule", "iter", "iterator", "main", "run", "init", "setup",
}  # fmt: skip
_LONGEST = 32  # a name beyond this is harder to read than a number
_THINGS = {"value", "data", "item", "obj", "arg", "elem", "val", "tensor", "arr"}
_TYPES = {"float", "int", "long", "double", "half", "bool", "str", "list", "dict", "tuple", "set"}
_MAKERS = re.compile(r"^_*(?:make|get|build|create|new|prepare|setup|init|load)_+(?=[a-z])")
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "scale",
    ast.Div: "divide",
    ast.FloorDiv: "divide",
    ast.Mod: "modulo",
    ast.Pow: "power",
    ast.MatMult: "multiply",
    ast.BitAnd: "mask",
    ast.BitOr: "combine",
}


def wanted(
    module: Module, node: ast.Lambda, parameter: str = "", beside: Iterable[ast.AST] = ()
) -> list[str]:
    """Return names for a lambda, the best first.

    `parameter` is the parameter it fills, where that is known from elsewhere; `beside` is what moves
    too: where that stands in the same function or class, this one's name tells it from no other.
    """
    if returns_its_argument(node):
        return ["identity", "_identity"]
    role = naming.snake(role_of(module, node) or parameter).strip("_")
    action = _applied(module, node) or action_of(node)
    if is_vague(role):
        base = action or "apply"
        return [f"_{base}", *_distinguished(node, base), *_placed(module, node, base)]
    stem = role.removesuffix("_fn").removesuffix("_func")
    longer = [f"_{stem}_{action}"] if action and action not in role else []
    placed = [*_placed(module, node, role), *longer]
    if _owner(module, node) in {_owner(module, each) for each in beside}:
        placed = [*longer, *_placed(module, node, role)]
    kept = _prefixed(_kept_as(module, node), role)
    return [f"_{role}", *kept, *placed, *_placed(module, node, role, True)]


def is_vague(name: str) -> bool:
    """Return whether a name says nothing of what it stands for."""
    bare = name.strip("_")
    return len(bare) < 2 or bare in _VAGUE


def wanted_for_def(
    module: Module, node: ast.AST, name: str, keeps: bool, reads: Iterable[ast.Name]
) -> list[str]:
    """Return names for a local function: its own, private, or what it is used as."""
    bare = name.lstrip("_")
    if is_vague(bare):
        roles = [naming.snake(role_of(module, read)).strip("_") for read in reads]
        bare = next((role for role in roles if not is_vague(role)), bare)
        keeps = False
    own = [name] if keeps else []
    return [*own, f"_{bare}", *_placed(module, node, bare), *_placed(module, node, bare, True)]


def of_class(owner: ast.ClassDef, name: str) -> str:
    """Return a name for a method that tells it apart from those of the classes around its own."""
    return f"_{naming.snake(owner.name)}_{name.lstrip('_')}"


def _placed(module: Module, node: ast.AST, name: str, filling: bool = False) -> list[str]:
    """Return a name told apart by the function or class around it, less what both say."""
    return _prefixed(_owner(module, node), name, filling)


def _prefixed(owner: str, name: str, filling: bool = False) -> list[str]:
    """Return a name with the words before it that tell more; none where there are none."""
    said = name.split("_")
    dull = _EMPTY if filling else _FILLING
    words = [
        word
        for word in owner.split("_")
        if word and word not in dull and not any(_alike(word, each) for each in said)
    ]
    placed = f"_{'_'.join(words)}_{name}"
    return [placed] if words and len(placed) <= _LONGEST else []


def _applied(module: Module, node: ast.Lambda) -> str:
    """Return what a lambda does that only calls a local variable: it applies that."""
    match node.body:
        case ast.Call(func=ast.Name(id=name)):
            scope = module.inner_scope(node).lookup(name)
            if scope is not None and scope.is_function:
                return f"apply_{naming.snake(name)}"
    return ""


def _alike(one: str, other: str) -> bool:
    """Return whether two words are forms of one: `collation`, `collate`."""
    return one == other or (min(len(one), len(other)) >= 5 and one[:5] == other[:5])


def _distinguished(node: ast.Lambda, action: str) -> list[str]:
    """Return what a lambda does with what it does it by: `_scale_by_2`, `_add_offset`."""
    match node.body:
        case ast.BinOp(op=op, right=ast.Constant(value=int(by)) | ast.Name(id=by)):
            joint = "" if isinstance(op, (ast.Add, ast.Sub)) else "by_"
            return [f"_{action}_{joint}{by}"] if f"{by}".isidentifier() or f"{by}".isdigit() else []
    return []


def returns_its_argument(node: ast.Lambda) -> bool:
    """Return whether this is `lambda x: x`."""
    match node:
        case ast.Lambda(args=ast.arguments(args=[parameter]), body=ast.Name(id=name)):
            only = not (node.args.posonlyargs or node.args.kwonlyargs or node.args.defaults)
            return only and parameter.arg == name and not node.args.vararg
    return False


def role_of(module: Module, node: ast.AST) -> str:
    """Return the name of what a value fills: a parameter, a variable, an attribute, a key."""
    parent = module.parent(node)
    match parent:
        case ast.keyword(arg=str(name)):
            call = module.parent(parent)
            if name in _VAGUE and isinstance(call, ast.Call):
                return role_of(module, call) if _passes_on(call) else ""
            return name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return _target(target)
        case ast.NamedExpr(target=ast.Name(id=name)):
            return name
        case ast.Dict(keys=keys, values=values) if node in values:
            key = keys[values.index(node)]
            text = key.value if isinstance(key, ast.Constant) else ""
            return text if isinstance(text, str) and text.isidentifier() else ""
        case ast.IfExp() | ast.BoolOp() | ast.Starred() | ast.Lambda():
            return role_of(module, parent)
        case ast.Call(func=func) if node is not func and _passes_on(parent):
            return role_of(module, parent)
        case ast.Call(func=func) if node is not func and last_name(func) == "defaultdict":
            kept = role_of(module, parent)
            bare = kept.lstrip("_").removeprefix("default_")
            return "" if is_vague(bare) else f"default_{bare}"
        case ast.Call(args=args) if node in args:
            return _parameter_of(module, parent, args.index(node))
        case ast.arguments():
            return _of_default(parent, node)
        case ast.Return():
            return _product(module, node)
    return ""


def _passes_on(call: ast.Call) -> bool:
    """Return whether what a call makes is named as what it is given."""
    return last_name(call.func) in ("partial", "staticmethod", "classmethod", "field", "Lambda")


def _target(target: ast.expr) -> str:
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))) if name.isidentifier():
            return name
    return ""


def _of_default(args: ast.arguments, node: ast.AST) -> str:
    return next((name for name, default in defaults(args).items() if default is node), "")


def _product(module: Module, node: ast.AST) -> str:
    """Return what a factory makes: `make_collate` makes a `collate`."""
    for parent in module.ancestors(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = "" if parent.name.startswith("__") else _MAKERS.sub("", parent.name)
            if name not in ("decorate", "decorator"):
                return name
    return ""


def _parameter_of(module: Module, call: ast.Call, index: int) -> str:
    """Return the parameter a positional argument fills, where the callee is in this file."""
    if not isinstance(call.func, ast.Name):
        return ""
    for binding in module.scope.bindings.get(call.func.id, ()):
        node = binding.node
        shift = 0
        if isinstance(node, ast.ClassDef):
            inits = [
                s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"
            ]
            if not inits:
                return ""
            node, shift = inits[0], 1
        if isinstance(node, ast.FunctionDef):
            parameters = [*node.args.posonlyargs, *node.args.args]
            if index + shift < len(parameters):
                return parameters[index + shift].arg
    return ""


def _kept_as(module: Module, node: ast.AST) -> str:
    """Return the variable that the statement around an expression assigns to: `train_loader`."""
    match module.statement(node):
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return naming.snake(_target(target))
    return ""


def _owner(module: Module, node: ast.AST) -> str:
    """Return the name of the function (or of the class, for `__init__`) around a node."""
    for parent in module.ancestors(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not parent.name.startswith("__"):
                return naming.snake(_MAKERS.sub("", parent.name))
        elif isinstance(parent, ast.ClassDef):
            return naming.snake(parent.name)
    return ""


def action_of(node: ast.Lambda) -> str:
    """Return what a lambda does, in a word or two: `img.convert("RGB")` converts an `img`."""
    body = node.body
    parameters = positional(node)
    match body:
        case ast.Name(id=name):
            return "" if name in parameters else f"get_{name}"
        case ast.Call(func=ast.Name(id=name)):
            return _doing(name)
        case ast.Call(func=ast.Attribute(attr="convert"), args=[ast.Constant(value=str(kind))]):
            return f"convert_{parameters[0] if parameters else ''}_to_{naming.snake(kind)}"
        case ast.Call(
            func=ast.Attribute(attr="to"), args=[ast.Name(id=to) | ast.Attribute(attr=to)]
        ):
            return f"to_{naming.snake(to)}"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr)):
            telling = owner in parameters and len(owner) > 2 and owner not in _THINGS
            return _doing(attr) + (f"_{naming.snake(owner)}" if telling else "")
        case ast.Call(func=ast.Attribute(attr=attr)):
            return _doing(attr)
        case ast.Subscript(slice=ast.Constant(value=0)):
            return "first"
        case ast.Subscript(slice=ast.Constant(value=str(key))) if key.isidentifier():
            return f"get_{naming.snake(key)}"
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))):
            return "last"
        case ast.Subscript():
            return "select"
        case ast.Attribute(attr=attr):
            return f"get_{naming.snake(attr)}"
        case ast.BinOp(
            op=ast.Add() | ast.Sub(),
            left=ast.BinOp(op=ast.Mult() | ast.Div(), right=ast.Constant()),
            right=ast.Constant(),
        ):
            return "rescale"
        case ast.BinOp(op=op):
            return _OPERATORS.get(type(op), "compute")
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return "check"
        case ast.UnaryOp(op=ast.USub()):
            return "negate"
        case ast.Dict() | ast.DictComp():
            return "to_dict"
        case ast.List() | ast.ListComp():
            return "to_list"
        case ast.Tuple(elts=elements):
            made = [each for each in elements if getattr(each, "id", "") not in parameters]
            only = action_of(ast.Lambda(node.args, made[0])) if len(made) == 1 else ""
            return only if only and len(elements) > 1 else "to_tuple"
        case ast.Constant(value=None):
            return "none"
        case ast.Constant():
            return "constant"
        case ast.IfExp(body=one, orelse=other):
            actions = [action_of(ast.Lambda(node.args, each)) for each in (one, other)]
            actions = [each for each in actions if each not in ("", "constant", "none")]
            return actions[0] if len(actions) == 1 else "choose"
        case ast.JoinedStr():
            return "format"
    return ""


def _doing(name: str) -> str:
    """Return what a call of this name does: `float()` goes `to_float`."""
    word = naming.snake(name)
    return f"to_{word}" if word in _TYPES else word
