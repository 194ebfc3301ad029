"""Whether an expression surely holds something else than an object of some classes: followed backwards to what made it."""

from __future__ import annotations

import ast

from dlfix.fixing.proof.asked_attributes import BARE
from dlfix.fixing.proof.computed_names import computed_in
from dlfix.fixing.proof.flow_targets import Targets, annotation
from dlfix.fixing.proof.observed_values import Sources, is_of_class, tables_changed
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import Function, dotted, executed, last_part
from dlfix.project.bindings import Binding
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.syntax import attributes_of

# Modules whose functions read or make data and settings.
_OF_DATA = frozenset("json yaml toml tomllib configparser omegaconf".split())
# Methods of parsers of command lines that make what they give.
_PARSE = frozenset("parse_args parse_known_args parse_intermixed_args".split())
_COPIES = frozenset({"copy.copy", "copy.deepcopy"})
_OF_CLASS = frozenset({"classmethod", "staticmethod"})  # what these decorate gives what it returns
_ABSTRACT = ("typing.", "typing_extensions.", "collections.")  # what an object is by its methods
_IMPORTING = frozenset({"importlib.import_module", "importlib.util.module_from_spec", "__import__"})


class OtherObjects(Sources):
    """Follows expressions back to what made their values, which may be an object of some classes."""

    def __init__(self, program: Program, family: list[Class]) -> None:
        super().__init__(program, frozenset())
        self.family = family
        self._targets = Targets(program)
        self._set_by_table: dict[Class, bool] = {}

    def _are(self, module: Module, node: ast.AST | None, met: set[object]) -> bool:
        if isinstance(node, ast.Call) and whose_class(node) is None and node not in met:
            met.add(node)
            return self._gives_other(module, node, (), met)
        if isinstance(node, ast.Subscript) and imported_as(module, node.value) == "sys.modules":
            return True
        if isinstance(node, (ast.Name, ast.Attribute)) and (
            self._is_module(module, node) or self._is_of_data(module, node)
        ):
            return True
        return super()._are(module, node, met)

    def _may_be_set_by_table(self, own: Class) -> bool:
        if own not in self._set_by_table:
            self._set_by_table[own] = False  # as long as it is asked, for what leads back here
            others = OtherObjects(self.program, self.program.family(own))
            others._set_by_table = self._set_by_table
            self._set_by_table[own] = any(map(others._sets_by_table, self._homes(own)))
        return self._set_by_table[own]

    def _sets_by_table(self, module: Module) -> bool:
        written = [each.owner for each in computed_in(module)]
        changed = map(attributes_of, tables_changed(module))
        held = (*written, *filter(None, changed))
        return not all(self.are_others(module, each) for each in held)

    def _is_module(self, module: Module, node: ast.Name | ast.Attribute) -> bool:
        """Return whether a name is only bound to a module of the project: `from .utils import nets`."""
        if not isinstance(node, ast.Name):
            return False
        scope = module.scope_of(node).lookup(node.id)
        bindings = scope.bindings.get(node.id, ()) if scope is not None else ()
        if not bindings or any(each.kind != "import" for each in bindings):
            return False
        found = self.program.bound(module, node.id)
        return found is not None and isinstance(found[1], ast.Module)

    def _is_of_data(self, module: Module, node: ast.expr) -> bool:
        """Return whether an expression is a part of a configuration, by the annotation of the parameter: these hold data."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        named = annotation(module, node)
        return named is not None and imported_as(module, named).partition(".")[0] in _OF_DATA

    def _named(self, module: Module, node: ast.Name, name: str, met: set[object]) -> bool:
        own = self.program.class_of_self(module, node)
        if own is not None:
            return own not in self.family and not self.program.unknown_bases(own)
        return super()._named(module, node, name, met)

    def _is_value(self, module: Module, annotation: ast.expr) -> bool:
        if self.program.class_of(module, annotation) in self.family:
            return False
        return self._is_of_other_library(module, annotation) or super()._is_value(
            module, annotation
        )

    def _is_of_other_library(self, module: Module, annotation: ast.expr) -> bool:
        """Return whether an annotation is a class of a library, none of whose classes is a base of these."""
        name = imported_as(module, annotation)
        if not self.program.is_of_library(module, annotation) or name.startswith(_ABSTRACT):
            return False
        bases = {base for cls in self.family for base in self.program.unknown_bases(cls)}
        return bases <= BARE and last_part(annotation) not in BARE

    def _bound(self, module: Module, binding: Binding, met: set[object]) -> bool:
        if binding.kind == "assign" and isinstance(binding.value, ast.Call) and binding.path:
            return self._gives_other(module, binding.value, binding.path, met)
        return super()._bound(module, binding, met)

    def _gives_other(
        self, module: Module, call: ast.Call, path: tuple[object, ...], met: set[object]
    ) -> bool:
        """Return whether what a call gives, or the part of it at a path, is something else."""
        known = self.program.function_of(module, call.func)
        if known is not None:
            return self._returns_other(*known, path, met)
        methods = self._targets.of_known(module, call.func)
        if methods:
            return all(self._returns_other(*each, path, met) for each in methods)
        if _parses(call):
            filled = _filled_by(call)
            if any(map(self._has, self.program.project.mentions(last_part(call.func)))):
                return False
            return not filled or (not path and self._are(module, filled[0], met))
        made = self.program.class_of(module, call.func)
        if path:
            return False
        own = self.program.class_of_self(module, call.func)
        if own is not None and isinstance(call.func, ast.Name) and is_of_class(module, call.func):
            return all(map(self._makes_its_own, (own, *self.program.heirs(own))))
        if made is not None:
            return self._makes_its_own(made)
        name = imported_as(module, call.func)
        if name in _IMPORTING:
            return True
        if name in _COPIES and len(call.args) == 1:
            return self._are(module, call.args[0], met)
        if name and self.program.is_of_library(module, call.func):
            # A class of a library makes objects of its own.
            return name.rpartition(".")[2][:1].isupper() or name.partition(".")[0] in _OF_DATA
        if isinstance(call.func, ast.Name) and call.func.id in ("vars", "dir"):
            return module.scope_of(call).lookup(call.func.id) is None
        return self._makes_other(module, call.func)

    def _makes_its_own(self, cls: Class) -> bool:
        """Return whether a class makes objects of its own, and is another."""
        return cls not in self.family and "__new__" not in cls.methods

    def _has(self, module: Module) -> bool:
        named = [node for each in _PARSE for node in module.functions_by_name.get(each, ())]
        return any(isinstance(module.parent(node), ast.ClassDef) for node in named)

    def _returns_other(
        self, module: Module, function: Function, path: tuple[object, ...], met: set[object]
    ) -> bool:
        """Return whether all that a function of the project returns, or the part of it at a path, is something else."""
        key = (function, path)
        if key in met:
            return True
        met.add(key)
        nodes = [*executed(function.body)]
        if not isinstance(function, ast.FunctionDef):
            return False
        if not all(dotted(each) in _OF_CLASS for each in function.decorator_list):
            return False
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in nodes):
            return False
        returned = [each.value for each in nodes if isinstance(each, ast.Return) and each.value]
        return all(self._part_is_other(module, each, path, met) for each in returned)

    def _part_is_other(
        self, module: Module, value: ast.expr, path: tuple[object, ...], met: set[object]
    ) -> bool:
        match value, path:
            case _, ():
                return self._are(module, value, met)
            case ast.Tuple(elts=elements), (int() as index, *rest) if not any(
                isinstance(each, ast.Starred) for each in elements
            ):
                fits = index < len(elements)
                return fits and self._part_is_other(module, elements[index], (*rest,), met)
            case ast.Call(), _:
                return self._gives_other(module, value, path, met)
        return False


def _parses(call: ast.Call) -> bool:
    """Return whether a call parses a command line by arguments that are all seen."""
    unpacked = any(isinstance(each, ast.Starred) for each in call.args) or any(
        each.arg is None for each in call.keywords
    )
    return isinstance(call.func, ast.Attribute) and call.func.attr in _PARSE and not unpacked


def _filled_by(call: ast.Call) -> list[ast.expr]:
    """Return the object that a call puts what it parses into, and gives: `parse_args(namespace=options)`."""
    return [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "namespace")]


__all__ = ["OtherObjects"]
