"""What a lambda or local function takes from around it, and whether that can be bound instead."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable as TypingCallable
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from dlfix.fixing import naming
from dlfix.fixing.hoisting import lifetime
from dlfix.fixing.hoisting.lifetime import line_of as _line
from dlfix.fixing.plans_callables import Expression, Use
from dlfix.project.bindings import Binding
from dlfix.project.import_time import main_branch
from dlfix.project.module import Module, Scope
from dlfix.project.order import Place, begins_before, start
from dlfix.project.syntax import MUTATORS, decorators, first_parameter, last_name

Callable = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

BOUND = ", but the fix binds its current value"  # why a fix is unsafe, after what may differ later

# Methods of multiprocessing, of a context or of a manager.
_SHARED_MEMORY = frozenset({"Value", "Array", "RawValue", "RawArray", "Namespace", "dict", "list"})
_FRAME_READERS = {"locals", "eval", "exec", "vars", "dir"}
_TRANSPARENT = {"no_grad", "inference_mode", "enable_grad", "contextmanager", "no_type_check"}


class CannotHoist(Exception):
    """Why a function stays where it is; the message names the line."""


@dataclass
class Capture:
    """A value to bind: the parameter that takes it, and how it is written where it is bound."""

    name: str
    value: str
    annotation: str = ""
    scope: Scope | None = None  # the scope that binds it; None for a default that is bound


@dataclass(eq=False)
class Draft:
    """A function on its way to module level."""

    module: Module
    node: Callable
    name: str = ""  # the local name it has, if any
    binding: Binding | None = None
    captures: dict[str, Capture] = field(default_factory=dict)
    siblings: dict[str, Draft] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)  # local ones that must move along
    defaults: list[str] = field(default_factory=list)  # own parameters whose default is bound
    instance: str = ""  # `self` or `cls`, if it uses one
    owner: ast.ClassDef | None = None
    method: ast.FunctionDef | ast.AsyncFunctionDef | None = None  # the method it was made in
    doubts: list[str] = field(default_factory=list)  # why moving it is unsafe
    positional: bool = False  # whether captures are bound by position
    static: str = ""  # how the class is named in which it becomes a static method
    new_name: str = ""
    followers: list[ast.stmt] = field(default_factory=list)  # statements that move with it
    reads: list[Use] = field(default_factory=list)  # `self.x` and globals that are bound instead
    wrapped: str = ""  # the local name that `functools.wraps` is given
    keeps_name: bool = False  # whether the parent reads its name

    @property
    def line(self) -> int:
        """The line it begins on."""
        return self.node.lineno

    @property
    def scope(self) -> Scope:
        """The scope its body opens."""
        return self.module.inner_scope(self.node)

    @property
    def what(self) -> str:
        """How messages call it."""
        return f"`{self.name}`" if self.name else "the lambda"


OnlyParent = TypingCallable[[Callable], set[str]]  # the globals a function reads that workers lack
Asked = TypingCallable[
    [Callable], list[ast.Call]
]  # the calls of a function that workers cannot make


class Drafts:
    """Drafts of one module, each function once."""

    def __init__(
        self,
        module: Module,
        only_parent: OnlyParent = lambda _: set(),
        asked: Asked = lambda _: [],
    ) -> None:
        self.module = module
        self.only_parent, self.asked = only_parent, asked
        self.of: dict[ast.AST, Draft] = {}
        self.refused: dict[ast.AST, CannotHoist] = {}

    def draft(self, node: Callable, decorated: bool = True) -> Draft:
        """Return the draft of a function, with those it calls drafted too.

        Without `decorated` its decorators are left to the caller.
        """
        if node in self.refused:
            raise self.refused[node]
        if node in self.of:
            return self.of[node]
        name, binding = named(self.module, node)
        draft = self.of[node] = Draft(self.module, node, name, binding)
        try:
            self._read(draft, decorated)
        except CannotHoist as reason:
            self.refused[node] = reason
            raise
        return draft

    def _read(self, draft: Draft, decorated: bool) -> None:
        if draft.name in draft.module.scope_of(draft.node).globals:
            raise CannotHoist(f"{draft.what} is declared `global` (line {draft.line})")
        _refuse_what_needs_its_frame(draft)
        draft.wrapped = _wrapped_locally(draft) if decorated else ""
        _refuse_local_decorators(draft, decorated and not draft.wrapped)
        for captured, binder in _captured(draft).items():
            self._capture(draft, captured, binder)
        if draft.wrapped and not draft.captures:
            raise CannotHoist(f"{draft.what} does not call what it wraps (line {draft.line})")
        _bind_defaults(draft)
        for name in sorted(self.only_parent(draft.node) - draft.captures.keys()):
            _bind_global(draft, name)
        for call in self.asked(draft.node):
            _bind_call(draft, call)
        line_up(draft)

    def _capture(self, draft: Draft, name: str, binder: Scope) -> None:
        bindings = binder.bindings.get(name, [])
        if is_instance(binder, name):
            _take_instance(draft, name, binder)
            return
        sibling = _sibling(bindings)
        if sibling is not None and named(draft.module, sibling)[0]:
            draft.siblings[name] = self.draft(sibling)
            return
        if len(bindings) > 1 and any(_sibling([each]) for each in bindings):
            raise CannotHoist(
                f"`{name}`, which {draft.what} uses, is bound in several places (line "
                f"{_line(bindings[-1])})"
            )
        if bindings and all(each.kind == "import" for each in bindings):
            draft.imports.append(import_text(bindings[-1]))
            return
        if any(each.kind == "class" for each in bindings):
            node = bindings[0].node
            if len(bindings) > 1 or not isinstance(node, ast.ClassDef):
                raise CannotHoist(
                    f"the function uses the local class `{name}` (line {_line(bindings[0])})"
                )
            draft.classes.append(node)
            return
        _refuse_mutation(draft, name, binder)
        draft.doubts += _set_elsewhere(draft, name, binder)
        annotation = _annotation(draft, name, binder)
        draft.captures[name] = Capture(name, name, annotation, binder)


def line_up(draft: Draft) -> None:
    """Put captures in the order in which they are bound; their types are written all or none."""
    captures = sorted(draft.captures.items(), key=lambda item: _rank(item[1]))
    draft.captures = dict(captures)
    bound = [each for each in draft.captures.values() if each.name not in draft.defaults]
    if not all(each.annotation for each in bound):
        for each in bound:
            each.annotation = ""


def _rank(capture: Capture) -> tuple[int, Place]:
    """Return where a name is first bound; what is bound nowhere comes last."""
    bindings = capture.scope.bindings.get(capture.value, []) if capture.scope is not None else []
    if capture.scope is None or not bindings:
        return 99, (0, 0)
    depth, above = 0, capture.scope.parent
    while above is not None:
        depth, above = depth + 1, above.parent
    return depth, start(bindings[0].node)


def named(module: Module, node: Callable) -> tuple[str, Binding | None]:
    """Return the name a def or `f = lambda ...` binds in a function, and the binding."""
    scope = module.scope_of(node)
    if not isinstance(node, ast.Lambda):
        own = [each for each in scope.bindings.get(node.name, ()) if each.node is node]
        return node.name, own[0] if own else None
    match module.parent(node):
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is node:
            pass
        case ast.AnnAssign(target=ast.Name(id=name) as target, value=value) if value is node:
            pass
        case _:
            return "", None
    if scope.is_class or len(scope.bindings[name]) > 1 or not has_its_line(module, target):
        return "", None
    return name, scope.bindings[name][0]


def has_its_line(module: Module, node: ast.AST) -> bool:
    """Return whether a statement shares its lines with no other."""
    return module.span(module.statement(node)) not in module.crowded


def guard_of(module: Module, node: ast.AST) -> ast.If | None:
    """Return the `if __name__ == "__main__":`, or other test of the module's name, that a node stands under."""
    chain = [node, *module.ancestors(node)]
    for inner, outer in itertools.pairwise(chain):
        if isinstance(outer, ast.Module) and isinstance(inner, ast.If):
            return inner if main_branch(inner, outer) is not None else None
    return None


def is_global(module: Module, scope: Scope, name: str) -> bool:
    """Return whether a name read in `scope` means the same at module level, in a worker too."""
    binder = scope.lookup(name)
    if binder is None:
        return True
    if not binder.is_module:
        return False
    return not _only_under_guard(module, binder.bindings.get(name, []))


def is_builtin(scope: Scope, name: str) -> bool:
    """Return whether a name read in `scope` is a builtin."""
    return scope.lookup(name) is None and hasattr(builtins, name)


def is_instance(binder: Scope, name: str) -> bool:
    """Return whether a name is the first parameter of a method."""
    node = binder.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or binder.parent is None:
        return False
    if not binder.parent.is_class or "staticmethod" in decorators(node):
        return False
    return first_parameter(node) == name and len(binder.bindings[name]) == 1


def _captured(draft: Draft) -> dict[str, Scope]:
    """Return the names taken from enclosing functions, or from what the main guard hides."""
    scope = draft.scope
    found = dict(scope.free_variables())
    inner = set(scope.walk())
    for each in inner:
        for name in each.reads:
            binder = each.lookup(name)
            if binder is None or not binder.is_module:
                continue
            if _only_under_guard(draft.module, binder.bindings.get(name, [])):
                found.setdefault(name, binder)
    return found


def _only_under_guard(module: Module, bindings: list[Binding]) -> bool:
    return bool(bindings) and all(guard_of(module, each.node) is not None for each in bindings)


def _sibling(bindings: list[Binding]) -> Callable | None:
    """Return the local function a name stands for, if it is bound to that only."""
    if len(bindings) != 1:
        return None
    node, value = bindings[0].node, bindings[0].value
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node
    if isinstance(value, ast.Lambda) and bindings[0].kind in ("assign", "annotated"):
        return value if not bindings[0].path else None
    return None


def _take_instance(draft: Draft, name: str, binder: Scope) -> None:
    assert isinstance(binder.node, (ast.FunctionDef, ast.AsyncFunctionDef))
    assert binder.parent is not None
    assert isinstance(binder.parent.node, ast.ClassDef)
    draft.instance = name
    draft.method = binder.node
    draft.owner = binder.parent.node


def _refuse_what_needs_its_frame(draft: Draft) -> None:
    for scope in draft.scope.walk():
        for name in scope.nonlocals:
            if scope.outer(name) not in set(draft.scope.walk()):
                does = "assigns" if name in scope.bindings else "declares"
                raise CannotHoist(
                    f"{draft.what} {does} `{name}` of the enclosing function with `nonlocal` (line "
                    f"{_nonlocal_line(scope, name)})"
                )
        for name in ("super", "__class__"):
            if name in scope.reads and not _in_own_class(draft, scope):
                raise CannotHoist(
                    f"{draft.what} uses `{name}`, which only works in its class (line "
                    f"{scope.reads[name][0].lineno})"
                )
        for name in _FRAME_READERS & scope.reads.keys():
            for read in scope.reads[name]:
                call = draft.module.parent(read)
                reads_frame = isinstance(call, ast.Call) and call.func is read
                if reads_frame and (name in ("eval", "exec", "locals") or not call.args):  # type: ignore[union-attr]
                    raise CannotHoist(
                        f"{draft.what} inspects the enclosing scope with `{name}()` (line {read.lineno})"
                    )


def _in_own_class(draft: Draft, scope: Scope) -> bool:
    above: Scope | None = scope
    while above is not None and above is not draft.scope:
        if above.is_class:
            return True
        above = above.parent
    return False


def _nonlocal_line(scope: Scope, name: str) -> int:
    for node in ast.walk(scope.node):
        if isinstance(node, ast.Nonlocal) and name in node.names:
            return node.lineno
    return getattr(scope.node, "lineno", 1)


def _refuse_mutation(draft: Draft, name: str, binder: Scope) -> None:
    """A container that is changed in a worker and read in the parent holds two truths."""
    advance = next(_advances(draft, name), None)
    if advance is not None:
        raise CannotHoist(
            f"{draft.what} advances `{name}` (line {advance.lineno}), but each worker "
            "would advance its own copy"
        )
    change = next(_changes(draft, name), None)
    if change is None or _is_shared_memory(name, binder):
        return
    _refuse_adding_up(draft, name)
    own = {id(each) for each in ast.walk(draft.node)}
    for scope in binder.walk():
        if scope.lookup(name) is not binder:
            continue
        for read in scope.reads.get(name, ()):
            if id(read) not in own and lifetime.may_run_after(
                draft.module, binder, read, draft.node
            ):
                raise CannotHoist(
                    f"{draft.what} modifies `{name}` (line {change.lineno}), which is read "
                    f"later (line {read.lineno}), but each worker would modify its own "
                    "copy"
                )


def _refuse_adding_up(draft: Draft, name: str) -> None:
    """Refuse what goes by what earlier calls left in a container; a cache by key gives the same in each worker."""
    changes = {id(_container(each)): each for each in _changes(draft, name)}
    reads = [
        each for each in ast.walk(draft.node) if isinstance(each, ast.Name) and each.id == name
    ]
    by_key = [each for each in reads if _is_lookup(draft.module, each)]
    others = [each for each in reads if id(each) not in changes and each not in by_key]
    grows = [each for each in changes.values() if _adds_up(draft.module, each)]
    if changes and (others or (grows and by_key)):
        read = (others or by_key)[0]
        raise CannotHoist(
            f"{draft.what} reads what its earlier calls left in `{name}` (line {read.lineno}), but each "
            "worker would modify its own copy"
        )


def _container(change: ast.expr) -> ast.expr:
    """Return the name in an expression that changes what it stands for."""
    held = change.func if isinstance(change, ast.Call) else change
    return held.value if isinstance(held, (ast.Attribute, ast.Subscript)) else held


def _adds_up(module: Module, change: ast.expr) -> bool:
    """Return whether a change is of more than the item of a key: `count[0] += 1`, `seen.append(x)`."""
    if isinstance(change, ast.Call):
        return last_name(change.func) not in ("setdefault", "update", "clear")
    return isinstance(module.parent(change), ast.AugAssign)


def _is_lookup(module: Module, name: ast.Name) -> bool:
    """Return whether a container is asked for the item of a key."""
    parent = module.parent(name)
    match parent:
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is name
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]):
            return asked is name
        case ast.Attribute(attr="get"):
            return True
    return False


def _is_shared_memory(name: str, binder: Scope) -> bool:
    """Return whether a name only stands for what processes share: `mp.Value("i", 0)`, `manager.dict()`."""
    values = [each.value for each in binder.bindings.get(name, ())]
    return bool(values) and all(
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _SHARED_MEMORY
        for value in values
    )


def _advances(draft: Draft, name: str) -> Iterator[ast.Call]:
    """Yield where a function takes the next item of an iterator that it captures."""
    for node in ast.walk(draft.node):
        match node:
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=taken), *_]):
                if taken == name:
                    yield node


def _changes(draft: Draft, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(draft.node):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=called), attr=attr)):
                if called == name and attr in MUTATORS:
                    yield node
            case ast.Subscript(value=ast.Name(id=called), ctx=ast.Store() | ast.Del()):
                if called == name:
                    yield node
            case ast.Attribute(value=ast.Name(id=called), ctx=ast.Store() | ast.Del()):
                if called == name:
                    yield node


def _set_elsewhere(draft: Draft, name: str, binder: Scope) -> list[str]:
    """Return what other functions set a captured name; refuse where it is deleted."""
    for scope in binder.walk():
        if name in scope.nonlocals and scope.outer(name) is binder:
            line = _nonlocal_line(scope, name)
            return [f"`{name}` is reassigned with `nonlocal` (line {line}){BOUND}"]
    if name in binder.module_globals and binder.is_module:
        return [f"`{name}` is reassigned with `global`{BOUND}"]
    for each in binder.bindings.get(name, ()):
        if each.kind == "delete":
            raise CannotHoist(f"`{name}` is deleted (line {_line(each)})")
    return []


def check_bound(draft: Draft, point: ast.AST, is_loader: lifetime.IsLoader) -> None:
    """See that what is bound at a point is what each later call would read.

    Refuse where it is not bound yet, or bound again before a use; note a doubt where it is bound
    again, and no use is seen after that.
    """
    for capture in draft.captures.values():
        if capture.scope is None:
            continue
        name, module = capture.value, draft.module
        if not lifetime.is_bound_before(module, capture.scope, name, point):
            line = getattr(point, "lineno", 0)
            raise CannotHoist(f"`{name}` may not be assigned yet (line {line})")
        captured = (name, capture.scope)
        again = lifetime.bound_again(module, draft.node, draft.name, point, captured, is_loader)
        if again is not None and again.used is not None:
            raise CannotHoist(f"{again.how} before {draft.what} is used (line {again.used})")
        if again is not None and not draft.doubts:
            draft.doubts.append(f"{again.how}{BOUND}")


def _bind_defaults(draft: Draft) -> None:
    """Defaults that are worked out where the function is made become bound arguments."""
    args = draft.node.args
    first = len(args.posonlyargs) + len(args.args) - len(args.defaults)
    pairs = [
        *zip([*args.posonlyargs, *args.args][first:], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    for parameter, default in pairs:
        if isinstance(default, (ast.Dict, ast.List, ast.Set, ast.Call)):
            _refuse_adding_up(draft, parameter.arg)
        scope = draft.module.scope_of(draft.node)
        if default is None or is_fixed(draft.module, scope, default, draft.node):
            continue
        if parameter in args.posonlyargs:
            raise CannotHoist(
                f"the default of the positional-only parameter `{parameter.arg}` is "
                f"evaluated when {draft.what} is defined (line {default.lineno})"
            )
        if args.vararg and parameter in args.args:
            raise CannotHoist(
                f"the default of `{parameter.arg}`, which may be passed by position before "
                f"`*{args.vararg.arg}`, is evaluated when {draft.what} is defined (line "
                f"{default.lineno})"
            )
        draft.defaults.append(parameter.arg)
        written = parameter.annotation
        annotation = draft.module.segment(written) if written is not None else ""
        text = draft.module.segment(default)
        draft.captures[parameter.arg] = Capture(parameter.arg, text, annotation)


def _bind_global(draft: Draft, name: str) -> None:
    """Bind what a worker would find as the import leaves it, not as the parent set it."""
    inner = list(draft.scope.walk())
    taken = {each for scope in inner for each in (*scope.bindings, *scope.reads)} - {name}
    parameter = naming.free_name([name.lower(), name], taken)
    draft.captures[parameter] = Capture(parameter, name)
    draft.doubts.append(f"`{name}` is assigned with `global`{BOUND}")
    for scope in inner:
        if parameter != name and scope.lookup(name) is draft.module.scope:
            reads = scope.reads.get(name, ())
            draft.reads += [Use(draft.module.span(each), Expression(parameter)) for each in reads]


def _bind_call(draft: Draft, call: ast.Call) -> None:
    """Bind what the parent gets of a call without arguments, under the name of what is asked: `rank` of `get_rank()`."""
    text = draft.module.segment(call)
    known = (
        key for key, each in draft.captures.items() if each.scope is None and each.value == text
    )
    parameter = next(known, "")
    if not parameter:
        taken = {name for each in draft.scope.walk() for name in (*each.bindings, *each.reads)}
        wanted = last_name(call.func).removeprefix("get_")
        parameter = naming.free_name([wanted], taken | draft.captures.keys())
        draft.captures[parameter] = Capture(parameter, text)
    draft.reads.append(Use(draft.module.span(call), Expression(parameter)))


def is_fixed(module: Module, scope: Scope, value: ast.expr, at: ast.AST) -> bool:
    """Return whether an expression means the same, and is the same object, at module level."""
    match value:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return is_fixed(module, scope, operand, at)
        case ast.Tuple(elts=elements):
            return all(is_fixed(module, scope, each, at) for each in elements)
        case ast.Name(id=name):
            if not is_global(module, scope, name):
                return False
            bindings = module.scope.bindings.get(name, [])
            before = all(begins_before(each.node, at) for each in bindings)
            apart = all(_top(module, each.node) is not _top(module, at) for each in bindings)
            return len(bindings) <= 1 and before and apart
        case ast.Attribute(value=owner):
            return is_fixed(module, scope, owner, at)
    return False


def _top(module: Module, node: ast.AST) -> ast.AST:
    """Return the statement at the top of the module that a node is part of: what moves goes before it."""
    return [node, *module.ancestors(node)][-2]


def _refuse_local_decorators(draft: Draft, decorated: bool) -> None:
    """Decorators and annotations are evaluated at module level then."""
    node = draft.node
    if isinstance(node, ast.Lambda):
        return
    scope = draft.module.scope_of(node)
    within = [each for each in ast.walk(node) if isinstance(each, ast.AnnAssign)]
    outside = [*_annotations(node), *(each.annotation for each in within)]
    for expression in [*(node.decorator_list if decorated else []), *outside]:
        for each in ast.walk(expression):
            if isinstance(each, ast.Name) and not is_global(draft.module, scope, each.id):
                kind = "a decorator" if expression in node.decorator_list else "an annotation"
                raise CannotHoist(
                    f"{kind} of {draft.what} uses the local name `{each.id}` (line {each.lineno})"
                )


def _wrapped_locally(draft: Draft) -> str:
    """Return the local name that `functools.wraps` is given, if that is the only decorator."""
    module, scope = draft.module, draft.module.scope_of(draft.node)
    match getattr(draft.node, "decorator_list", []):
        case [ast.Call(func=func, args=[ast.Name(id=name)], keywords=[])] if _is_wraps(scope, func):
            return "" if is_global(module, scope, name) else name
    return ""


def _is_wraps(scope: Scope, func: ast.expr) -> bool:
    root = func.value if isinstance(func, ast.Attribute) else func
    binder = scope.lookup(root.id) if isinstance(root, ast.Name) else None
    bindings = binder.bindings[root.id] if binder is not None and isinstance(root, ast.Name) else []
    texts = {import_text(each) for each in bindings if isinstance(each.node, ast.alias)}
    named = {"import functools"} if root is not func else {"from functools import wraps"}
    return last_name(func) == "wraps" and len(bindings) == 1 and texts == named


def check_decorators(draft: Draft, passes_all_on: TypingCallable[[ast.expr], bool]) -> None:
    """A decorator that wraps a function must not see that it takes more arguments."""
    if isinstance(draft.node, ast.Lambda) or not (draft.captures or draft.instance):
        return
    if draft.wrapped:
        return
    for each in draft.node.decorator_list:
        text = draft.module.segment(each.func if isinstance(each, ast.Call) else each)
        if text.rpartition(".")[2] not in _TRANSPARENT and not passes_all_on(each):
            raise CannotHoist(
                f"the decorator `{text}` would be applied to a function with more "
                f"parameters than {draft.what} (line {each.lineno})"
            )


def _annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    args = node.args
    listed = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    found = [each.annotation for each in listed if each is not None]
    return [each for each in [*found, node.returns] if each is not None]


def takes_any_keyword(node: Callable) -> bool:
    """Return whether a function has a `**` parameter, which what is bound must not take from."""
    return node.args.kwarg is not None


def refuses(node: Callable, names: Collection[str]) -> bool:
    """Return whether a function can be passed none of some keywords: all it does is to pass its `**` on with them."""
    match node.body:
        case ast.Call() as call:
            pass
        case [ast.Return(value=ast.Call() as call)]:
            pass
        case _:
            return False
    given = {each.arg for each in call.keywords}
    starred = {getattr(each.value, "id", "") for each in call.keywords if each.arg is None}
    rest = node.args.kwarg
    return rest is not None and rest.arg in starred and given >= {*names}


def is_typed(node: Callable) -> bool:
    """Return whether a function has any annotation."""
    return not isinstance(node, ast.Lambda) and bool(_annotations(node))


def _annotation(draft: Draft, name: str, binder: Scope) -> str:
    """Return the type a captured name is known to have, where the function is typed."""
    if not is_typed(draft.node):
        return ""
    bindings = binder.bindings.get(name, [])
    if not bindings:
        return ""
    match bindings[0].node, bindings[0].statement, bindings[0].value:
        case ast.arg(annotation=ast.expr() as annotation), _, _:
            pass
        case _, ast.AnnAssign(annotation=annotation), _:
            pass
        case _, _, ast.expr() as value if len(bindings) == 1 and not bindings[0].path:
            return _type_of(draft, binder, value)
        case _:
            return ""
    names = [each.id for each in ast.walk(annotation) if isinstance(each, ast.Name)]
    if all(is_global(draft.module, binder, each) for each in names):
        return draft.module.segment(annotation)
    return ""


def _type_of(draft: Draft, binder: Scope, value: ast.expr) -> str:
    """Return the type that an expression makes plain: a constant's, a class's that is called."""
    match value:
        case ast.Constant(value=constant) if constant is not None:
            return type(constant).__name__
        case ast.JoinedStr():
            return "str"
        case ast.Compare():
            return "bool"
        case ast.Call(func=ast.Name(id=name)) if is_global(draft.module, binder, name):
            bindings = draft.module.scope.bindings.get(name, [])
            return name if [each.kind for each in bindings] == ["class"] else ""
    return ""


def import_text(binding: Binding) -> str:
    """Return the statement that imports one name."""
    statement, alias = binding.statement, binding.node
    assert isinstance(alias, ast.alias)
    name = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
    if isinstance(statement, ast.ImportFrom):
        return f"from {'.' * statement.level}{statement.module or ''} import {name}"
    return f"import {name}"
