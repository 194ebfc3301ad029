"""EXA101: a temporary folder is sent to the workers."""

from collections.abc import Iterator

from dlfix.reach.analysis import Analysis
from dlfix.reach.values import ExternalCall
from dlfix.rules.base import Finding, Rule


class TemporaryFolderReachesWorker(Rule):
    """A temporary folder is sent to the workers.

    ## What it does

    Reports `tempfile.TemporaryDirectory` objects that are sent to worker processes.

    ## The error you see

    None. The first worker that exits removes the folder of all processes.

    ## Example

        DataLoader(Clips(tempfile.TemporaryDirectory()), num_workers=4)

    ## Use instead

        with tempfile.TemporaryDirectory() as folder:
            DataLoader(Clips(folder), num_workers=4)

    ## Fix safety

    There is no fix.

    ## How to turn it off

    `# dlfix: ignore[EXA101]` on the line of the object.
    """

    code = "EXA101"
    name = "temporary-folder-reaches-worker"
    severity = "warning"

    valid = (
        """
        import tempfile
        from torch.utils.data import DataLoader, Dataset

        class Clips(Dataset):
            def __init__(self, folder):
                self.folder = folder

        with tempfile.TemporaryDirectory() as folder:
            DataLoader(Clips("clips"), num_workers=4)
        """,
    )
    invalid = (
        """
        import tempfile
        from torch.utils.data import DataLoader, Dataset

        class Clips(Dataset):
            def __init__(self, folder):
                self.folder = folder

        DataLoader(Clips(tempfile.TemporaryDirectory()), num_workers=4)
        """,
    )

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each temporary folder that is sent to a worker."""
        for crossing in analysis.crossings:
            value = crossing.value
            if isinstance(value, ExternalCall) and value.name == "tempfile.TemporaryDirectory":
                place = value.frame.module.place(value.node)
                message = "Temporary folder is sent to the workers and removed by the first one"
                yield Finding(type(self), message, place, crossing.path)
