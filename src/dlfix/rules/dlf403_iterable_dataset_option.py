"""DLF403: `shuffle`, `sampler` or `batch_sampler` is passed with an `IterableDataset`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.loader_options import findings

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class IterableDatasetOption(Rule):
    """`shuffle`, `sampler` or `batch_sampler` is passed with an `IterableDataset`.

    ## What it does

    Finds these options on a loader whose dataset is an `IterableDataset`, which yields its samples in
    its own order. torch rejects a different order.

    ## The error you see

    torch 2.13, Python 3.11:

        ValueError: DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True
        ValueError: DataLoader with IterableDataset: expected unspecified sampler option, but got sampler=...
        ValueError: DataLoader with IterableDataset: expected unspecified batch_sampler option, but got batch_sampler=...

    ## Example

        from torch.utils.data import DataLoader, IterableDataset


        class Stream(IterableDataset):
            def __iter__(self):
                yield from range(8)


        def train():
            for batch in DataLoader(Stream(), batch_size=4, shuffle=True):
                print(batch)


        if __name__ == "__main__":
            train()

    ## Use instead

        from torch.utils.data import DataLoader, IterableDataset


        class Stream(IterableDataset):
            def __iter__(self):
                yield from range(8)


        def train():
            for batch in DataLoader(Stream(), batch_size=4):
                print(batch)


        if __name__ == "__main__":
            train()

    ## Fix safety

    The fix is unsafe: samples are returned in the order of the dataset, which may not be intended. To shuffle, use
    a buffer in `__iter__`.

    ## How to turn it off

    `# dlfix: ignore[DLF403]` on the line of the option, or `ignore = ["DLF403"]`.
    """

    code = "DLF403"
    name = "iterable-dataset-option"
    codemods = ("loader_arguments",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each loader and option."""
        yield from findings(type(self), analysis)
