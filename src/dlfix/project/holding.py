"""Which names may hold what an expression makes, told by how names are written, scopes left aside."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from dlfix.project.module import Module, Scope
from dlfix.project.syntax import (
    FUNCTIONS,
    callee_name,
    class_name,
    last_name,
    parameters,
    positional,
)
from dlfix.project.trees import walk

# What may be its operand, or hold it.
_PASSING = (
    ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set, ast.Starred, ast.Await, ast.DictComp,
    ast.ListComp, ast.GeneratorExp, ast.Subscript, ast.Lambda,
)  # fmt: skip
_OF_WRAPPERS = frozenset({"dataset", "datasets"})  # attributes by which a dataset holds others
_CALLED = "()"  # behind the name of a function: what calls of it give
# What runs a function that it is handed, with arguments.
_RUNNING = frozenset(
    "partial partialmethod Thread Process map imap imap_unordered starmap apply apply_async submit spawn filter sorted"
    " reduce to_thread run_in_executor dump dumps".split()
)
_KEYWORD = -1  # the place of an argument that is passed by its name
ANYWHERE = "\0"  # stands among names for all of them
Definition = ast.FunctionDef | ast.AsyncFunctionDef
# A name; a local variable or parameter of a scope; a parameter of that name, whose ever it is
Key: TypeAlias = "str | tuple[Scope | None, str]"


class Passing:
    """Where the values of some modules go on to, by names; what is found of a name serves every question.

    With `results` also those that may give what a call of a value returns. With `scoped` a local variable or a
    parameter is one of its function, not of all that have its name: what a keyword names is one of the function
    called, if that is known by its name.
    """

    def __init__(
        self, modules: Sequence[Module], *, results: bool = True, scoped: bool = False
    ) -> None:
        self.modules, self._results, self._scoped = modules, results, scoped
        self.functions: dict[str, list[Definition]] = {}
        self.unseen: set[str] = set()  # functions of other modules that get a value, by their names
        self._bases: dict[str, list[str]] = {}
        self._homes: dict[Definition, Module] = {}
        self._made: set[str] = set()  # names that are a class's, and no function's of its module
        self._found: dict[Key, frozenset[Key]] = {}
        self._taking: dict[tuple[str, int], frozenset[Key]] = {}
        for module in modules:
            functions = module.functions_by_name
            for name, found in functions.items():
                self.functions.setdefault(name, []).extend(found)
                self._homes.update(dict.fromkeys(found, module))
            self._made |= {cls.name for cls in module.classes} - functions.keys()
            for cls in module.classes:
                self._bases.setdefault(cls.name, []).extend(map(class_name, cls.bases))

    def from_name(self, name: Key) -> frozenset[Key]:
        """Return the names that what a name holds goes on to."""
        if name not in self._found:
            shared = self._results and not self._scoped
            found = (
                self._by_names(name) if shared and isinstance(name, str) else self._by_uses(name)
            )
            self._found[name] = frozenset(found)
        return self._found[name]

    def _by_uses(self, name: Key) -> Iterator[Key]:
        for module, use in self._uses(name):
            yield from self.from_node(module, use)

    def _by_names(self, name: str) -> Iterator[Key]:
        """Yield the same from what each module says once of a name, for all questions."""
        written = name.removesuffix(_CALLED)
        for module in self.modules:
            if written not in module.nodes_by_name:
                continue
            names, given = module.answer(_goes_on, name)
            yield from names
            for called, place in given:
                yield from self._taken(called, place)

    def _taken(self, called: str, place: int) -> frozenset[Key]:
        """Return the parameters of functions of a name that an argument comes to, by its place or as one of `**`."""
        key = (called, place)
        if key not in self._taking:
            functions = self.functions.get(called, ())
            if place == _KEYWORD:
                found = {each.args.kwarg.arg for each in functions if each.args.kwarg is not None}
            else:
                found = {name for each in functions for name in parameters_at(each, place)}
                found |= {ANYWHERE} if called in self._made else set()
            self._taking[key] = frozenset(found)
        return self._taking[key]

    def _uses(self, key: Key) -> Iterator[tuple[Module, ast.AST]]:
        """Yield where a name is written that is, or may be, what a key stands for."""
        if isinstance(key, str):
            name = key.removesuffix(_CALLED)
            for module in self.modules:
                for use in module.nodes_by_name.get(name, ()):
                    above = module.parent(use)
                    if name != key and isinstance(above, ast.Call) and above.func is use:
                        yield module, above
                    elif self.key(module, use) == name:
                        yield module, use
            return
        scope, name = key
        if scope is None:
            for module in self.modules:
                for use in module.nodes_by_name.get(name, ()):
                    if isinstance(use, ast.Name) and _parameter_scope(module, use) is not None:
                        yield module, use
            return
        for inner in scope.walk():
            if inner.lookup(name) is scope:
                yield from ((scope.module, use) for use in inner.reads.get(name, ()))

    def key(self, module: Module, node: ast.Name | ast.Attribute) -> Key:
        """Return what a name stands for: itself, or a local variable."""
        if isinstance(node, ast.Attribute):
            return node.attr
        scope = module.scope_of(node).lookup(node.id) if self._scoped else None
        return node.id if scope is None or not scope.is_function else (scope, node.id)

    def parameter(self, function: Definition, name: str) -> Key:
        """Return what a parameter of a function stands for."""
        return (self._homes[function].inner_scope(function), name) if self._scoped else name

    def _keys(self, module: Module, target: ast.expr | None) -> Iterator[Key]:
        return (self.key(module, each) for each in _names(target))

    def from_node(self, module: Module, node: ast.AST) -> Iterator[Key]:
        """Yield the names that a value goes on to, from where it stands."""
        child, parent = node, module.parent(node)
        while parent is not None:
            if isinstance(parent, ast.Call) and child is not parent.func:
                yield from self._parameters(module, parent, child)
            elif isinstance(parent, ast.Call) and not self._results:
                if child is node or not _is_method(module, child):
                    return  # it is called itself: no method of what holds it
            elif isinstance(parent, ast.keyword):
                yield from self._named(module, parent)
            elif isinstance(parent, (ast.Return, ast.Yield, ast.YieldFrom)):
                name = enclosing_name(module, parent)
                yield f"{name}{_CALLED}" if self._scoped else name
                return
            elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                if child is parent.value:
                    for target in _targets(parent):
                        yield from self._keys(module, target)
                return
            elif isinstance(parent, ast.withitem):
                yield from self._keys(module, parent.optional_vars)
                return
            elif isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
                if child is parent.iter:  # it may be a list that holds it
                    yield from self._items(module, parent)
                return
            elif isinstance(parent, ast.Dict):
                for key in parent.keys:
                    if isinstance(key, ast.Constant):
                        yield from self._anyone(str(key.value))
            elif not (
                isinstance(parent, (ast.Call, *_PASSING))
                or _is_method(module, parent)
                or getattr(parent, "attr", "") in _OF_WRAPPERS
            ):
                return
            child, parent = parent, module.parent(parent)

    def _items(
        self, module: Module, loop: ast.For | ast.AsyncFor | ast.comprehension
    ) -> Iterator[Key]:
        """Yield the variables of a loop; those of a comprehension are its own."""
        around, target = module.parent(loop), _item_of(loop)
        if not self._scoped or not isinstance(loop, ast.comprehension) or around is None:
            yield from self._keys(module, target)
            return
        own = module.inner_scope(around)
        for each in _names(target):
            yield (own, each.id) if isinstance(each, ast.Name) else each.attr

    def _named(self, module: Module, keyword: ast.keyword) -> Iterator[Key]:
        """Yield the names that a keyword argument comes to: also others' where it is passed on, or the callee unknown."""
        call = module.parent(keyword)
        called = self.functions.get(callee_name(call), ()) if isinstance(call, ast.Call) else ()
        name = keyword.arg or ""
        if isinstance(call, ast.Call) and not called:
            self.unseen.add(callee_name(call))
        taking = [each for each in called if name in parameters(each)] if self._scoped else []
        yield from (self.parameter(each, name) for each in taking)
        if not taking or any(each.args.kwarg is not None for each in called):
            yield from self._anyone(name)
            yield from (
                self.parameter(each, each.args.kwarg.arg) for each in called if each.args.kwarg
            )

    def _anyone(self, name: str) -> Iterator[Key]:
        """Yield what a name stands for that may be an attribute, a variable or a parameter of anything."""
        yield name
        if self._scoped:
            yield None, name

    def _parameters(self, module: Module, call: ast.Call, argument: ast.AST) -> Iterator[Key]:
        """Yield the parameters that a positional argument may come to, and what keeps it then."""
        name = callee_name(call)
        if isinstance(call.func, ast.Attribute) and not _is_imported(module, call.func):
            yield from self._keys(module, call.func.value)  # `loaders.append(...)`
        elif name not in self.functions and name not in self._made:
            self.unseen.add(name)
        if name == "setattr":
            for each in call.args:
                if isinstance(each, ast.Constant):
                    yield from self._anyone(str(each.value))
        if self._scoped:
            yield from self._run_by(call)
        if argument not in call.args:
            return
        index = call.args.index(argument)
        if self._scoped and isinstance(argument, ast.Name) and _is_chosen(module, call.func):
            yield from self._anyone(argument.id)
        for made, shift in self._run(module, call) if self._scoped else [(name, 0)]:
            if made in self._made:
                yield ANYWHERE  # a data class: its fields are not looked up
            for function in self.functions.get(made, ()):
                places = parameters_at(function, index - shift) if index >= shift else ()
                yield from (self.parameter(function, each) for each in places)

    def _run(self, module: Module, call: ast.Call) -> Iterator[tuple[str, int]]:
        """Yield the names of what a call runs, and how many arguments come before the function's own.

        `super().__init__` runs constructors of bases, `cls` that of the class around.
        """
        func, name = call.func, callee_name(call)
        around = next((a for a in module.ancestors(call) if isinstance(a, ast.ClassDef)), None)
        if name == "__init__" and isinstance(func, ast.Attribute):
            of_class = not isinstance(func.value, ast.Call)  # `Base.__init__(self, x)`
            own = self._bases.get(around.name, []) if around is not None else []
            classes = [class_name(func.value)] if of_class else [*own]
            for each in classes:  # grows while it is read
                if each in self.functions:
                    yield each, int(of_class)
                else:
                    classes += [base for base in self._bases.get(each, ()) if base not in classes]
        elif around is not None and (name in ("cls", "__class__") or callee_name(func) == "type"):
            yield around.name, 0
        else:
            yield name, 0

    def _run_by(self, call: ast.Call) -> Iterator[Key]:
        """Yield the parameters of a function that a call is handed to run it: `Thread(target=f, args=(x,))`."""
        if callee_name(call) not in _RUNNING:
            return
        for handed in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(handed, (ast.Name, ast.Attribute)):
                for function in self.functions.get(last_name(handed), ()):
                    yield from (self.parameter(function, each) for each in parameters(function))


class _OfModule(Passing):
    """Where values of one module go on to; which parameters of functions that is, is told by `given`."""

    def __init__(self, module: Module) -> None:
        super().__init__([])  # of no functions: whoever asks looks these up
        self.modules = [module]
        self.given: set[tuple[str, int]] = set()

    def _parameters(self, module: Module, call: ast.Call, argument: ast.AST) -> Iterator[Key]:
        yield from super()._parameters(module, call, argument)
        if argument in call.args:
            self.given.add((callee_name(call), call.args.index(argument)))

    def _named(self, module: Module, keyword: ast.keyword) -> Iterator[Key]:
        yield from super()._named(module, keyword)
        call = module.parent(keyword)
        if isinstance(call, ast.Call):
            self.given.add((callee_name(call), _KEYWORD))


def _goes_on(module: Module, name: str) -> tuple[frozenset[Key], frozenset[tuple[str, int]]]:
    """Return the names that what a name holds goes on to in a module, and the places at which it is passed."""
    passing = _OfModule(module)
    names = frozenset(passing._by_uses(name))
    return names, frozenset(passing.given)


class Holding:
    """The variables, attributes, parameters and functions that may give a value.

    Once one of their names is too common to follow, it may be anywhere, and no more are looked for.
    """

    def __init__(
        self,
        passing: Passing,
        is_too_common: Callable[[str], bool] | None = None,
        most: int | None = None,  # names; the nearest are looked for first
    ) -> None:
        self.passing, self._most = passing, most
        self._is_too_common = is_too_common
        self.names: set[str] = set()
        self._keys: set[Key] = set()
        self._values: set[str] = set()  # the names, those of functions apart from what they give
        self._node: ast.AST | None = None

    def of(self, module: Module, node: ast.AST) -> Holding:
        """Take in the names that what a node makes may come to."""
        self._node = node
        return self._take(list(self.passing.from_node(module, node)))

    def of_class(self, definition: ast.ClassDef, hooks: Iterable[Definition]) -> Holding:
        """Take in the names that a class comes to by its decorators and by `__init_subclass__` of its bases."""
        pending = [
            self.passing.parameter(function, parameter)
            for decorator in definition.decorator_list
            for function in self._decorating(decorator)
            for parameter in _first_given(function)
        ]
        pending += [
            self.passing.parameter(hook, each.arg) for hook in hooks for each in hook.args.args[:1]
        ]
        return self._take(pending)

    def _decorating(self, decorator: ast.expr) -> Iterator[Definition]:
        """Yield the functions that are given what a decorator stands over: of a factory those within."""
        is_factory = isinstance(decorator, ast.Call)
        for function in self.passing.functions.get(callee_name(decorator), ()):
            for each in walk(function) if is_factory else [function]:
                if isinstance(each, FUNCTIONS) and not (is_factory and each is function):
                    yield each

    def _take(self, first: list[Key]) -> Holding:
        pending = deque(first)
        while pending and (self._most is None or len(self.names) < self._most):
            key = pending.popleft()
            if key not in self._keys:
                self._keys.add(key)
                name = key if isinstance(key, str) else key[1]
                self._values.add(name)
                written = name.removesuffix(_CALLED)
                self.names.add(written)
                if self._is_too_common is not None and self._is_too_common(written):
                    self.names.add(ANYWHERE)
                    break
                pending += self.passing.from_name(key)
        return self

    @property
    def is_anywhere(self) -> bool:
        """Whether it may be held by anything."""
        return ANYWHERE in self.names

    def may_be(self, module: Module, node: ast.expr) -> bool:
        """Return whether an expression may stand for it, or hold it."""
        return self.is_anywhere or any(
            each is self._node
            or (isinstance(each, (ast.Name, ast.Attribute)) and self._has(module, each))
            for each in walk(node)
        )

    def _has(self, module: Module, node: ast.Name | ast.Attribute) -> bool:
        """Return whether a name is one that may hold it."""
        key = self.passing.key(module, node)
        if key in self._keys:
            return True
        if isinstance(key, str):
            return f"{key}{_CALLED}" in self._keys
        return (None, key[1]) in self._keys and _parameter_scope(module, node) is not None

    def gives(self, called: ast.expr) -> bool:
        """Return whether what is called may be the value: a name or an item, no method of one."""
        match called:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in self._values
            case ast.Subscript(value=held):
                return self.gives(held)
            case ast.Call(func=func) if f"{last_name(func)}{_CALLED}" in self._values:
                return True
            case ast.Call(func=ast.Attribute(value=held)):
                return self.gives(held)
            case ast.Call(func=given):
                return self.gives(given)
        return False


def _item_of(loop: ast.For | ast.AsyncFor | ast.comprehension) -> ast.expr:
    """Return the target of a loop that an item is bound to: the first of `for index, row in enumerate(rows)` is a number."""
    match loop:
        case ast.For(target=ast.Tuple(elts=[_, row]), iter=ast.Call(func=ast.Name(id="enumerate"))):
            return row
        case ast.comprehension(
            target=ast.Tuple(elts=[_, row]), iter=ast.Call(func=ast.Name(id="enumerate"))
        ):
            return row
    return loop.target


def _is_chosen(module: Module, func: ast.expr) -> bool:
    """Return whether what is called is what a local variable or an item holds, whose name says nothing."""
    if not isinstance(func, ast.Name):
        return not isinstance(func, ast.Attribute)
    scope = module.scope_of(func).lookup(func.id)
    kinds = {each.kind for each in scope.bindings.get(func.id, ())} if scope else set()
    return scope is not None and scope.is_function and not kinds <= {"def", "class", "import"}


def _is_imported(module: Module, node: ast.Attribute) -> bool:
    """Return whether a dotted name begins with an imported module, as `torch.utils.data.DataLoader` does."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    scope = module.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
    bindings = scope.bindings.get(root.id, ()) if scope and isinstance(root, ast.Name) else ()
    return bool(bindings) and all(isinstance(each.statement, ast.Import) for each in bindings)


def _parameter_scope(module: Module, node: ast.Name | ast.Attribute) -> Scope | None:
    """Return the scope of which a name is a parameter; None for other names."""
    if isinstance(node, ast.Attribute):
        return None
    scope = module.scope_of(node).lookup(node.id)
    bindings = scope.bindings.get(node.id, ()) if scope is not None and scope.is_function else ()
    return scope if any(each.kind == "parameter" for each in bindings) else None


def _first_given(function: Definition) -> list[str]:
    """Return the first parameter, and the second of what may be a method."""
    found = positional(function)
    return found[: 1 + (found[:1] in (["self"], ["cls"]))]


def parameters_at(function: Definition, index: int) -> Iterator[str]:
    """Yield the parameter that takes a positional argument, the object aside, and what gathers the rest."""
    found = positional(function)
    own = index + (found[:1] in (["self"], ["cls"]))
    yield from found[own : own + 1]
    if function.args.vararg is not None:
        yield function.args.vararg.arg


def _is_method(module: Module, node: ast.AST) -> bool:
    """Return whether a node is the method of a call: `loaders.values()` may give what they hold."""
    above = module.parent(node)
    return isinstance(node, ast.Attribute) and isinstance(above, ast.Call) and above.func is node


def _targets(
    statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr,
) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _names(target: ast.expr | None) -> Iterator[ast.Name | ast.Attribute]:
    """Yield what a target is written as: of `a.b`, `a.b[0]` the attribute."""
    if isinstance(target, (ast.Name, ast.Attribute)):
        yield target
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from _names(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _names(element)


def enclosing_name(module: Module, node: ast.AST) -> str:
    """Return the name of the function around a node; empty where there is none."""
    above = (each for each in module.ancestors(node) if isinstance(each, FUNCTIONS))
    return next((each.name for each in above), "")
