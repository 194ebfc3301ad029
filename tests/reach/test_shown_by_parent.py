"""Objects that the parent prints or formats: their `__repr__` and `__str__` run there, and may open what is pickled then."""

import pytest

import dlfix

PROGRAM = """
import logging
import h5py
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger(__name__)

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._file = None

    @property
    def file(self):
        if self._file is None:
            self._file = h5py.File(self.path, "r")
        return self._file

    def {name}(self):
        return f"Rows of {{{what}}}"

    def __getitem__(self, index):
        return self.file["x"][index]

    def __len__(self):
        return 10

def main(path):
    rows = Rows(path)
    {before}
    for batch in DataLoader(rows, num_workers=2):
        {inside}
    {after}
"""
OPENS = "len(self.file['x'])"


def findings(tmp_path, name="__repr__", what=OPENS, before="pass", inside="pass", after="pass"):
    text = PROGRAM.format(name=name, what=what, before=before, inside=inside, after=after)
    (tmp_path / "main.py").write_text(text)
    return [each.code for each in dlfix.check([tmp_path], isolated=True)]


@pytest.mark.parametrize(
    "before",
    [
        "print(rows)",
        "print('training on', rows)",
        "text = repr(rows)",
        "text = str(rows)",
        "text = f'on {rows}'",
        "text = 'on {}'.format(rows)",
        "text = 'on %s' % rows",
        "text = '%s: %s' % ('on', rows)",
        "log.info('on %s', rows)",
        "logging.debug(rows)",
    ],
)
def test_what_shows_an_object_runs_its_repr(tmp_path, before):
    assert findings(tmp_path, before=before) == ["DLF203"]


@pytest.mark.parametrize(
    "others",
    [
        {"before": "print(len(rows))"},
        {"before": "print('rows')"},
        {"before": "print(rows)", "what": "self.path"},
        {"before": "print(rows)", "name": "describe"},
        {"after": "print(rows)"},
        {"after": "log.info(f'done with {rows}')"},
        {"before": "text = 'on %s' % path"},
    ],
)
def test_an_object_that_is_not_shown_before_the_workers_start_is_not_opened(tmp_path, others):
    assert findings(tmp_path, **others) == []


def test_an_object_that_is_shown_between_two_batches_is_open_in_the_next_epoch(tmp_path):
    assert findings(tmp_path, inside="print(rows)") == ["DLF203"]


def test_str_is_run_too(tmp_path):
    assert findings(tmp_path, name="__str__", before="print(rows)") == ["DLF203"]
