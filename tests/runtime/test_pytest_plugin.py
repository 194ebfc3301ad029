"""The fixture that asserts that a loader survives spawn."""

from __future__ import annotations

import subprocess
import sys

pytest_plugins = ["pytester"]

LOADER = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Clips(Dataset):
        def __init__(self, transform=None):
            self.transform = transform
        def __len__(self):
            return 4
        def __getitem__(self, i):
            raise AssertionError("nothing is fetched")
"""


def test_a_loader_that_survives_passes_and_one_that_does_not_fails_with_its_place(pytester):
    pytester.makepyfile(clips=LOADER)
    path = pytester.makepyfile(
        """
        from clips import Clips, DataLoader

        def test_good(dlfix_probe):
            dlfix_probe(DataLoader(Clips(), num_workers=2))

        def test_bad(dlfix_probe):
            dlfix_probe(DataLoader(Clips(lambda x: x), num_workers=2))
        """
    )
    result = pytester.runpytest_subprocess("-q")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            f"loader.dataset.transform ({path}:7) cannot be sent to a worker: AttributeError: *<lambda>*"
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_dataset_is_taken_as_its_loader_and_anything_else_refused(pytester):
    pytester.makepyfile(clips=LOADER)
    pytester.makepyfile(
        """
        from clips import Clips

        def test_dataset(dlfix_probe):
            dlfix_probe(Clips(lambda x: x))

        def test_several(dlfix_probe):
            dlfix_probe({"test": 3})
        """
    )
    result = pytester.runpytest_subprocess("-q")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "loader.dataset.transform (*) cannot be sent to a worker: AttributeError: *<lambda>*",
            "*TypeError: expected a DataLoader or a dataset, got dict",
        ]
    )


def test_the_plugin_imports_nothing_heavy_when_pytest_starts():
    code = (
        "import sys; import dlfix.runtime.pytest_plugin; "
        "heavy = {'torch', 'libcst', 'rich', 'typer', 'multiprocessing'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
