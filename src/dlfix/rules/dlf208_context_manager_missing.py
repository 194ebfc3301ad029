"""DLF208: an object used in a `with` statement is not a context manager."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.methods import takes_instance
from dlfix.reach.values import BoundMethod, Class, Function, Instance, Value
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.reading import context_managers, reached

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing


class ContextManagerMissing(Rule):
    """An object used in a `with` statement is not a context manager.

    ## What it does

    Checks the `with` statements of code that runs in workers, and reports objects whose class lacks
    `__enter__` or `__exit__`. Such helpers correctly open a connection in each worker, but the
    `with` statement that should close it fails.

    ## The error you see

    With torch 2.13 on Python 3.11 (`AttributeError: __enter__` up to Python 3.10):

        TypeError: Caught TypeError in DataLoader worker process 0.
        TypeError: 'Helper' object does not support the context manager protocol

    ## Example

        import sqlite3

        from torch.utils.data import DataLoader, Dataset


        class Helper:
            def __init__(self, path):
                self.db = sqlite3.connect(path)

            def square(self, number):
                return self.db.execute("SELECT ? * ?", [number, number]).fetchone()[0]

            def close(self):
                self.db.close()


        class Squares(Dataset):
            def __init__(self, path):
                self.path = path

            def __len__(self):
                return 8

            def __getitem__(self, index):
                with Helper(self.path) as helper:
                    return helper.square(index)


        if __name__ == "__main__":
            for batch in DataLoader(Squares(":memory:"), batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        import sqlite3

        from torch.utils.data import DataLoader, Dataset


        class Helper:
            def __init__(self, path):
                self.db = sqlite3.connect(path)

            def square(self, number):
                return self.db.execute("SELECT ? * ?", [number, number]).fetchone()[0]

            def close(self):
                self.db.close()

            def __enter__(self):
                return self

            def __exit__(self, *exc_info):
                self.close()


        class Squares(Dataset):
            def __init__(self, path):
                self.path = path

            def __len__(self):
                return 8

            def __getitem__(self, index):
                with Helper(self.path) as helper:
                    return helper.square(index)


        if __name__ == "__main__":
            for batch in DataLoader(Squares(":memory:"), batch_size=4, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is unsafe: exiting the `with` statement now closes the helper, which was not closed before. There is no
    fix if the class has no method that closes it.

    ## How to turn it off

    `# dlfix: ignore[DLF208]` on the line of the `with`, or `ignore = ["DLF208"]` in the configuration.
    """

    code = "DLF208"
    name = "context-manager-missing"
    codemods = ("pickle_state",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield each `with` over an object that `with` does not take."""
        towards = reached.Towards(
            analysis,
            lambda module, node: any(_may_lack(analysis, module, item) for item in _items(node)),
        )
        for instance, crossing in reached.datasets(analysis):
            start = reached.methods(analysis, instance, _RUN)
            for code in reached.runs(analysis, start, towards):
                for item in _items(code.node):
                    yield from self._item(analysis, code, item, crossing)

    def _item(
        self, analysis: Analysis, code: reached.Code, item: ast.withitem, crossing: Crossing
    ) -> Iterator[Finding]:
        found = reached.values(analysis, item.context_expr, code.frame)
        if len(found) != 1 or not isinstance(found[0], Instance):
            return
        if not _is_made_in_view(analysis, item.context_expr, code):
            return
        helper = _helper(analysis, found[0].cls)
        if helper is None:
            return
        place = code.module.place(item.context_expr)
        missing = " and ".join(
            f"`{name}`"
            for name, lacks in (("__enter__", helper.enter), ("__exit__", helper.exit))
            if lacks
        )
        yield Finding(
            type(self),
            f"`{helper.name}` is used in a `with` statement but does not define {missing}",
            place,
            (*crossing.path, Step(place, f"with {helper.name}(...)", f"in `{code.node.name}`")),
            f"'{helper.name}' object does not support the context manager protocol",
            helper,
        )


def _is_made_in_view(analysis: Analysis, item: ast.expr, code: reached.Code) -> bool:
    """Return whether no library wraps the object: `contextlib.closing(Helper())` is closed."""
    if not isinstance(item, ast.Call):
        return True
    makers = reached.values(analysis, item.func, code.frame)
    return all(isinstance(maker, Class | Function | BoundMethod) for maker in makers)


def _may_lack(analysis: Analysis, module: Module, item: ast.withitem) -> bool:
    """Tell, whoever calls it, whether a `with` may be over an object that it does not take."""
    taken = item.context_expr
    if not isinstance(taken, ast.Call):
        held = reached.values(analysis, taken, analysis.frame(module.scope_of(taken)))
        return any(isinstance(value, Instance) for value in held)
    code = WorkerCode.of(analysis)
    makers = code.stands_for(module, taken.func)
    if makers:
        return any(_may_make_helper(analysis, maker) for maker in makers)
    if isinstance(taken.func, ast.Attribute):
        methods = code.of_name(taken.func.attr)
        return any(takes_instance(each.node) and not each.is_generator for each in methods)
    return isinstance(taken.func, ast.Name) and not _is_builtin(module, taken.func)


def _is_builtin(module: Module, name: ast.Name) -> bool:
    return module.scope_of(name).lookup(name.id) is None


def _may_make_helper(analysis: Analysis, maker: Value) -> bool:
    if isinstance(maker, Function):
        return not maker.module.inner_scope(maker.node).yields
    return isinstance(maker, Class) and _helper(analysis, maker) is not None


def _helper(analysis: Analysis, cls: Class) -> context_managers.HelperClass | None:
    """Return what `with` lacks in a class; None where it takes it, or a base is out of view."""
    inside, outside = reached.chain(analysis, cls)
    if outside:
        return None
    return context_managers.read(reached.nodes(inside), cls.module.place(cls.node))


_RUN = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "__len__")


def _items(function: ast.AST) -> Iterator[ast.withitem]:
    for node in reached.own(function):
        if isinstance(node, ast.With):
            yield from node.items
