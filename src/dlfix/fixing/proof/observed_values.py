"""What an expression may hold, followed backwards: whether a question of it may be one of a function that moved."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator

from dlfix.fixing.proof import modules_meant
from dlfix.fixing.proof.computed_names import computed_in
from dlfix.fixing.proof.flow_targets import OF_CLASSES, bindings_of
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.stored_values import values_given
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, dotted, last_part, parameters
from dlfix.project.bindings import Binding
from dlfix.project.module import Module
from dlfix.project.syntax import attributes_of, defaults

_KINDS = frozenset({"FunctionType", "LambdaType"})
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_VALUES = (ast.Constant, ast.JoinedStr, ast.Dict, ast.Compare, ast.DictComp, *_DISPLAYS)
_GIVE_MODULES = frozenset({"getmodule", "import_module"})
_BASES = frozenset({"__bases__", "__mro__"})
# What is asked of the attributes of an object together, and what shows or copies them.
_READ_ALL = frozenset("items keys values get copy".split())
_SHOW_ALL = frozenset(
    "print pprint pformat str repr len dict list sorted update copy deepcopy dump dumps format isinstance".split()
)
_MOST = 60  # expressions that one question is followed to


def observed(module: Module, node: ast.AST) -> ast.expr | None:
    """Return the expression of which a word asks something: `f` in `f.__name__` and `signature(f)`."""
    above = module.parent(node)
    if isinstance(above, ast.Attribute) and above.value is not node:
        return None
    if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
        return node.value
    if isinstance(above, ast.Call) and above.func is node and above.args:
        return above.args[0]
    while isinstance(above, (ast.Tuple, ast.BinOp)):
        above = module.parent(above)
    if isinstance(above, ast.MatchClass):
        matches = (each for each in module.ancestors(above) if isinstance(each, ast.Match))
        return next(matches).subject
    is_test = isinstance(above, ast.Call) and last_part(above.func) == "isinstance"
    return above.args[0] if is_test and isinstance(above, ast.Call) else None


def makes_function(module: Module, node: ast.AST) -> bool:
    """Return whether a type is called to make a function: `FunctionType(code, names)` asks nothing."""
    above = module.parent(node)
    return isinstance(above, ast.Call) and above.func is node and last_part(node) in _KINDS


class Sources:
    """Follows expressions back through assignments, arguments, loops and attributes to what made their values."""

    def __init__(
        self, program: Program, moved: Collection[str], *, with_classes: bool = True
    ) -> None:
        self.program = program
        self.moved = moved  # names of the functions and classes that module level has now
        self.with_classes = with_classes  # whether classes are among them

    def are_others(self, module: Module, asked: ast.expr) -> bool:
        """Return whether all that an expression may hold is known, and is no function that moved."""
        return self._are(module, asked, set())

    def _are(self, module: Module, node: ast.AST | None, met: set[object]) -> bool:
        if node in met:
            return True
        met.add(node)
        if len(met) > _MOST:
            return False
        held = whose_class(node) if isinstance(node, ast.expr) else None
        if held is not None:
            own = self.program.class_of_self(module, held)
            if own is None:  # what functions have as a type differs from that of other values
                return not self.with_classes and self._are(module, held, met)
            return all(each.name not in self.moved for each in (own, *self.program.heirs(own)))
        match node:
            case ast.Name(id=name):
                return self._named(module, node, name, met)
            case (
                ast.Subscript(value=table, slice=ast.Constant(value=str() as key))
                | ast.Call(
                    func=ast.Attribute(value=table, attr="get" | "pop"),
                    args=[ast.Constant(value=str() as key), *_],
                )
            ) if attributes_of(table) is not None:
                given = node.args[1:] if isinstance(node, ast.Call) else []
                return self._stored_as(key, met) and all(
                    self._are(module, each, met) for each in given
                )
            case ast.Subscript(value=items) if _are_bases(module, items):
                return not self.with_classes
            case ast.Attribute(attr=name):
                return self.program.is_of_library(module, node) or self._kept(
                    module, node, name, met
                )
            case ast.Call(func=func):
                made = self.program.class_of(module, func)
                if made is not None:
                    return not {"__new__", "__call__"} & made.methods.keys()
                return self._makes_other(module, func)
            case ast.IfExp(body=body, orelse=orelse):
                return self._are(module, body, met) and self._are(module, orelse, met)
            case ast.BoolOp(values=values):
                return all(self._are(module, each, met) for each in values)
        return isinstance(node, _VALUES)

    def _stored_as(self, name: str, met: set[object]) -> bool:
        """Return whether all that objects, classes and modules keep under a name is seen, and is something else."""
        if name in met:
            return True
        met.add(name)
        if name in self.moved:
            return False
        for home in self.program.project.mentions(name):
            own = home.scope.bindings.get(name, ())
            if not all(self._bound(home, each, met) for each in own):
                return False
            classes = self.program.classes(home)
            if any(name in each.annotated for each in classes):
                return False  # a field, which a constructor may fill
            members = [each.values[name] for each in classes if name in each.values]
            stored = [*members, *_passed_as(home, name)]
            if not all(self._are_made(home, each, name, met) for each in stored):
                return False
        return all(
            value is not None and self._are_made(home, value, name, met)
            for home, value in values_given(self.program, name)
        )

    def _are_made(self, module: Module, value: ast.expr, name: str, met: set[object]) -> bool:
        """Return whether a value that is kept under a name is made of other things: a library gives what it is given."""
        if len(met) > _MOST:
            return False
        match value:
            case ast.Attribute(attr=attr) if attr == name:
                return True  # what an object has under the same name
            case ast.Name() if value not in met and _are_assigned(bindings_of(module, value)):
                met.add(value)
                bound = [each.value for each in bindings_of(module, value)]
                return all(self._are_made(module, each, name, met) for each in bound if each)
            case ast.Call(func=func, args=[function, _]) if last_part(func) == "MethodType":
                return self._are_made(module, function, name, met)
            case ast.Call(func=ast.Attribute(attr="__get__", value=function)):
                return self._are_made(module, function, name, met)
            case ast.Call(func=func) if self._is_of_library(module, func):
                given = [*value.args, *(each.value for each in value.keywords)]
                return all(self._are_made(module, each, name, met) for each in given)
        return self._are(module, value, met)

    def _is_of_library(self, module: Module, func: ast.expr) -> bool:
        """Return whether a call is of a library's function, or of what one gives for plain values."""
        if isinstance(func, ast.Call):
            given = [*func.args, *(each.value for each in func.keywords)]
            are_plain = all(isinstance(each, ast.Constant) for each in given)
            return are_plain and self._is_of_library(module, func.func)
        return self.program.is_of_library(module, func)

    def _makes_other(self, module: Module, func: ast.expr) -> bool:
        """Return whether what is called gives modules, or data as `str` does."""
        if not isinstance(func, ast.Name) or module.scope_of(func).lookup(func.id) is not None:
            return last_part(func) in _GIVE_MODULES and self.program.is_of_library(module, func)
        kind = getattr(builtins, func.id, None)
        is_data = isinstance(kind, type) and kind not in (type, super)
        return is_data or func.id in ("repr", "len", "__import__")

    def _named(self, module: Module, node: ast.Name, name: str, met: set[object]) -> bool:
        own = self.program.class_of_self(module, node)
        if own is not None:
            bases = self.program.unknown_bases(own)
            return not is_of_class(module, node) and not any(map(_is_metaclass, bases))
        scope = module.scope_of(node).lookup(name)
        if scope is None:
            return isinstance(getattr(builtins, name, None), type)
        if (scope, name) in met:
            return True
        met.add((scope, name))
        if scope.is_function and _is_raised(scope.node, name):
            return True
        bindings = [*scope.bindings.get(name, ())]
        bindings += scope.module_globals.get(name, ()) if scope.is_module else ()
        return bool(bindings) and all(self._bound(module, each, met) for each in bindings)

    def _bound(self, module: Module, binding: Binding, met: set[object]) -> bool:
        """Return whether what one binding gives a name is something else."""
        match binding.kind, binding.path:
            case "parameter", _ if isinstance(binding.node, ast.arg):
                return self._passed(module, binding.node, met)
            case (("except" | "delete"), _):
                return True
            case (("def" | "class"), _):
                return self._is_other(binding.node)
            case "import", _:
                if isinstance(binding.statement, ast.Import):
                    return True
                if self.program.is_from_library(module, binding.statement):
                    return True
                found = self.program.resolve(module, ast.Name(binding.name, ast.Load()))
                return found is not None and self._is_other(found[1])
            case (("assign" | "annotated" | "walrus"), ()):
                return binding.value is not None and self._are(module, binding.value, met)
            case "for", (_,) if binding.value is not None:
                return self._items(module, binding.value, met)
        return False

    def _is_other(self, defined: ast.AST) -> bool:
        """Return whether a function, class or module is not among those that moved, nor wrapped."""
        named = getattr(defined, "name", "") in self.moved
        return not named and not getattr(defined, "decorator_list", ())

    def _items(self, module: Module, source: ast.expr, met: set[object]) -> bool:
        """Return whether all items of what a loop goes through are something else."""
        if isinstance(source, _DISPLAYS):
            return all(self._are(module, each, met) for each in source.elts)
        if not isinstance(source, ast.Name):
            return False
        scope = module.scope_of(source).lookup(source.id)
        bindings = scope.bindings.get(source.id, []) if scope is not None else []
        reads = [r for s in (scope.walk() if scope else ()) for r in s.reads.get(source.id, ())]
        return (
            bool(bindings)
            and all(getattr(module.parent(each), "iter", None) is each for each in reads)
            and all(isinstance(each.value, _DISPLAYS) and not each.path for each in bindings)
            and all(self._items(module, each.value, met) for each in bindings if each.value)
        )

    def _passed(self, module: Module, parameter: ast.arg, met: set[object]) -> bool:
        """Return whether a parameter is annotated as something else, or every call in view passes it."""
        arguments = module.parent(parameter)
        function = module.parent(arguments) if arguments is not None else None
        if parameter.annotation is not None and self._is_value(module, parameter.annotation):
            return True
        if not isinstance(function, FUNCTIONS):
            return False
        if parameter in (function.args.vararg, function.args.kwarg):
            return False
        if function.decorator_list:
            return self._are_passed_through(module, function, met)
        given = list(self._arguments(module, function, parameter.arg))
        return (
            bool(given)
            and None not in given
            and all(self._are(home, value, met) for home, value in filter(None, given))
        )

    def _are_passed_through(self, module: Module, function: Function, met: set[object]) -> bool:
        """Return whether all that a function gets through decorators of libraries is something else.

        These pass on what they are given, to whatever parameter: by a call, or where the function is a decorator itself.
        """
        if not all(self._is_others_decorator(module, each) for each in function.decorator_list):
            return False
        used = False
        for home, node in self._uses(module, function):
            if not self._gets_others(home, node, met):
                return False
            used = True
        return used

    def _is_others_decorator(self, module: Module, decorator: ast.expr) -> bool:
        """Return whether a decorator is a library's, which has the functions of the project from the project alone."""
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        if last_part(func) in OF_CLASSES:
            return True
        return not isinstance(decorator, ast.Call) and self.program.is_of_library(module, func)

    def _uses(
        self, module: Module, function: Function
    ) -> Iterator[tuple[Module, ast.Name | ast.Attribute]]:
        """Yield where code reads a function by its name; of a method a variable of that name is another thing."""
        is_method = isinstance(module.parent(function), ast.ClassDef)
        for home, node in self._named_so(function.name):
            if not isinstance(node.ctx, ast.Load) or _is_annotation(home, node):
                continue
            scope = home.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
            if is_method and isinstance(node, ast.Name) and not (scope and scope.is_class):
                continue
            if isinstance(node, ast.Attribute) and self._is_of_another(home, node, function):
                continue
            yield home, node

    def _is_of_another(self, module: Module, node: ast.Attribute, function: Function) -> bool:
        """Return whether an attribute of `self` is of a class that is no relative of the one that has a method."""
        own = self.program.class_of_self(module, node.value)
        return own is not None and not any(
            function in each.methods.values() for each in self.program.family(own)
        )

    def _gets_others(
        self, module: Module, node: ast.Name | ast.Attribute, met: set[object]
    ) -> bool:
        """Return whether what a function gets at one of its uses is something else, also by the decorator that a call of it gives."""
        used: ast.AST = node
        calls: list[ast.Call] = []
        above = module.parent(node)
        while isinstance(above, ast.Call) and above.func is used:
            calls.append(above)
            used, above = above, module.parent(above)
        over = getattr(above, "decorator_list", ())
        if used in over:
            inner = over[over.index(used) + 1 :]
            known = getattr(above, "name", "") not in self.moved
            if not known or not all(self._is_others_decorator(module, each) for each in inner):
                return False
        elif not calls or not self._is_defined(module, next(iter(calls[-1].args), None)):
            return False  # a function that is kept, or a decorator that a call made
        values = [each for call in calls for each in call.args]
        values += [each.value for call in calls for each in call.keywords]
        return all(self._are_made(module, each, "", met) for each in values)

    def _is_defined(self, module: Module, given: ast.expr | None) -> bool:
        """Return whether a call is passed a function or class: it decorates that, and gives no decorator."""
        bindings = bindings_of(module, given) if given is not None else []
        return bool(bindings) and all(
            each.kind in ("def", "class")
            or (isinstance(each.statement, ast.ImportFrom) and _is_class(each.statement, each.name))
            for each in bindings
        )

    def _is_value(self, module: Module, annotation: ast.expr) -> bool:
        """Return whether an annotation is of objects that are neither functions nor classes."""
        match annotation:
            case ast.Constant(value=None):
                return True
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._is_value(module, left) and self._is_value(module, right)
            case ast.Subscript(value=value, slice=inner):
                if last_part(value) == "Optional":
                    return self._is_value(module, inner)
                return last_part(value) in ("type", "Type") and not self.with_classes
            case ast.Name(id=name) if module.scope_of(annotation).lookup(name) is None:
                kind = getattr(builtins, name, None)
                if kind is type:
                    return not self.with_classes
                return isinstance(kind, type) and kind is not object
        named = dotted(annotation) == "types.ModuleType" or dotted(annotation) == "ModuleType"
        return named or self.program.class_of(module, annotation) is not None

    def _arguments(
        self, module: Module, function: Function, name: str
    ) -> Iterator[tuple[Module, ast.expr] | None]:
        """Yield what calls pass for a parameter, and its default; None for what is not seen."""
        owner = module.parent(function)
        is_init = isinstance(owner, ast.ClassDef) and function.name == "__init__"
        called = owner.name if is_init and isinstance(owner, ast.ClassDef) else function.name
        positional = [*function.args.posonlyargs, *function.args.args]
        names = [each.arg for each in positional][isinstance(owner, ast.ClassDef) :]
        if called.startswith("__"):
            yield None  # operators and the language call it
        for home, node in self._named_so(called):
            call = home.parent(node)
            if not isinstance(node.ctx, ast.Load) or _is_annotation(home, node):
                continue
            if self.program.is_of_library(home, node) or (
                isinstance(owner, ast.Module)
                and isinstance(node, ast.Attribute)
                and not modules_meant.may_be(self.program, home, node.value, module)
            ):
                continue  # a library's, or a method, of the same name
            if not isinstance(call, ast.Call) or call.func is not node:
                yield None
                continue
            if any(isinstance(each, ast.Starred) for each in call.args) or any(
                each.arg is None for each in call.keywords
            ):
                yield None
            given = dict(zip(names, call.args, strict=False))
            given |= {each.arg or "": each.value for each in call.keywords}
            value = given.get(name, defaults(function.args).get(name))
            yield (home, value) if value is not None else None

    def _named_so(self, name: str) -> Iterator[tuple[Module, ast.Name | ast.Attribute]]:
        """Yield where code names something, also under the names that imports give it."""
        names = [name]
        for each in names:
            for home in self.program.project.mentions(each):
                names += (alias for alias in home.aliases_of(each) if alias not in names)
                yield from ((home, node) for node in home.nodes_by_name.get(each, ()))

    def _may_be_set_by_table(self, own: Class) -> bool:
        """Return whether code beside a class sets attributes by names that are not written out."""
        return any(map(self._sets_by_table, self._homes(own)))

    def _homes(self, own: Class) -> set[Module]:
        return {each.module for each in self.program.family(own)}

    def _sets_by_table(self, module: Module) -> bool:
        return any(computed_in(module)) or next(tables_changed(module), None) is not None

    def _kept(self, module: Module, node: ast.Attribute, name: str, met: set[object]) -> bool:
        """Return whether an attribute of `self` is only set, wherever that may be, to something else."""
        own = self.program.class_of_self(module, node.value)
        if own is None or name in met:
            return own is not None
        met.add(name)
        if self._may_be_set_by_table(own):
            return False
        stored, family = False, self.program.family(own)
        for home in self.program.project.mentions(name):
            if home.functions_by_name.get(name):
                return False
            for each in home.nodes_by_name.get(name, ()):
                if isinstance(each, ast.Name):
                    if home.scope_of(each).is_class:
                        return False
                elif not isinstance(each.ctx, ast.Load):
                    holder = self.program.class_of_self(home, each.value)
                    if holder is not None and holder not in family:
                        continue
                    above = home.parent(each)
                    if not isinstance(above, ast.Assign) or each not in above.targets:
                        return False
                    if not self._are(home, above.value, met):
                        return False
                    stored = True
        return stored


def _are_bases(module: Module, items: ast.expr) -> bool:
    """Return whether an expression gives the bases of a class: `cls.__bases__`, or a variable that has them."""
    bound = bindings_of(module, items)
    if _are_assigned(bound):
        return all(last_part(each.value) in _BASES for each in bound)
    return isinstance(items, ast.Attribute) and items.attr in _BASES


def _are_assigned(bindings: list[Binding]) -> bool:
    plain = (each.kind == "assign" and not each.path and each.value for each in bindings)
    return bool(bindings) and all(plain)


def _passed_as(module: Module, name: str) -> Iterator[ast.expr]:
    """Yield what code may store under a name other than by an assignment: by its text, or as a keyword."""
    for each in module.nodes(ast.keyword):
        if each.arg == name:
            yield each.value
    for call in module.calls_by_name.get("setattr", ()):
        match call.args:
            case [_, ast.Constant(value=text), value] if text == name:
                yield value
    for display in module.nodes(ast.Dict):
        for key, value in zip(display.keys, display.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name:
                yield value
    for statement in module.nodes(ast.Assign):
        for target in statement.targets:
            match target:
                case ast.Subscript(slice=ast.Constant(value=text)) if text == name:
                    yield statement.value


def _is_class(statement: ast.ImportFrom, name: str) -> bool:
    """Return whether what is imported by a name goes by the name of a class."""
    origins = (each.name for each in statement.names if (each.asname or each.name) == name)
    return any(each[:1].isupper() for each in origins)


def is_of_class(module: Module, node: ast.Name) -> bool:
    """Return whether the first parameter of a method is the class."""
    method = next(
        a for a in module.ancestors(node) if isinstance(a, FUNCTIONS) and node.id in parameters(a)
    )
    by_nature = {"__new__", "__init_subclass__", "__class_getitem__"}
    return method.name in by_nature or any(
        last_part(each) == "classmethod" for each in method.decorator_list
    )


def _is_metaclass(base: str) -> bool:
    name = base.rpartition(".")[2]
    return name != "ModuleType" and name.endswith(("type", "Type", "Meta", "MetaClass"))


def tables_changed(module: Module) -> Iterator[ast.expr]:
    """Yield the tables of all attributes of an object that code may change: `vars(x)`, `x.__dict__`."""
    names = (*module.nodes_by_name.get("__dict__", ()), *module.calls_by_name.get("vars", ()))
    yield from (each for each in names if not _is_only_read(module, each))


def _is_only_read(module: Module, table: ast.AST) -> bool:
    """Return whether code looks at the attributes of an object together, and sets none of them."""
    match module.parent(table):
        case ast.Subscript(value=value, ctx=ast.Load()) if value is table:
            return True
        case ast.Attribute(attr=attr):
            return attr in _READ_ALL
        case ast.Call(func=func, args=args) if table in args:
            return last_part(func) in _SHOW_ALL
        case ast.Compare() | ast.FormattedValue() | ast.keyword(arg=None):
            return True
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is table
    return False


def _is_raised(around: ast.AST, name: str) -> bool:
    """Return whether a function raises what a name holds, or objects of it: only exceptions are."""
    raised = (each.exc for each in ast.walk(around) if isinstance(each, ast.Raise))
    return any(
        dotted(each.func if isinstance(each, ast.Call) else each) == name
        for each in raised
        if each is not None
    )


def _is_annotation(module: Module, node: ast.AST) -> bool:
    """Return whether a name stands in an annotation, or as the base of a class."""
    above = module.parent(node)
    return isinstance(above, ast.arg) or getattr(above, "returns", None) is node


__all__ = ["Sources", "makes_function", "observed", "tables_changed"]
