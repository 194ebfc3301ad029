"""DLF102: a local function is sent to the workers but cannot be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LocalFunctionReachesWorker(Rule):
    """A local function is sent to the workers but cannot be pickled.

    ## What it does

    Pickle stores a function by its name, and a function defined inside another function cannot be
    found by name. dlfix reports such functions wherever they come from: returned by a factory in
    another module, stored on an object, passed to a pool.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'make_collate.<locals>.collate'

    ## Example

        import torch
        from torch.nn.utils.rnn import pad_sequence
        from torch.utils.data import DataLoader


        def make_collate(pad):
            def collate(batch):
                return pad_sequence(batch, padding_value=pad)

            return collate


        def train(rows):
            for batch in DataLoader(rows, collate_fn=make_collate(0), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train([torch.ones(2)] * 8)

    ## Use instead

        import functools

        import torch
        from torch.nn.utils.rnn import pad_sequence
        from torch.utils.data import DataLoader


        def _collate(batch, *, pad):
            return pad_sequence(batch, padding_value=pad)


        def make_collate(pad):
            return functools.partial(_collate, pad=pad)


        def train(rows):
            for batch in DataLoader(rows, collate_fn=make_collate(0), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train([torch.ones(2)] * 8)

    ## Fix safety

    As for DLF101, captured values become keyword parameters. There is no fix for `nonlocal`, for a
    name that is reassigned after it is captured, or for a captured value that cannot be
    pickled.

    ## How to turn it off

    `# dlfix: ignore[DLF102]` on the line of the object or of the boundary, or `ignore = ["DLF102"]`.
    """

    code = "DLF102"
    name = "local-function-reaches-worker"
    codemods = ("module_level_callables",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each local function that crosses."""
        for crossing in analysis.pickled:
            if callables.problem(crossing, analysis) == "local":
                name = callables.name_of(crossing)
                message = f"Local function `{name}` is sent to the workers but cannot be pickled"
                yield callables.finding(type(self), crossing, message)
