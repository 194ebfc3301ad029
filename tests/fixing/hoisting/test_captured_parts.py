"""A capture that cannot be sent: the reason names the part of it that cannot be pickled, and its place."""

import pytest

import dlfix

CONFIGURED = """
from settings import Settings
from torch.utils.data import DataLoader

def load(rows, factor):
    settings = Settings(factor)
    return DataLoader(rows, num_workers=2, collate_fn=lambda batch: settings.scaled(batch))
"""
SETTINGS = """
import argparse
import threading

class Settings:
    def __init__(self, factor):
        self.factor = factor
        {held}

    def scaled(self, batch):
        return [row * self.factor for row in batch]
"""
BY = "which is returned by"


@pytest.mark.parametrize(
    ("held", "what"),
    [
        ("self.parser = argparse.ArgumentParser()", f"`settings.parser`, {BY} `argparse.Argument"),
        ("self.parsers = [argparse.ArgumentParser()]", f"`settings.parsers`, {BY} `argparse.Argu"),
    ],
)
def test_the_part_of_a_capture_that_cannot_be_pickled_is_named(tmp_path, held, what) -> None:
    (tmp_path / "settings.py").write_text(SETTINGS.format(held=held))
    (tmp_path / "main.py").write_text(CONFIGURED)
    found = [f for f in dlfix.check([tmp_path], isolated=True) if f.code == "DLF101"]
    [finding] = found
    assert what in finding.refused
    assert finding.refused.endswith("cannot be pickled (settings.py:8)")
