"""Threads that the parent uses are not in a forked worker: each process starts its own, or the fix says so."""

import pytest

import dlfix

PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, paths):
        self.paths = paths
        {made}

    {opened}

    def __getitem__(self, index):
        return {pool}.submit(pow, index, 2).result()

def load(paths):
    rows = Rows(paths)
    {used}
    return DataLoader(rows, num_workers=2)
"""
LISTED = {"made": "self.pools = [ThreadPoolExecutor(2) for each in paths]", "pool": "self.pools[0]"}
ASKED = {
    "made": "pass",
    "pool": "self.started()",
    "opened": "def started(self):\n"
    "        if 'pool' not in self.__dict__:\n"
    "            self.pool = ThreadPoolExecutor(2)\n"
    "        return self.pool",
}


def fix_of(tmp_path, **parts):
    (tmp_path / "main.py").write_text(PROGRAM.format(**{"opened": "", "used": "pass", **parts}))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF204"
    assert finding.fix is not None
    return finding.fix


@pytest.mark.parametrize(("used", "said"), [("print(rows[0])", True), ("print(len(paths))", False)])
def test_a_list_of_pools_that_the_parent_used_stays_in_a_forked_worker(tmp_path, used, said):
    fix = fix_of(tmp_path, used=used, **LISTED)
    assert ("a forked worker still uses the parent's" in fix.message) == said


def test_a_pool_that_a_method_asks_for_by_its_name_is_started_by_each_process(tmp_path):
    fix = fix_of(tmp_path, used="print(rows[0])", **ASKED)
    assert "forked" not in fix.message
