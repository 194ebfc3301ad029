"""Give a class the methods it lacks: `__reduce__`, `__getnewargs__`, `__setstate__`, or `__enter__` and `__exit__`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst

from dlfix.fixing.planners.pickle_state_exceptions import AddContextManager, AddReduce
from dlfix.fixing.planners.pickle_state_lookups import AddSetstate
from dlfix.fixing.planners.pickle_state_new_arguments import AddNewArguments
from dlfix_codemods.tools import classes, imports


def rewrite(
    module: cst.Module, plan: AddReduce | AddContextManager | AddSetstate | AddNewArguments
) -> cst.Module:
    """Carry out a plan for one class."""
    if isinstance(plan, AddNewArguments):
        return add_new_arguments(module, plan)
    if isinstance(plan, AddReduce):
        return add_reduce(module, plan)
    if isinstance(plan, AddSetstate):
        return add_setstate(module, plan)
    return add_context_manager(module, plan)


def add_reduce(module: cst.Module, plan: AddReduce) -> cst.Module:
    """Add `__reduce__` below `__init__`, and store what that did not keep.

    A dataclass, which has none, keeps all: there `__reduce__` follows the fields.
    """
    node = classes.at(module, plan.cls)
    body = classes.body(node)
    index = classes.method_index(body, "__init__")
    if index is None:
        methods = (i for i, each in enumerate(body) if isinstance(each, cst.FunctionDef))
        index = next(methods, len(body)) - 1
    elif plan.keep:
        body[index] = _keeping(module, cast(cst.FunctionDef, body[index]), plan.keep)
    module, partial = _partial(module, plan)
    body[index + 1 : index + 1] = classes.methods(module, _reduce_code(plan, partial))
    return classes.with_body(module, node, body)


def add_new_arguments(module: cst.Module, plan: AddNewArguments) -> cst.Module:
    """Add `__getnewargs__` below `__new__`."""
    node = classes.at(module, plan.cls)
    body = classes.body(node)
    index = classes.method_index(body, "__new__")
    if index is None:
        raise LookupError("the class has no __new__")
    returns = " -> tuple[object, ...]" if plan.typed else ""
    code = f"def __getnewargs__(self){returns}:\n    return tuple(self)\n"
    body[index + 1 : index + 1] = classes.methods(module, code)
    return classes.with_body(module, node, body)


def add_context_manager(module: cst.Module, plan: AddContextManager) -> cst.Module:
    """Add `__enter__` and `__exit__` at the end of the class."""
    node = classes.at(module, plan.cls)
    added = classes.methods(module, _context_manager_code(plan))
    return classes.with_body(module, node, [*classes.body(node), *added])


def add_setstate(module: cst.Module, plan: AddSetstate) -> cst.Module:
    """Add `__setstate__` above the `__getattr__` that pickle would call instead."""
    node = classes.at(module, plan.cls)
    body = classes.body(node)
    index = classes.method_index(body, "__getattr__")
    if index is None:
        raise LookupError("the class has no __getattr__")
    if plan.raises:
        body[index] = _raising(module, cast(cst.FunctionDef, body[index]), plan)
        return classes.with_body(module, node, body)
    takes = "state: dict[str, object]) -> None" if plan.typed else "state)"
    code = f"def __setstate__(self, {takes}:\n    self.__dict__.update(state)\n"
    if plan.getstate:
        gives = " -> dict[str, object]" if plan.typed else ""
        code = f"def __getstate__(self){gives}:\n    return self.__dict__.copy()\n\n{code}"
    body[index:index] = classes.methods(module, code)
    return classes.with_body(module, node, body)


def _raising(module: cst.Module, hook: cst.FunctionDef, plan: AddSetstate) -> cst.FunctionDef:
    """Return a `__getattr__` that has no state method, however it looks others up."""
    if not isinstance(hook.body, cst.IndentedBlock):
        raise LookupError("__getattr__ has no block")
    asked = '("__getstate__", "__setstate__")' if plan.getstate else '"__setstate__"'
    compared = f"{plan.asked} {'in' if plan.getstate else '=='} {classes.quoted(module, asked)}"
    why = "# pickle asks before any attribute is set"
    code = f"if {compared}:\n    raise AttributeError({plan.asked})  {why}\n"
    first = int(hook.get_docstring(clean=False) is not None)
    body = [*hook.body.body]
    body[first:first] = classes.statements(module, code)
    return hook.with_changes(body=hook.body.with_changes(body=body))


def _partial(module: cst.Module, plan: AddReduce) -> tuple[cst.Module, str]:
    if not plan.keywords:
        return module, ""
    return imports.use(module, "functools", "partial")


def _reduce_code(plan: AddReduce, partial: str) -> str:
    returns = " -> tuple[object, ...]" if plan.typed else ""
    maker = "type(self)"
    if plan.keywords:
        keywords = ", ".join(f"{name}={value}" for name, value in plan.keywords)
        maker = f"{partial}(type(self), {keywords})"
    comma = "," if len(plan.positional) == 1 else ""
    arguments = ", ".join(plan.positional) + comma
    # What code sets on the exception later, and the notes added to it, are in its `__dict__`.
    return f"def __reduce__(self){returns}:\n    return {maker}, ({arguments}), self.__dict__\n"


def _keeping(
    module: cst.Module, init: cst.FunctionDef, keep: Sequence[tuple[str, str]]
) -> cst.FunctionDef:
    if not isinstance(init.body, cst.IndentedBlock):
        raise LookupError("__init__ has no block")
    code = "".join(f"self.{attribute} = {name}\n" for name, attribute in keep)
    block = init.body.with_changes(body=[*init.body.body, *classes.statements(module, code)])
    return init.with_changes(body=block)


def _context_manager_code(plan: AddContextManager) -> str:
    enter = (
        f"def __enter__(self){' -> ' + repr(plan.name) if plan.typed else ''}:\n    return self\n"
    )
    enter = enter.replace("'", '"')
    exc_info = "*exc_info: object) -> None" if plan.typed else "*exc_info)"
    leave = f"def __exit__(self, {exc_info}:\n    self.{plan.close}()\n"
    return (enter if plan.enter else "") + (leave if plan.exit else "")
