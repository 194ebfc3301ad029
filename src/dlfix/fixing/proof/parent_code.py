"""Which code only the parent runs: the process that makes the objects and starts the workers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order
from dlfix.fixing.proof.implied_calls import OPERATING, SPECIAL, implied
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import Function, executed, last_part
from dlfix.fixing.proof.writes import may_be
from dlfix.project.module import Module

_BY_LOADERS = frozenset({"state_dict", "load_state_dict"})  # in workers, of a dataset that has them
_THREAD = "Thread"
_FAR = 3  # how many callers are followed
_MANY = 40  # a name with so many users says nothing of one of them


class ParentCode:
    """Follows functions back to their callers, by name; what workers run, or get, is not the parent's.

    What has no callers in view, or too many, may be the parent's; if `surely`, it is not.
    """

    def __init__(self, program: Program, *, surely: bool = False) -> None:
        self.program, self.surely = program, surely
        self._known: dict[tuple[int, int], bool] = {}
        self._methods: dict[Class, list[tuple[Class, Function]]] = {}

    def methods(self, cls: Class) -> list[tuple[Class, Function]]:
        """Return the methods of a family that the parent calls once an object is made, and no worker does."""
        if cls not in self._methods:
            family = self.program.family(cls)
            self._methods[cls] = [(each, f) for each in family for f in self._own(each)]
        return self._methods[cls]

    def uncalled(self, cls: Class) -> Iterator[tuple[Class, Function]]:
        """Yield the public methods of a family that no code in view calls: a library's users may."""
        for each in self.program.family(cls):
            for function in each.functions:
                public = not function.name.startswith("_")
                if public and self._users(each.module, function) == []:
                    yield each, function

    def _own(self, cls: Class) -> Iterator[Function]:
        made = {id(f) for _, f in order.construction(self.program, cls)}
        for function in cls.functions:
            constructs = id(function) in made and not (
                self.surely and function.name not in order.CONSTRUCTORS
            )
            if constructs or function.name in order.STATE:
                continue
            if self.surely and _is_run_by_others(cls.module, function):
                continue
            users = self._users(cls.module, function, is_set=function in cls.setters.values())
            later = [each for each in users or () if id(each[1]) not in made]
            if users is not None and later and all(self.runs(*each) for each in later):
                yield function

    def runs(self, module: Module, body: Function | None, far: int = _FAR) -> bool:
        """Return whether only the parent runs a function, or the code of a module."""
        if body is None or far == 0:
            return body is None or not self.surely
        key = (id(body), far)
        if key not in self._known:
            self._known[key] = True  # one that calls itself
            anywhere = _is_of_workers(body) or (self.surely and _is_run_by_others(module, body))
            self._known[key] = not anywhere and self._only_called(module, body, far)
        return self._known[key]

    def runs_none(self, module: Module, body: Function | None, far: int = _FAR) -> bool:
        """Return whether a function is one that loaders call in workers, or is called by such alone."""
        if body is None or far == 0:
            return False
        if body.name in order.IN_WORKERS:
            return True
        users = self._users(module, body)
        return bool(users) and all(self.runs_none(*each, far - 1) for each in users or ())

    def _only_called(self, module: Module, body: Function, far: int) -> bool:
        users = self._users(module, body)
        if users is None or (self.surely and not users):
            return False
        return all(self.runs(*each, far - 1) for each in users)

    def _users(
        self, home: Module, function: Function, *, is_set: bool = False
    ) -> list[tuple[Module, Function | None]] | None:
        """Return the functions that call a function; None where it is handed on, or where they are too many."""
        is_method = isinstance(home.parent(function), ast.ClassDef)
        if is_method and function.name == "__init__":
            return self._making(home, function)
        found: list[tuple[Module, Function | None]] = []
        if is_method and function.name in SPECIAL:
            found += self._operating(home, function)
        for module in self.program.project.mentions(function.name):
            if self.surely and _names_by_text(module, function.name):
                return None
            called = {id(call.func) for call in module.calls_by_name.get(function.name, ())}
            for node in module.nodes_by_name.get(function.name, ()):
                if is_method and isinstance(node, ast.Name):
                    continue
                if is_set != isinstance(node.ctx, ast.Store):
                    continue
                is_run = is_set or id(node) in called or _is_run_by_thread(module, node)
                if not is_run or len(found) >= _MANY:
                    return None
                if self.surely and _is_delayed(module, node):
                    return None
                found.append((module, self.program.enclosing(module, node)))
        return found

    def _making(
        self, home: Module, function: Function
    ) -> list[tuple[Module, Function | None]] | None:
        """Return the functions that make an object by a constructor; None where none is in view, or too many are."""
        cls = self.program.class_at(home, home.parent(function))
        made = [*self.program.constructions(cls)] if cls is not None else []
        if cls is None or not made or len(made) >= _MANY:
            return None
        if self.surely and self._is_handed_on(cls):
            return None
        return [(module, self.program.enclosing(module, call)) for module, call in made]

    def _is_handed_on(self, cls: Class) -> bool:
        """Return whether code does more with a class than call it and derive from it: a library may call it, too."""
        return any(
            not (isinstance(above := module.parent(node), ast.ClassDef) or _is_called(node, above))
            for module in self.program.project.mentions(cls.name)
            for node in module.nodes_by_name.get(cls.name, ())
        )

    def _operating(
        self, home: Module, function: Function
    ) -> Iterator[tuple[Module, Function | None]]:
        """Yield the code whose operators and statements may run a special method: `rows @ other`."""
        cls = self.program.class_at(home, home.parent(function))
        family = [cls, *self.program.heirs(cls)] if cls is not None else []
        modules = (m for each in family for m in self.program.project.mentions(each.name))
        for module in dict.fromkeys(modules):
            for node in module.nodes(*OPERATING):
                for method, operand in implied(node):
                    if method != function.name or _stays_there(module, operand):
                        continue
                    if may_be(self.program, module, operand, family):
                        yield module, self.program.enclosing(module, node)


def _is_called(node: ast.AST, above: ast.AST | None) -> bool:
    """Return whether a name is what is called, or what `isinstance` asks for."""
    if not isinstance(above, ast.Call):
        return False
    return above.func is node or getattr(above.func, "id", "") in ("isinstance", "super")


def _is_run_by_thread(module: Module, node: ast.AST) -> bool:
    """Return whether a function is what a thread runs, in the process of the code that makes it: `Thread(target=add)`."""
    keyword = module.parent(node)
    call = module.parent(keyword) if isinstance(keyword, ast.keyword) else None
    is_target = isinstance(keyword, ast.keyword) and keyword.arg == "target"
    return is_target and isinstance(call, ast.Call) and last_part(call.func) == _THREAD


def _is_delayed(module: Module, node: ast.AST) -> bool:
    """Return whether an expression is part of a lambda or a generator, which its function hands to anybody."""
    return any(isinstance(each, (ast.Lambda, ast.GeneratorExp)) for each in module.ancestors(node))


def _stays_there(module: Module, operand: ast.expr) -> bool:
    """Return whether a local variable holds an object that its function hands to nobody."""
    scope = module.scope_of(operand).lookup(operand.id) if isinstance(operand, ast.Name) else None
    if scope is None or not scope.is_function or not isinstance(operand, ast.Name):
        return False
    if any(each.kind != "assign" for each in scope.bindings.get(operand.id, ())):
        return False
    reads = [each for inner in scope.walk() for each in inner.reads.get(operand.id, ())]
    return all(
        isinstance(above := module.parent(each), (ast.Attribute, ast.Subscript))
        and above.value is each
        for each in reads
    )


def _names_by_text(module: Module, name: str) -> bool:
    """Return whether a module may name a function by a text: `getattr(rows, "log")`."""
    return (module.says("getattr(") or module.says("methodcaller(")) and (
        module.says(f'"{name}"') or module.says(f"'{name}'")
    )


def _is_run_by_others(module: Module, body: Function) -> bool:
    """Return whether libraries may run a function, in workers too: a special method, or the `run` of a process."""
    owner = module.parent(body)
    of_base = body.name == "run" and isinstance(owner, ast.ClassDef) and bool(owner.bases)
    is_special = body.name.startswith("__") and body.name != "__init__"
    return of_base or is_special or body.name in _BY_LOADERS


def _is_of_workers(function: Function) -> bool:
    if function.name in order.IN_WORKERS:
        return True
    nodes = executed(function.body)
    return any("get_worker_info" in (getattr(n, "id", ""), getattr(n, "attr", "")) for n in nodes)


__all__ = ["ParentCode"]
