"""Which modules are of one program: a test and a training script that it does not import are two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.importing import program_of
from dlfix.project.module import enclosing_function, is_test
from dlfix.project.trees import walk
from dlfix.reach.escape import Escape
from dlfix.reach.instances import is_own
from dlfix.reach.labels import node_of
from dlfix.reach.values import Class, Instance, Partial, Unknown
from dlfix.source.notebook import is_notebook

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Def, Evaluator

_MOST = 300  # modules that a test imports; beyond, it is taken to import any
_SETTING = (ast.Assign, ast.AnnAssign)
_PLAIN_BASES = frozenset(
    {"object", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"}
)
_MOST_FUNCTIONS = 300  # that lead to a node by their names; beyond, a notebook is taken to run it


class Programs:
    """Decides whether a value that a test or notebook makes may come to another module's code, by what it imports and names."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._imported: dict[Module, frozenset[Module] | None] = {}
        self._run: dict[tuple[Module, ast.AST], bool] = {}
        self._sent: dict[tuple[Instance, ast.AST], bool] = {}

    def share(self, maker: Module, user: Module) -> bool:
        """Return whether one program may run code of both modules."""
        if maker is user or not (is_test(maker) or is_notebook(maker.path)):
            return True
        reached = self._reached(maker)
        return reached is None or user in reached

    def may_run(self, maker: Module, user: Module, node: ast.AST) -> bool:
        """Return by names alone whether a notebook may run a node of a module: it need not use all that it imports."""
        if maker is user or not is_notebook(maker.path):
            return True
        key = (maker, node)
        if key not in self._run:
            self._run[key] = self._leads_to(maker, user, node)
        return self._run[key]

    def may_send(self, value: Instance, user: Module, node: ast.AST) -> bool:
        """Return whether a script or notebook may run the method that holds a node on an object that it makes.

        It speaks for its own objects alone: those of a module that others import may be used by them.
        """
        maker = value.frame.module if value.frame is not None else value.cls.module
        method = _method_around(user, node)
        if method is None or program_of(self.interpreter.project, maker) is None:
            return True
        owner = self._class(user, user.parent(method))  # type: ignore[arg-type]
        if owner not in self.interpreter.instances.mro(value.cls):
            return True
        if not self._runs_by_its_name_alone(method, owner):
            return True
        key = (value, method)
        if key not in self._sent:
            self._sent[key] = not self._stay(value, maker, method.name)
        return self._sent[key]

    def _stay(self, value: Instance, maker: Module, method: str) -> bool:
        """Return whether all calls that make an object, or one of its class, keep it from code that runs a method on it."""
        if value.call is not None:
            made = [value.call]
        else:
            made = self.interpreter.callers.named(maker, value.cls.name)
            if len(made) < len(_uses(maker, value.cls.name)):
                return False
        kept = Escape(self.interpreter, sending=method)
        return bool(made) and all(
            isinstance(call, ast.Call) and kept.stays(maker, call, value.cls) for call in made
        )

    def _leads_to(self, maker: Module, user: Module, node: ast.AST) -> bool:
        waiting, seen = [(user, node)], set[ast.AST]()
        while waiting:
            module, at = waiting.pop()
            function = enclosing_function(module, at)
            while isinstance(function, ast.Lambda):
                function = enclosing_function(module, function)
            if module is maker or (function is None and self.share(maker, module)):
                return True
            if function is None or function in seen:
                continue
            seen.add(function)
            above = module.parent(function)
            owner = self._class(module, above) if isinstance(above, ast.ClassDef) else None
            asked, registered = _names(module, function)
            if not self._runs_by_its_name_alone(function, owner):
                asked += [cls.name for cls in (owner, *self._inheriting(function, owner)) if cls]
            if len(seen) > _MOST_FUNCTIONS or any(
                _uses(maker, name) or _looks_up(maker, name) for name in (*asked, *registered)
            ):
                return True
            for name in asked:
                for other in self.interpreter.project.mentions(name):
                    if self.share(maker, other):
                        waiting += (
                            (other, use)
                            for use in _uses(other, name)
                            if self._may_be(use, other, function, owner)
                        )
        return False

    def _class(self, module: Module, node: ast.ClassDef) -> Class:
        return self.interpreter.class_value(node, self.interpreter.frame_at(module, node))

    def _runs_by_its_name_alone(self, function: Def, owner: Class | None) -> bool:
        """Return whether only code that names a method runs it: no operator, decorator or base of a library does."""
        if owner is None:
            return True
        if function.name == "__getattr__":
            return True
        if _is_special(function) or function.decorator_list or owner.node.decorator_list:
            return False
        classes = (owner, *self._inheriting(function, owner))
        return not any(map(self._has_strange_bases, classes))

    def _has_strange_bases(self, cls: Class) -> bool:
        line = self.interpreter.instances.mro(cls)
        others = (base for base in line if not isinstance(base, Class))
        return any(getattr(base, "name", "") not in _PLAIN_BASES for base in others)

    def _inheriting(self, function: Def, owner: Class | None) -> list[Class]:
        """Return the subclasses whose objects have a method of a class, and no other of its name."""
        if owner is None:
            return []
        instances = self.interpreter.instances
        heirs = instances.subclasses(owner)
        methods = (instances.method(heir, function.name) for heir in heirs)
        return [h for h, m in zip(heirs, methods, strict=True) if m and m.node is function]

    def _may_be(
        self, use: ast.expr, module: Module, function: ast.AST, owner: Class | None
    ) -> bool:
        """Return whether a name that is read may lead to a function, or to the class that it is a method of."""
        if isinstance(use, ast.Attribute) and is_own(module, use.value):
            classes = (above for above in module.ancestors(use) if isinstance(above, ast.ClassDef))
            around = next(classes, None)
            if owner is None or around is None:
                return around is None
            instances, cls = self.interpreter.instances, self._class(module, around)
            return owner in instances.mro(cls) or cls in instances.mro(owner)
        if isinstance(module.parent(use), ast.ClassDef):
            return False  # a base: what inherits from it has a name of its own
        wanted = (function, owner.node if owner is not None else function)
        values = self.interpreter.values_at(use, self.interpreter.frame_at(module, use))
        return any(
            isinstance(each, (Unknown, Partial)) or (node_of(each) or (None,))[0] in wanted
            for each in values
        )

    def _reached(self, module: Module) -> frozenset[Module] | None:
        """Return the modules that a program's entry imports, directly or not; None for too many."""
        if module not in self._imported:
            found: dict[Module, None] = {module: None}
            pending = [module]
            while pending and len(found) <= _MOST:
                fresh = [m for m in self._imports(pending.pop()) if m not in found]
                found |= dict.fromkeys(fresh)
                pending += fresh
            self._imported[module] = None if len(found) > _MOST else frozenset(found)
        return self._imported[module]

    def _imports(self, module: Module) -> Iterator[Module]:
        project = self.interpreter.project
        for name in _dotted(module, project.relative):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                found = project.find(".".join(parts[:end]), module)
                if found is not None:
                    yield found


def _uses(module: Module, name: str) -> list[ast.expr]:
    """Return where a module reads a name, also under another that it imports it as."""
    imports = (alias for each in module.nodes(ast.ImportFrom) for alias in each.names)
    names = {name, *(each.asname for each in imports if each.name == name and each.asname)}
    return [use for each in names for use in module.nodes_by_name.get(each, ())]


def _looks_up(module: Module, name: str) -> bool:
    """Return whether a module gets an attribute by its name: `getattr(model, "predict")`."""
    calls = module.calls_by_name.get("getattr", ()) if module.says(name) else ()
    return any(getattr(call.args[1], "value", "") == name for call in calls if call.args[1:])


def _names(module: Module, function: Def) -> tuple[list[str], list[str]]:
    """Return the name that code has to read to run a function, and those that its class may be registered under.

    What `__getattr__` gives goes by such a name, and not by that of its own class.
    """
    if function.name == "__getattr__":
        return [], []
    asked, registered = [] if _is_special(function) else [function.name], list[str]()
    owner = module.parent(function)
    if isinstance(owner, ast.ClassDef):
        said = [*owner.decorator_list, *(s for s in owner.body if isinstance(s, _SETTING))]
        texts = (
            each.value for part in said for each in walk(part) if isinstance(each, ast.Constant)
        )
        registered = [text for text in texts if isinstance(text, str)]
    return asked, registered


def _method_around(module: Module, node: ast.AST) -> Def | None:
    """Return the method that holds a node, also within a function of its own."""
    for each in module.ancestors(node):
        if isinstance(each, ast.FunctionDef) and isinstance(module.parent(each), ast.ClassDef):
            return each
    return None


def _is_special(function: Def) -> bool:
    return function.name.startswith("__") and function.name.endswith("__")


def _dotted(module: Module, relative: object) -> Iterator[str]:
    """Yield the dotted names that a module's statements import; any name may be a submodule."""
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = relative(module, node.level, node.module) if node.level else node.module or ""  # type: ignore[operator]
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
