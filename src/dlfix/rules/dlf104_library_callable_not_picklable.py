"""DLF104: a library function that cannot be pickled by name is sent to the workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LibraryCallableNotPicklable(Rule):
    """A library function that cannot be pickled by name is sent to the workers.

    ## What it does

    `F.max_pool2d` and the other functions that torch creates with `boolean_dispatch` are local
    functions, whatever their public name is. The catalogue lists them, as measured for each torch
    release.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'boolean_dispatch.<locals>.fn'

    ## Example

        import torch
        import torch.nn.functional as F
        from torch.utils.data import DataLoader, Dataset


        class Images(Dataset):
            def __init__(self, count):
                self.count = count
                self.pool = F.adaptive_max_pool2d

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return self.pool(torch.full((1, 4, 4), float(index)), 2)


        if __name__ == "__main__":
            for batch in DataLoader(Images(8), batch_size=4, num_workers=2):
                print(batch.shape)

    ## Use instead

        import torch
        import torch.nn.functional as F
        from torch.utils.data import DataLoader, Dataset


        def _adaptive_max_pool2d(*args, **kwargs):
            return F.adaptive_max_pool2d(*args, **kwargs)


        class Images(Dataset):
            def __init__(self, count):
                self.count = count
                self.pool = _adaptive_max_pool2d

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return self.pool(torch.full((1, 4, 4), float(index)), 2)


        if __name__ == "__main__":
            for batch in DataLoader(Images(8), batch_size=4, num_workers=2):
                print(batch.shape)

    ## Fix safety

    The fix is safe: a module-level function calls the library function.

    ## How to turn it off

    `# dlfix: ignore[DLF104]` on the line of the object or of the boundary, or `ignore = ["DLF104"]`.
    """

    code = "DLF104"
    name = "library-callable-not-picklable"
    codemods = ("module_level_callables",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each library callable that crosses and cannot be pickled."""
        for crossing in analysis.pickled:
            row = callables.library_row(crossing, analysis)
            if row is not None and row.problem == "reference":
                message = f"`{row.name}` is sent to the workers but cannot be pickled by name"
                yield callables.finding(type(self), crossing, message, row.error)
