"""Programs that nobody wrote: no traceback, output that parses, no comment lost, no second change.

`DLFIX_FUZZ=5000` tries so many of each kind, `DLFIX_FUZZ_SEED=7` begins elsewhere.
"""

import os
import random
from pathlib import Path

import pytest

from tests.sweep.mutations import mutated
from tests.sweep.oracle import wrongs

COUNT = int(os.environ.get("DLFIX_FUZZ", "24"))
SEED = int(os.environ.get("DLFIX_FUZZ_SEED", "0"))
GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module", autouse=True)
def what_is_imported_once_is_there(tmp_path_factory):
    from tests.odd.conftest import PROGRAM

    list(wrongs(PROGRAM, tmp_path_factory.mktemp("first") / "main.py"))


def programs():
    for path in sorted(GOLDEN.rglob("before/*.py")):
        try:
            yield path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # one in another encoding


def test_mutated_goldens(tmp_path):
    known = list(programs())
    for seed in range(SEED, SEED + COUNT):
        source = mutated(known[random.Random(seed).randrange(len(known))], seed)
        assert list(wrongs(source, tmp_path / "main.py")) == [], f"seed {seed}\n{source}"


def test_generated_modules(tmp_path):
    hypothesmith = pytest.importorskip("hypothesmith")
    from hypothesis import HealthCheck, given, settings

    @settings(max_examples=COUNT, deadline=None, derandomize=SEED == 0, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(hypothesmith.from_grammar())
    def holds(source):
        # Names of torch make dlfix look; what is around them is anything.
        asked = f"from torch.utils.data import DataLoader\n{source}\nDataLoader(x, num_workers=2)\n"
        assert list(wrongs(asked, tmp_path / "main.py")) == []

    holds()


# What fuzzing found


@pytest.mark.parametrize("end", [";", "; ", " ;  # why"])
def test_a_class_that_ends_with_a_semicolon_is_rewritten(tmp_path, end):
    from tests.odd.conftest import PROGRAM

    source = PROGRAM.replace(".fetchone()[0]\n", f".fetchone()[0]{end}\n")
    assert source != PROGRAM
    assert list(wrongs(source, tmp_path / "main.py")) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_name_on_the_line_below_a_backslash(end, tmp_path):
    from tests.odd.conftest import PROGRAM

    source = PROGRAM.replace("def __len__", f"def \\{end}__len__")
    assert source != PROGRAM
    assert list(wrongs(source, tmp_path / "main.py")) == []


@pytest.mark.parametrize("space", ["\f", "\x0b", "\x1c", "\x85", "\u2028"])
def test_a_line_goes_on_after_what_ends_lines_elsewhere(tmp_path, space):
    from tests.odd.conftest import PROGRAM

    between = PROGRAM.replace("sqlite3.connect(", f"sqlite3.connect{space}(")
    source = between if space == "\f" else PROGRAM.replace("(path)", f'(path or "{space}")', 1)
    assert source != PROGRAM
    assert list(wrongs(source, tmp_path / "main.py")) == []


BESIDE = """\
import os

from torch.utils.data import DatasetEND

class Parts:
    def __init__(self, path):
        self.stream = open(path, "rb")


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.scale = 2
        self.parts = Parts(self.path)
        self.number = self.parts.stream.fileno()
        self.summary = self._summary()

    def _summary(self):
        value = int.from_bytes(os.pread(self.number, 4, 4 + 4 * (1)), "little")
        return value + 1

    def close(self):
        self.parts.stream.close()

    def __del__(self):
        if hasattr(self, "stream"):
            self.close()

        return 6

    def __getitem__(self, index):
        value = int.from_bytes(os.pread(self.number, 4, 4 + 4 * (index)), "little")
        return value * self.scaleEND
"""


def test_a_class_beside_the_one_at_hand_ends_with_a_semicolon(tmp_path):
    assert list(wrongs(BESIDE.replace("END", "; "), tmp_path / "main.py")) == []
