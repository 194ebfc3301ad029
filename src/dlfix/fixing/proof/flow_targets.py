"""What a call may run, and whether that is code of a library: asked where a function's value is passed on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.plain_results import PlainResults
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.stored_values import values_given
from dlfix.fixing.proof.syntax import Function, chosen, last_part
from dlfix.project.bindings import Binding
from dlfix.project.module import Module

# Modules whose calls give something that holds the function, or ask it themselves.
_PASSES_ON = frozenset(
    {"functools", "inspect", "builtins", "types", "operator", "itertools", "toolz"}
)
# Methods that put something into a container.
TAKES = frozenset("append appendleft extend insert add update setdefault".split())
OF_CLASSES = frozenset({"staticmethod", "classmethod"})
CACHES = frozenset({"lru_cache", "cache"})
_MOST_VALUES = 40  # values that one attribute is followed to

# A function, its module, and how many of its parameters are bound.
Target: TypeAlias = tuple[Module, ast.FunctionDef, int]


@dataclass(frozen=True)
class Targets:
    """Finds what the calls of a program may run."""

    program: Program

    def methods(self, module: Module, func: ast.expr) -> list[Target]:
        """Return the methods that `model.apply(...)` may run, of whatever class; none where one is decorated."""
        if not isinstance(func, ast.Attribute):
            return []
        found = self.of_known(module, func) or [
            (home, function)
            for home in self.program.project.mentions(func.attr)
            for function in home.functions_by_name.get(func.attr, ())
            if isinstance(home.parent(function), ast.ClassDef)
        ]
        plain = [
            (home, function, 0 if "staticmethod" in decorators else 1)
            for home, function in found
            for decorators in [{last_part(each) for each in function.decorator_list}]
            if isinstance(function, ast.FunctionDef) and not decorators - OF_CLASSES
        ]
        return plain if len(plain) == len(found) else []

    def of_known(self, module: Module, func: ast.expr) -> list[tuple[Module, Function]]:
        """Return the methods of the classes that an object is known to be of, and of what derives from these."""
        if not isinstance(func, ast.Attribute) or self._is_set(func.attr):
            return []
        owner = func.value
        own = self.program.class_of_self(module, owner) or annotated(self.program, module, owner)
        made = [own] if own is not None else self.made(module, owner)
        classes = [
            each for cls in made if cls is not None for each in (cls, *self.program.heirs(cls))
        ]
        methods = [self.program.method(each, func.attr) for each in classes]
        other = any(
            func.attr in above.values for each in classes for above in self.program.lineage(each)
        )
        known = None not in made and None not in methods and not other
        found = {method[1]: method[0].module for method in methods if method is not None}
        return [(home, function) for function, home in found.items()] if known else []

    def _is_set(self, name: str) -> bool:
        """Return whether some object may have something else than its class has under a name."""
        return any(name in home.stores_by_name for home in self.program.project.mentions(name))

    def made(self, module: Module, owner: ast.expr) -> list[Class | None]:
        """Return the classes of which an expression, or what a variable or an attribute of `self` is set to, makes an object; None for another."""
        given = [each for one in bindings_of(module, owner) for each in self._values(module, one)]
        if isinstance(owner, ast.Call):
            given = [(module, owner)]
        if isinstance(owner, ast.Attribute) and self.program.class_of_self(module, owner.value):
            given = [*values_given(self.program, owner.attr)]
        calls = [(home, value.func) for home, value in given if isinstance(value, ast.Call)]
        classes = [self.program.class_of(home, func) for home, func in calls]
        return classes if len(calls) == len(given) else [None]

    def _values(self, module: Module, binding: Binding) -> Iterator[tuple[Module, ast.expr | None]]:
        """Yield what a binding sets a variable to, one that is imported too; None for what is not seen."""
        if isinstance(binding.statement, ast.ImportFrom):
            yield from self._imported(module, binding.statement, binding.name)
        else:
            yield module, binding.value if binding.kind in ("assign", "with") else None

    def _imported(
        self, module: Module, statement: ast.ImportFrom, name: str
    ) -> Iterator[tuple[Module, ast.expr | None]]:
        """Yield what a module sets a variable to from which another imports it."""
        project, origin = self.program.project, statement.module or ""
        if statement.level:
            origin = project.relative(module, statement.level, origin)
        source = project.find(origin, module)
        known = [each.name for each in statement.names if (each.asname or each.name) == name]
        if source is None or not known or self._is_set(known[0]):
            yield module, None
            return
        scope = source.scope
        bound = [*scope.bindings.get(known[0], ()), *scope.module_globals.get(known[0], ())]
        plain = [each.value if each.kind == "assign" and not each.path else None for each in bound]
        yield from ((source, value) for value in plain or [None])

    def is_nobodys(self, module: Module, method: ast.Attribute) -> bool:
        """Return whether the project has no function or attribute of a name: the method of an object is a library's."""
        own = self.program.class_of_self(module, method.value)
        if own is not None and not self.program.unknown_bases(own):
            return False
        if any(each.kind == "import" for each in bindings_of(module, method.value)):
            return False
        return method.attr not in TAKES and not any(
            self._may_be_called(home, method.attr)
            for home in self.program.project.mentions(method.attr)
        )

    def _may_be_called(self, module: Module, name: str) -> bool:
        """Return whether a module has something by a name that a call may run: a property that gives a number is none."""
        if name in module.stores_by_name:
            return True
        plain = self.program.kept(PlainResults)
        functions = module.functions_by_name.get(name, ())
        return not all(plain.property_gives(module, each) for each in functions)

    def kept_functions(self, name: str) -> list[Target] | None:
        """Return the functions that an attribute is set to, of whatever object; None where one is not seen."""
        found = []
        values = [*values_given(self.program, name)]
        for module, value in values:  # grows while it is read
            function = self.callee(module, value) if value is not None else None
            if function is not None:
                found.append(function)
            elif isinstance(value, ast.Name) and len(values) < _MOST_VALUES:
                passed = [*passed_for(self.program, module, value)]
                values += ((home, each) for home, _, each in passed)
                if not passed:
                    return None
            elif not (isinstance(value, ast.Constant) and value.value is None):
                return None
        return found if values else None

    def callees(self, module: Module, func: ast.expr) -> list[Target]:
        """Return the functions of the project that a call runs: also those that a variable is bound to."""
        direct = self.callee(module, func)
        if direct is not None:
            return [direct]
        values = [each.value for each in bindings_of(module, func) if each.kind == "assign"]
        if not values or len(values) != len(bindings_of(module, func)):
            return []
        named = [each for value in values for each in chosen(value)]
        found = [self.callee(module, each) for each in named]
        return [each for each in found if each is not None] if None not in found else []

    def cached(self, module: Module, func: ast.expr) -> list[Target]:
        """Return the functions of the project that a call runs through a cache: their arguments are its keys."""
        wrapped = [each for b in bindings_of(module, func) for each in _put_into_cache(b.value)]
        made = [self.program.function_of(module, each) for each in wrapped]
        if made and None not in made:
            return [(h, f, 0) for h, f in filter(None, made) if isinstance(f, ast.FunctionDef)]
        direct = self.program.function_of(module, func)
        found = [direct] if direct is not None else []
        if direct is None and isinstance(func, ast.Attribute):
            found = [
                (home, function)
                for home in self.program.project.mentions(func.attr)
                for function in home.functions_by_name.get(func.attr, ())
                if isinstance(home.parent(function), ast.ClassDef)
            ]
        return [
            (home, function, int(isinstance(home.parent(function), ast.ClassDef)))
            for home, function in found
            if isinstance(function, ast.FunctionDef) and _is_cached(function)
        ]

    def callee(self, module: Module, func: ast.expr) -> Target | None:
        """Return the function of the project that a call runs, and how many arguments are bound."""
        cls = self.above(module, func) if is_super(func) else self.class_of(module, func)
        if cls is not None:
            method = self.program.method(cls, "__init__")
            if method is None or not isinstance(method[1], ast.FunctionDef):
                return None
            if method[1].decorator_list or cls.node.decorator_list:
                return None
            return method[0].module, method[1], 1
        found = self.program.function_of(module, func)
        if found is None or not isinstance(found[1], ast.FunctionDef):
            return None
        if isinstance(func, ast.Attribute) and self.program.class_of_self(module, func.value):
            return None  # of a method that a derived class may replace
        decorators = {last_part(each) for each in found[1].decorator_list}
        bound = 1 if "classmethod" in decorators else 0
        return None if decorators - OF_CLASSES else (found[0], found[1], bound)

    def class_of(self, module: Module, func: ast.expr) -> Class | None:
        """Return the class of the project that a call makes an object of: also the one that has the method."""
        named = self.program.class_of(module, func)
        if named is not None or not isinstance(func, (ast.Name, ast.Call, ast.Attribute)):
            return named
        return self.program.class_of_self(module, whose_class(func) or func)

    def above(self, module: Module, func: ast.expr) -> Class | None:
        """Return the base of the project whose `__init__` is the one `super()` runs; None for a library."""
        owner = next((a for a in module.ancestors(func) if isinstance(a, ast.ClassDef)), None)
        for base in owner.bases if owner is not None else ():
            cls = self.program.class_of(module, base)
            if cls is None or self.program.method(cls, "__init__") is not None:
                return cls
            if self.program.unknown_bases(cls):
                return None
        return None

    def is_of_library(self, module: Module, func: ast.expr) -> bool:
        """Return whether a call runs code of a library, which asks nothing of what it gets."""
        if is_super(func):
            return self.above(module, func) is None
        cls = self.program.class_of(module, func)
        if cls is not None:
            return (
                not cls.node.decorator_list
                and all(
                    not {"__init__", "__new__", "__call__"} & each.methods.keys()
                    for each in self.program.lineage(cls)
                )
                and bool(self.program.unknown_bases(cls))
            )
        root = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self.program.resolve(module, func) is not None:
            return False
        scope = module.scope_of(root).lookup(root.id)
        bindings = scope.bindings.get(root.id, []) if scope is not None else []
        origins = {_origin(each.statement, root.id) for each in bindings}
        if scope is None:
            origins = self._starred(module, root.id)
        return bool(origins) and all(
            origin
            and origin not in _PASSES_ON
            and self.program.project.find(origin, module) in (None, module)
            for origin in origins
        )

    def _starred(self, module: Module, name: str) -> set[str]:
        """Return the packages from which a module has a name by `from imports import *` of the project."""
        project = self.program.project
        found: set[str] = set()
        for node in module.nodes(ast.ImportFrom):
            if node.names[0].name == "*":
                origin = node.module or ""
                origin = project.relative(module, node.level, origin) if node.level else origin
                source = project.find(origin, module)
                if source is not None and source is not module and source.exports(name):
                    bindings = source.scope.bindings.get(name, ())
                    found |= {_origin(each.statement, name) for each in bindings}
        return found


def annotated(program: Program, module: Module, owner: ast.expr) -> Class | None:
    """Return the class of the project that the annotation of a parameter names."""
    found = annotation(module, owner)
    return program.class_of(module, found) if found is not None else None


def annotation(module: Module, owner: ast.expr) -> ast.expr | None:
    """Return the annotation of a parameter that nothing else is bound to."""
    bindings = bindings_of(module, owner)
    if len(bindings) != 1 or not isinstance(bindings[0].node, ast.arg):
        return None
    return bindings[0].node.annotation


def bindings_of(module: Module, named: ast.expr) -> list[Binding]:
    """Return where a variable is bound."""
    if not isinstance(named, ast.Name):
        return []
    scope = module.scope_of(named).lookup(named.id)
    return scope.bindings.get(named.id, []) if scope is not None else []


def is_super(func: ast.expr) -> bool:
    """Return whether a call is of `super().__init__`."""
    match func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def _put_into_cache(value: ast.expr | None) -> list[ast.expr]:
    """Return the function of which a value is a cache: `lru_cache(maxsize=None)(make)`."""
    match value:
        case ast.Call(func=ast.Call(func=maker) | maker, args=[function]):
            return [function] if last_part(maker) in CACHES else []
    return []


def _is_cached(function: ast.FunctionDef) -> bool:
    names = [getattr(each, "func", each) for each in function.decorator_list]
    return any(last_part(each) in CACHES for each in names)


def _origin(statement: ast.AST, name: str) -> str:
    """Return the package from which a statement imports a name; empty where it does not."""
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").partition(".")[0] if not statement.level else ""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                return alias.name.partition(".")[0]
    return ""
