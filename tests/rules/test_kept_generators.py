"""Generators that all workers get a copy of, and those that are seeded again."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.fixing.plans import Refused
from dlfix.session import Session
from tests.reach.marked import check, program

BY_PROPERTY = """
        import functools
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self): self._random = random.Random(0){mark}
            @{kind}
            def random(self): return self._random
            def __getitem__(self, i): return {read}
            def __len__(self): return 3
            def shuffle(self, rows): self.random.shuffle(rows)
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
"""
MARK = "  # !DLF503"
PROGRAMS = [
    program(
        "seeded again by code that the object, or the program, never comes to",
        """
        import random
        import numpy as np
        from torch.utils.data import DataLoader, Dataset, get_worker_info
        DETERMINISTIC = True
        class Rows(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return self.rng.random()
        class Asked(Rows):
            def __init__(self, seed):
                self.seed, self.rng = seed, np.random.RandomState(seed)  # !DLF503
            def reseed(self, worker):
                if self.seed is None:
                    self.rng = np.random.RandomState(worker)
        class Never(Rows):
            def __init__(self): self.rng = random.Random(0)  # !DLF503
            def restart(self, seed): self.rng = random.Random(seed)
        class Flagged(Rows):
            def __init__(self, per_worker=False):
                self.per_worker = per_worker
                self.rng = random.Random(0)  # !DLF503
            def __getitem__(self, i):
                if self.per_worker:
                    self.rng = random.Random(get_worker_info().seed)
                return self.rng.random()
        class Started(Rows):
            def __init__(self): self.rng = random.Random(0)  # !DLF503
        class Epochs(Rows):
            def __init__(self): self.rng = random.Random(0)
            def set_epoch(self, epoch): self.rng.seed(epoch)
        class Called(Rows):
            def __init__(self): self.rng = random.Random(0)
            def start_again(self, seed): self.rng.seed(seed)
        def start(worker_id):
            if not DETERMINISTIC:
                get_worker_info().dataset.rng.seed(worker_id)
        def start_called(worker_id):
            if DETERMINISTIC:
                get_worker_info().dataset.start_again(worker_id)
        def main(args):
            DataLoader(Asked(3), num_workers=2)
            DataLoader(Never(), num_workers=2)
            DataLoader(Flagged(), num_workers=2)
            DataLoader(Started(), num_workers=2, worker_init_fn=start)
            DataLoader(Epochs(), num_workers=2)
            DataLoader(Called(), num_workers=2, worker_init_fn=start_called)
        """,
    ),
    program(
        "seeded again where a flag that options decide is set",
        """
        import random
        from torch.utils.data import DataLoader, Dataset, get_worker_info
        class Flagged(Dataset):
            def __init__(self, per_worker=False):
                self.per_worker = per_worker
                self.rng = random.Random(0)
            def __len__(self): return 3
            def __getitem__(self, i):
                if self.per_worker:
                    self.rng = random.Random(get_worker_info().seed)
                return self.rng.random()
        def main(args):
            DataLoader(Flagged(args.per_worker), num_workers=2)
        """,
    ),
    program(
        "read through a property",
        BY_PROPERTY.format(kind="property", read="self.random.random()", mark=MARK),
    ),
    program(
        "read through a cached property",
        BY_PROPERTY.format(
            kind="functools.cached_property", read="self.random.random()", mark=MARK
        ),
    ),
    program(
        "read through a property by the parent alone",
        BY_PROPERTY.format(kind="property", read="i", mark=""),
    ),
    program(
        "a method kept of a generator",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self):
                self.draw = random.Random(5).random # !DLF503
            def __getitem__(self, i): return self.draw()
            def __len__(self): return 3
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "seeded again under a flag only",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, det):
                self.det = det
                self.rng = random.Random(0) # !DLF503
            def __getitem__(self, i):
                if self.det:
                    self.rng.seed(i)
                return self.rng.random()
            def __len__(self): return 3
        if __name__ == "__main__":
            DataLoader(D(False), num_workers=2)
        """,
    ),
    program(
        "seeded again for each item",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, rows):
                self.rows = rows
                self.rng = random.Random(0)
            def __getitem__(self, i):
                if i >= 0:
                    self.rng.seed(i)
                return self.rng.random()
        def main(rows):
            DataLoader(Rows(rows), num_workers=2)
        """,
    ),
    program(
        "seeded again under a flag, by a function in a method",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, same=False):
                self.same, self.rng = same, random.Random(0) # !DLF503
            def __getitem__(self, i):
                def draw():
                    if self.same:
                        self.rng.seed(i)
                    return self.rng.random()
                return draw()
        class Pairs(Dataset):
            def __init__(self):
                self.rng = random.Random(0)
            def __getitem__(self, i):
                def draw():
                    if i:
                        self.rng.seed(i)
                    return self.rng.random()
                return draw()
        def main():
            DataLoader(Rows(), num_workers=2)
            DataLoader(Pairs(), num_workers=2)
        """,
    ),
    program(
        "seeded again under a flag that is on",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, same=False, free=True):
                self.same, self.free, self.rng = same, free, random.Random(0)
            def __getitem__(self, i):
                if self.same:
                    self.rng.seed(i)
                if not self.free:
                    self.rng.seed(i)
                return self.rng.random()
        def main():
            DataLoader(Rows(same=True), num_workers=2)
            DataLoader(Rows(free=False), num_workers=2)
        """,
    ),
    program(
        "seeded again by a function that each item calls with it",
        """
        --- seeds.py
        import contextlib
        @contextlib.contextmanager
        def seeded(rng, seed):
            state = rng.getstate()
            if seed is not None:
                rng.seed(seed)
            yield
            rng.setstate(state)
        --- main.py
        import random
        from torch.utils.data import DataLoader, Dataset
        from seeds import seeded
        class Rows(Dataset):
            def __init__(self):
                self.rng = random.Random(0)
            def __len__(self): return 8
            def __getitem__(self, i):
                with seeded(self.rng, seed=i):
                    return self.rng.random()
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "passed to a function that seeds another, and seeded by the constructor alone",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        def draw(rng, other):
            other.seed(3)
            return rng.random()
        def start(rng):
            rng.seed(7)
        class Rows(Dataset):
            def __init__(self):
                self.rng = random.Random(0) # !DLF503
                start(self.rng)
            def __len__(self): return 8
            def __getitem__(self, i):
                return draw(self.rng, random.Random(i))
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "seeded again once the epoch changes",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self):
                self.epoch, self.rng = None, random.Random(0)
            def set_epoch(self, epoch):
                self.epoch = epoch
            def __getitem__(self, i):
                if self.epoch:
                    self.rng.seed(self.epoch + i)
                return self.rng.random()
        def main():
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "a generator of a module that workers draw from",
        """
        --- augment.py
        import numpy as np
        rng = np.random.default_rng(2024) # !DLF503
        def crop(length): return int(rng.integers(0, length))
        --- main.py
        from augment import crop
        from torch.utils.data import DataLoader, Dataset
        class Crops(Dataset):
            def __len__(self): return 8
            def __getitem__(self, i): return crop(10)
        if __name__ == "__main__":
            DataLoader(Crops(), num_workers=2)
        """,
    ),
    program(
        "a function that seeds, which workers are started with",
        """
        import numpy as np
        from torch.utils.data import DataLoader
        def main(rows):
            DataLoader(rows, num_workers=2, worker_init_fn=np.random.seed)
        """,
    ),
    program(
        "a generator of a module that only the parent draws from",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        rng = random.Random(3)
        class Crops(Dataset):
            def __init__(self): self.order = rng.sample(range(8), 8)
            def __len__(self): return 8
            def __getitem__(self, i): return self.order[i]
        if __name__ == "__main__":
            DataLoader(Crops(), num_workers=2)
        """,
    ),
    program(
        "a generator of a module that each item seeds",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        rng = random.Random(3)
        class Crops(Dataset):
            def __len__(self): return 8
            def __getitem__(self, i):
                rng.seed(i)
                return rng.random()
        if __name__ == "__main__":
            DataLoader(Crops(), num_workers=2)
        """,
    ),
    program(
        "a generator of a module that a worker_init_fn may seed",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        rng = random.Random(3)
        class Crops(Dataset):
            def __len__(self): return 8
            def __getitem__(self, i): return rng.random()
        def start(number): rng.seed(number)
        if __name__ == "__main__":
            DataLoader(Crops(), num_workers=2, worker_init_fn=start)
        """,
    ),
    program(
        "a generator of a module that every spawned worker seeds by chance",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        rng = random.Random()
        class Crops(Dataset):
            def __len__(self): return 8
            def __getitem__(self, i): return rng.random()
        if __name__ == "__main__":
            DataLoader(Crops(), num_workers=2, multiprocessing_context="spawn")
        """,
    ),
    program(
        "read by a property",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self):
                self._rng = random.Random(0) # !DLF503
            @property
            def rng(self): return self._rng
            def __len__(self): return 8
            def __getitem__(self, i): return self.rng.random()
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "read by a property in the parent only",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self):
                self._rng = random.Random(0)
                self.first = self.rng.random()
            @property
            def rng(self): return self._rng
            def __len__(self): return 8
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "a generator of a module that one process draws from",
        """
        import multiprocessing, random
        rng = random.Random(3)
        def work(): print(rng.random())
        if __name__ == "__main__":
            multiprocessing.Process(target=work).start()
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)


SHIFT = """
import random
from torch.utils.data import DataLoader, Dataset
class Shift:
    def __init__(self, most=3, rng=None):
        self.most = most
        self.rng = random.Random() if rng is None else rng
    def __call__(self, value):
        return value + self.rng.uniform(0, self.most)
class Rows(Dataset):
    def __init__(self, options):
        self.change = {made}
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.change(index)
if __name__ == "__main__":
    list(DataLoader(Rows({{"most": 2}}), num_workers=2))
"""


@pytest.mark.parametrize(
    ("made", "how"), [("Shift(**options)", "may be"), ("Shift(rng=random.Random(3))", "is")]
)
def test_a_generator_that_is_made_where_none_is_passed_may_be_passed(
    tmp_path: Path, made: str, how: str
) -> None:
    (tmp_path / "train.py").write_text(SHIFT.format(made=made))
    (one,) = Session.open([tmp_path], Settings()).diagnoses()
    assert isinstance(one.outcome, Refused)
    assert one.outcome.reason == f"`rng` {how} created elsewhere and passed to `Shift`"
