"""How an exception class is made, and whether pickle can make it again.

`BaseException.__reduce__` hands `(type(self), self.args)` over: the class is called with what reached
`BaseException.__init__`, not with what `__init__` of the class was called with.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dlfix.project import trees
from dlfix.project.syntax import Function, first_parameter, is_attribute_of, positional
from dlfix.project.trees import walk
from dlfix.reach.methods import methods_of
from dlfix.rules.base import Place

_ODD = (
    "OSError",
    "IOError",
    "EnvironmentError",
    "UnicodeError",
    "ExceptionGroup",
    "BaseExceptionGroup",
)
_OWN_PICKLING = ("__reduce__", "__reduce_ex__", "__new__", "__getnewargs__", "__getnewargs_ex__")


@dataclass(frozen=True)
class Constructor:
    """The arguments of an exception class, and what of the object gives each of them back."""

    name: str
    place: Place
    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()
    unkept: tuple[tuple[str, str], ...] = ()  # parameter, the attribute it is to be kept as
    lost: str = ""  # a parameter that cannot be kept
    typed: bool = False
    slots: bool = False
    heirs: tuple[Constructor, ...] = field(default=())


@dataclass(frozen=True)
class Passed:
    """What reaches `BaseException.__init__`: expressions; None where it cannot be told.

    `as_called` says that it is what the class itself is called with.
    """

    expressions: tuple[ast.expr, ...] | None
    as_called: bool = False


def has_own_pickling(chain: Sequence[ast.ClassDef]) -> bool:
    """Return whether any of these classes says itself how it is pickled or made."""
    return any(method(cls, name) for cls in chain for name in _OWN_PICKLING)


def is_odd(builtin: str) -> bool:
    """Return whether a builtin exception treats its arguments in a way of its own."""
    return builtin.rpartition(".")[2] in _ODD or "Unicode" in builtin


def initializer(chain: Sequence[ast.ClassDef]) -> tuple[int, Function] | None:
    """Return the `__init__` that runs, and where in the chain of classes it stands."""
    for index, cls in enumerate(chain):
        init = method(cls, "__init__")
        if init is not None:
            return index, init
    return None


def method(cls: ast.ClassDef, name: str) -> Function | None:
    """Return a method that a class itself defines, or the `__init__` that `@dataclass` gives it."""
    own = methods_of(cls).get(name)
    return _generated_init(cls) if own is None and name == "__init__" else own


@trees.kept
def _generated_init(cls: ast.ClassDef) -> Function | None:
    """Return what `@dataclass` makes of the fields of an exception that derives from a builtin one."""
    bases = {base.id if isinstance(base, ast.Name) else "" for base in cls.bases}
    decorated = [ast.unparse(each) for each in cls.decorator_list]
    names = {each.partition("(")[0].rpartition(".")[2] for each in decorated}
    if "dataclass" not in names or not bases <= {*dir(builtins)}:
        return None
    fields = {
        each.target.id: each
        for each in cls.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    kinds = " ".join(ast.unparse(each.annotation) for each in fields.values())
    has_default = [each.value is not None for each in fields.values()]
    odd = any(word in kinds for word in ("ClassVar", "InitVar", "KW_ONLY"))
    if odd or "kw_only" in str(decorated) or has_default != sorted(has_default) or not fields:
        return None
    given = ", ".join(
        f"{name}: {ast.unparse(each.annotation)}" + (" = None" if each.value else "")
        for name, each in fields.items()
    )
    stored = "; ".join(f"self.{name} = {name}" for name in fields)
    made = ast.parse(f"def __init__(self, {given}):\n    {stored}").body[0]
    assert isinstance(made, ast.FunctionDef)
    return made


def comes_back(chain: Sequence[ast.ClassDef], call: ast.Call | None) -> bool:
    """Return whether unpickling can call the class; True wherever that is not certain.

    `chain` is the class and its bases of the tree, `call` makes the exception.
    """
    found = initializer(chain)
    if found is None or has_own_pickling(chain):
        return True
    index, init = found
    every = passed_on(chain, index)
    counts = [_count(each, call) for each in every]
    return any(count is None or fits(init, count) for count in counts)


def _count(passed: Passed, call: ast.Call | None) -> int | None:
    expressions: Sequence[ast.expr] | None = passed.expressions
    if passed.as_called:
        expressions = None if call is None else call.args
    if expressions is None or any(isinstance(each, ast.Starred) for each in expressions):
        return None
    return len(expressions)


def fits(init: Function, count: int) -> bool:
    """Return whether `__init__` can be called with so many positional arguments and nothing else."""
    arguments = init.args
    names = [*arguments.posonlyargs, *arguments.args][1:]
    required = len(names) - len(arguments.defaults)
    if any(default is None for default in arguments.kw_defaults):
        return False
    return required <= count and (arguments.vararg is not None or count <= len(names))


def passed_on(chain: Sequence[ast.ClassDef], index: int) -> list[Passed]:
    """Return what the `__init__` at `index` may hand to `BaseException.__init__`."""
    init = method(chain[index], "__init__")
    assert init is not None
    assigned = _args_assigned(init)
    if assigned:
        return assigned
    calls = list(parent_calls(init))
    if not calls:
        return [Passed(None, as_called=True)]
    above = initializer(chain[index + 1 :])
    if above is None:
        return [Passed(tuple(call)) for call in calls]
    further = passed_on(chain, index + 1 + above[0])
    return [Passed(tuple(call)) if each.as_called else each for call in calls for each in further]


def _args_assigned(init: Function) -> list[Passed]:
    found = []
    for attribute, value, _ in stores(init):
        if attribute == "args":
            found.append(Passed(tuple(value.elts) if isinstance(value, ast.Tuple) else None))
    return found


def parent_calls(init: Function) -> Iterator[list[ast.expr]]:
    """Yield the arguments of each call of a base class's `__init__`, `self` left out."""
    me = first_parameter(init)
    for node in walk(init):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name("super")), attr="__init__")
            ):
                yield _arguments(node.args, node)
            case ast.Call(func=ast.Attribute(attr="__init__"), args=[ast.Name(id=name), *rest]) if (
                name == me
            ):
                yield _arguments(rest, node)


def _arguments(arguments: Sequence[ast.expr], call: ast.Call) -> list[ast.expr]:
    named = [keyword.value for keyword in call.keywords if keyword.arg is not None]
    if len(named) < len(call.keywords):
        return [ast.Starred(ast.Constant(None), ast.Load())]
    return [*arguments, *named]


def stores(function: Function) -> Iterator[tuple[str, ast.expr, ast.stmt]]:
    """Yield each attribute that a method sets on its object, with the value and the statement."""
    me = first_parameter(function)
    for node in walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    for each, given in _paired(target, value):
                        if is_attribute_of(each, me):
                            yield each.attr, given, node
            case ast.AnnAssign(target=target, value=ast.expr() as value) if is_attribute_of(
                target, me
            ):
                yield target.attr, value, node


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return what is set to what, where both sides of an assignment are spelled out."""
    if not isinstance(target, ast.Tuple):
        return [(target, value)]
    if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(each, ast.Starred(value, ast.Load())) for each in target.elts]


def read(chain: Sequence[ast.ClassDef], place: Place) -> Constructor | None:
    """Read how the first class of the chain, which has an `__init__`, is made again."""
    found = initializer(chain)
    if found is None or found[0] != 0:
        return None
    init, arguments = found[1], found[1].args
    kept = given_back(chain, 0)
    unkept: list[tuple[str, str]] = []
    lost = _lost(init, kept)
    taken = _taken(chain)

    def expression(name: str) -> str:
        if name in kept:
            return kept[name]
        attribute = name if name not in taken else f"_{name}"
        unkept.append((name, attribute))
        return f"self.{attribute}"

    positional = [expression(each.arg) for each in [*arguments.posonlyargs, *arguments.args][1:]]
    if arguments.vararg:
        positional.append(f"*{expression(arguments.vararg.arg)}")
    keywords = tuple((each.arg, expression(each.arg)) for each in arguments.kwonlyargs)
    return Constructor(
        name=chain[0].name,
        place=place,
        positional=tuple(positional),
        keywords=keywords,
        unkept=tuple(unkept),
        lost=lost or (arguments.kwarg.arg if arguments.kwarg else ""),
        typed=_is_typed(init),
        slots=any(_slots(cls) for cls in chain),
    )


def _lost(init: Function, kept: dict[str, str]) -> str:
    """Return a parameter that cannot be stored at the end of `__init__` as it came in."""
    returns = any(isinstance(node, ast.Return) for node in walk(init))
    rebound = _rebound(init)
    for name in parameters(init):
        if name not in kept and (returns or name in rebound):
            return name
    return ""


def given_back(chain: Sequence[ast.ClassDef], index: int) -> dict[str, str]:
    """Map parameters of the `__init__` at `index` to the expression that gives them back."""
    init = method(chain[index], "__init__")
    assert init is not None
    rebound, names = _rebound(init), set(parameters(init))
    found: dict[str, str] = _through_parent(chain, index, init)
    written = [attribute for cls in chain for attribute in _stored_in(cls)]
    for attribute, value, statement in stores(init):
        if isinstance(value, ast.Name) and statement in init.body and written.count(attribute) == 1:
            found[value.id] = f"self.{attribute}"
    return {name: how for name, how in found.items() if name in names and name not in rebound}


def _through_parent(chain: Sequence[ast.ClassDef], index: int, init: Function) -> dict[str, str]:
    calls = list(parent_calls(init))
    if len(calls) != 1 or not _is_statement_of(init):
        return {}
    above = initializer(chain[index + 1 :])
    given = [value.id if isinstance(value, ast.Name) else "" for value in calls[0]]
    if above is None:
        if _args_assigned(init):
            return {}
        return {name: f"self.args[{place}]" for place, name in enumerate(given)}
    kept = given_back(chain, index + 1 + above[0])
    return {
        name: kept[parameter]
        for name, parameter in zip(given, parameters(above[1]), strict=False)
        if parameter in kept
    }


def _is_statement_of(init: Function) -> bool:
    """Return whether the base class's `__init__` is called by a plain statement, without keywords."""
    for statement in init.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__"), keywords=[])):
                return True
    return False


def parameters(function: Function) -> list[str]:
    """Return the names of a method's parameters, `self` left out, in order."""
    arguments = function.args
    names = positional(function)[1:]
    names += [arguments.vararg.arg] if arguments.vararg else []
    return names + [each.arg for each in arguments.kwonlyargs]


def _rebound(function: Function) -> set[str]:
    return {
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _stored_in(cls: ast.ClassDef) -> list[str]:
    methods = [statement for statement in cls.body if isinstance(statement, Function)]
    generated = method(cls, "__init__")
    if generated is not None and generated not in methods:
        methods.append(generated)
    return [attribute for each in methods for attribute, _, _ in stores(each)]


def _taken(chain: Sequence[ast.ClassDef]) -> set[str]:
    taken = {"args", "with_traceback", "add_note"}
    for cls in chain:
        taken.update(_stored_in(cls))
        for statement in cls.body:
            match statement:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    taken.add(name)
                case ast.AnnAssign(target=ast.Name(id=name)) if statement.value is not None:
                    taken.add(name)
                case ast.Assign(targets=targets):
                    taken.update(each.id for each in targets if isinstance(each, ast.Name))
    return taken


def _slots(cls: ast.ClassDef) -> bool:
    return any(
        isinstance(statement, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == "__slots__" for each in statement.targets)
        for statement in cls.body
    )


def _is_typed(function: Function) -> bool:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return function.returns is not None or any(each.annotation for each in every)
