"""DLF206: a generator, module, view, reader or other unpicklable object is part of the pickled state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.methods import methods_of
from dlfix.reach.values import Class, Instance
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.rules.reading.handles import Handle, finding, handles, states
from dlfix.rules.reading.unpickling import EndlessLookup, asked_for_state, endless_lookup

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class UnpicklableState(Rule):
    """A generator, module, view, reader or other unpicklable object is part of the pickled state.

    ## What it does

    Generators, modules, weak references, dictionary views, readers, script modules and loader
    iterators cannot be pickled, or lose their state when they are: an R-tree is empty in the worker.

    Objects of a class whose `__getattr__` reads an attribute of the object without any check cannot
    be unpickled: the attribute is not set yet, so `__getattr__` calls itself recursively.
    The worker exits with a `RecursionError`. The fix adds a `__setstate__`.

    Before Python 3.11, pickle asks `__getattr__` for `__getstate__` as well: a dictionary with `__getattr__ = dict.__getitem__`
    raises a `KeyError`. This is reported if the project declares that it runs on such a Python.

    An object whose `__reduce__` passes more or fewer arguments than the `__init__` of its class takes cannot be
    unpickled either.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: cannot pickle 'dict_keys' object

    ## Example

        from torch.utils.data import DataLoader, Dataset


        class Classes(Dataset):
            def __init__(self, ranges):
                self.ranges = ranges
                self.names = ranges.keys()

            def __len__(self):
                return len(self.ranges)

            def __getitem__(self, index):
                return list(self.names)[index]


        if __name__ == "__main__":
            classes = Classes({"cat": (0, 4), "dog": (4, 8)})
            for batch in DataLoader(classes, num_workers=2):
                print(batch)

    ## Use instead

        from torch.utils.data import DataLoader, Dataset


        class Classes(Dataset):
            def __init__(self, ranges):
                self.ranges = ranges
                self.names = list(ranges.keys())

            def __len__(self):
                return len(self.ranges)

            def __getitem__(self, index):
                return list(self.names)[index]


        if __name__ == "__main__":
            classes = Classes({"cat": (0, 4), "dog": (4, 8)})
            for batch in DataLoader(classes, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is safe if the object can be recreated from stored values (a module from its name, a
    view as a list, a `torch.Generator` from its state). A reader of rows is reopened together with a file
    that nothing else holds. A generator from which only workers take items is recreated in each worker. Other generators
    would lose their position and are only reported, unless a method that takes its object along
    becomes static as for DLF201.

    ## How to turn it off

    `# dlfix: ignore[DLF206]` on the line of the object or of the boundary, or `ignore = ["DLF206"]`.
    """

    code = "DLF206"
    name = "unpicklable-state"
    codemods = ("pickle_state", "module_level_callables")
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each value that crosses and cannot be pickled, or not be unpickled."""
        endless = [*self._endless(analysis)]
        yield from endless
        known = {each.evidence.cls for each in endless}
        for handle in [*handles(analysis), *states(analysis)]:
            is_known = _looked_up_by(handle, analysis) in known
            if handle.row.kind == "state" and handle.row.fails and not is_known:
                empty = handle.row.pickles == "empty"
                if empty and _is_filled_again(handle, analysis):
                    continue
                trouble = (
                    "but arrives empty: pickle does not store its items"
                    if empty
                    else "but cannot be unpickled"
                    if _is_pickled(handle, analysis)
                    else "but cannot be pickled"
                )
                message = f"`{handle.name}`{handle.where} is sent to the workers {trouble}"
                found = finding(type(self), handle, message)
                if found is not None:
                    yield found

    def _endless(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield the classes whose `__getattr__` never ends while their objects are unpickled."""
        seen: set[EndlessLookup] = set()
        for crossing in analysis.pickled:
            found = endless_lookup(analysis, crossing)
            if found is None or found in seen:
                continue
            seen.add(found)
            recurses = bool(found.attribute)
            yield Finding(
                type(self),
                f"`{found.name}` cannot be unpickled: `__getattr__` "
                + (
                    f"reads `{found.attribute}`, which is not set yet, and recurses infinitely"
                    if recurses
                    else "returns a value for every name, and pickle calls that of `__setstate__`"
                ),
                found.place,
                (
                    *crossing.path,
                    Step(
                        found.place, f"self.{found.attribute or '__setstate__'}", "in `__getattr__`"
                    ),
                ),
                "RecursionError: maximum recursion depth exceeded" if recurses else "",
                found,
            )


def _looked_up_by(handle: Handle, analysis: Analysis) -> Place | None:
    """Return where the class is that gives an object its `__getattr__`; else the object's own class."""
    value = handle.crossing.value
    if not isinstance(value, Instance):
        return None
    line = [each for each in analysis.mro(value.cls) if isinstance(each, Class)]
    owner = next((each for each in line if "__getattr__" in methods_of(each.node)), value.cls)
    return owner.module.place(owner.node)


def _is_pickled(handle: Handle, analysis: Analysis) -> bool:
    """Return whether pickle writes an object, which then cannot be made again."""
    value = handle.crossing.value
    return isinstance(value, Instance) and asked_for_state(value, analysis) is None


def _is_filled_again(handle: Handle, analysis: Analysis) -> bool:
    """Return whether the class that keeps an object does something when it is loaded."""
    holder = handle.holder
    return holder is not None and analysis.method(holder.cls, "__setstate__") is not None
