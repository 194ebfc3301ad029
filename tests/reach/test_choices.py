"""What is chosen together: a value that is only there without workers is not sent to any."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "a function chosen in the branch without workers is not sent",
        """
        import sys
        from torch.utils.data import DataLoader
        def main(parallel):
            if parallel:
                fn = None
                workers = 4
            else:
                fn = lambda b: b
                workers = 0
            DataLoader([1], num_workers=workers, collate_fn=fn)
        if __name__ == "__main__":
            main(len(sys.argv) > 1)
        """,
    ),
    program(
        "options returned whole from each branch stay together",
        """
        import sys
        from torch.utils.data import DataLoader
        def opts(fast):
            if fast:
                return {"num_workers": 4, "collate_fn": None}
            return {"num_workers": 0, "collate_fn": lambda b: b}
        if __name__ == "__main__":
            DataLoader([1], **opts(len(sys.argv) > 1))
        """,
    ),
    program(
        "two conditional expressions of one test agree",
        """
        import sys
        from torch.utils.data import DataLoader
        def main(debug):
            DataLoader([1], num_workers=0 if debug else 4, collate_fn=(lambda b: b) if debug else None)
        if __name__ == "__main__":
            main(len(sys.argv) > 1)
        """,
    ),
    program(
        "a loader made before an early return has its own options",
        """
        import sys
        from torch.utils.data import DataLoader
        def main(debug):
            if debug:
                return DataLoader([1], collate_fn=lambda b: b)
            return DataLoader([1], num_workers=3)
        if __name__ == "__main__":
            main(len(sys.argv) > 1)
        """,
    ),
    program(
        "workers and a function of one round of a loop stay together",
        """
        from torch.utils.data import DataLoader
        if __name__ == "__main__":
            for workers, coll in [(0, lambda b: b), (4, None)]:
                DataLoader([1], num_workers=workers, collate_fn=coll)
        """,
    ),
    program(
        "columns of zip stay together",
        """
        from torch.utils.data import DataLoader
        def coll(b): return b
        if __name__ == "__main__":
            for workers, fn in zip((0, 4), (lambda b: b, coll)):
                DataLoader([1], num_workers=workers, collate_fn=fn)
        """,
    ),
    program(
        "what is repeated beside a column, combined and cut out is sent with it",
        """
        import itertools, multiprocessing
        def apply(item, f): return f(item)
        if __name__ == "__main__":
            with multiprocessing.Pool(2) as pool:
                pool.starmap(apply, zip(range(3), itertools.repeat(lambda x: x))) # !DLF101
                pool.starmap(apply, itertools.product(range(3), [lambda x: x])) # !DLF101
                pool.starmap(apply, itertools.zip_longest([1], [lambda x: x])) # !DLF101
                pool.map(str, itertools.islice([lambda x: x], 1)) # !DLF101
                pool.starmap(apply, itertools.product(range(3), repeat=2))
                pool.starmap(apply, zip(range(3), itertools.repeat(abs)))
        """,
    ),
    program(
        "dicts that a loop goes over stay together",
        """
        from torch.utils.data import DataLoader
        def coll(b): return b
        if __name__ == "__main__":
            for o in [dict(num_workers=0, collate_fn=lambda b: b), dict(num_workers=4, collate_fn=coll)]:
                DataLoader([1], **o)
            for o in ({"w": 0, "f": lambda b: b}, {"w": 2, "f": coll}):
                DataLoader([1], num_workers=o["w"], collate_fn=o["f"])
        """,
    ),
    program(
        "a function in the round that starts workers is sent",
        """
        from torch.utils.data import DataLoader
        if __name__ == "__main__":
            for workers, coll in [(0, None), (4, lambda b: b)]: # !DLF101
                DataLoader([1], num_workers=workers, collate_fn=coll)
        """,
    ),
    program(
        "options set in one branch stay together",
        """
        import sys
        from torch.utils.data import DataLoader
        if __name__ == "__main__":
            opts = {}
            if len(sys.argv) > 1:
                opts["num_workers"] = 4
                opts["prefetch_factor"] = 2
            DataLoader([1], **opts)
        """,
    ),
    program(
        "a branch for Python versions that torch has left behind is not read",
        """
        import sys, functools
        from torch.utils.data import DataLoader
        def coll(b): return b
        if sys.version_info < (3, 8):
            fn = lambda b: b
        else:
            fn = coll
        if __name__ == "__main__":
            DataLoader([1], num_workers=2, collate_fn=fn)
        """,
    ),
    program(
        "a return after a test of the version is not read",
        """
        import sys
        from torch.utils.data import DataLoader
        def coll(b): return b
        def pick():
            if sys.version_info >= (3, 7):
                return coll
            return lambda b: b
        if __name__ == "__main__":
            DataLoader([1], num_workers=2, collate_fn=pick())
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
