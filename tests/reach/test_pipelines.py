"""Pipelines of webdataset that are made of others, and those of classes that derive from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import analysis_of, paths

HEAD = """
import lightning
import webdataset as wds
from torch.utils.data import DataLoader

class Mixed(wds.WebDataset):
    def __init__(self, *parts):
        super(wds.WebDataset, self).__init__()
        self.append(wds.RandomMix(parts))
    def decoded(self):
        return self.map(lambda row: row)

class Plain(wds.WebDataset):
    def __init__(self, urls):
        super().__init__(urls)
        seen = []
        seen.append(lambda: 0)
        self.count = len(seen)
    def kept(self, f):
        return self

class Steps(wds.DataPipeline):
    def __init__(self, f):
        super().__init__()
        self.append(wds.map(f))

{code}
if __name__ == "__main__":
    DataLoader({sent}, num_workers=2)
"""
ROWS = "rows = wds.WebDataset('x.tar').map(lambda row: row)"


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        (ROWS, "wds.RandomMix([rows])"),
        (ROWS, "wds.RoundRobin([rows, rows])"),
        (ROWS, "wds.DataPipeline(wds.RandomMix([rows]))"),
        (ROWS, "wds.WebDataset('y.tar').compose(wds.RandomMix([rows]))"),
        (ROWS, "Mixed(rows)"),
        (ROWS, "Mixed(rows).with_epoch(10).shuffle(4)"),
        (f"{ROWS}\npipe = wds.DataPipeline()\npipe.append(rows)", "pipe.with_epoch(3)"),
        ("pipe = wds.DataPipeline()\npipe.append(wds.map(lambda row: row))", "pipe"),
        ("", "Steps(lambda row: row)"),
        ("", "Steps(str).map(lambda row: row)"),
        ("", "Plain('x.tar').map(lambda row: row)"),
        ("", "Mixed().decoded()"),
    ],
)
def test_a_function_of_a_pipeline_is_sent(tmp_path: Path, code: str, sent: str) -> None:
    assert _is_sent(tmp_path, HEAD.format(code=code, sent=sent))


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        ("rows = wds.WebDataset('x.tar').map(str)", "Mixed(rows).with_epoch(10)"),
        ("other = wds.DataPipeline()\nother.append(lambda row: row)", "wds.DataPipeline()"),
        ("rows = []\nrows.append(lambda: 0)\npipe = wds.DataPipeline()\npipe.append(str)", "pipe"),
        (
            "rows = wds.WebDataset('x')\nother = rows.shuffle(3)\nother.append(wds.map(lambda row: row))",
            "rows",
        ),
        ("", "Plain('x.tar').kept(lambda row: row).shuffle(4)"),
        ("", "Steps(str).shuffle(4)"),
    ],
)
def test_no_other_function_is(tmp_path: Path, code: str, sent: str) -> None:
    assert not _is_sent(tmp_path, HEAD.format(code=code, sent=sent))


@pytest.mark.parametrize(("base", "found"), [("lightning.LightningDataModule", True), ("", False)])
def test_what_a_library_lets_a_method_fill_is_sent(tmp_path: Path, base: str, found: bool) -> None:
    module = f"""
class Data({base}):
    def __init__(self):
        super().__init__()
        self.rows = None
    def setup(self, stage=None):
        if self.rows is None:
            self.rows = wds.WebDataset("x.tar").map(lambda row: row)
    def train_dataloader(self):
        return DataLoader(self.rows, num_workers=2)
"""
    assert _is_sent(tmp_path, HEAD.format(code=module, sent="[1]")) is found


def _is_sent(folder: Path, source: str) -> bool:
    return any("lambda" in each for each in paths(analysis_of(folder, source, "")))
