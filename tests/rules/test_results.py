"""DLF207: what the catalogue knows and pickle refuses, in samples, batches and results of pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "what caches return, and caches themselves",
        """
        import functools
        from torch.utils.data import DataLoader, Dataset
        class Box: pass
        def box(i): return Box()
        class Rows(Dataset):
            def __init__(self): self.load = functools.lru_cache(maxsize=8)(self.load) # !DLF206
            def load(self, i): return i
            def __len__(self): return 2
            def __getitem__(self, i): return self.load(i)
        class Boxes(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i): return functools.cache(box)(i) # !DLF207
        class Caches(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i): return functools.cache(box) # !DLF207
        if __name__ == "__main__":
            for rows in (Rows(), Boxes(), Caches()):
                DataLoader(rows, num_workers=2)
        """,
    ),
    program(
        "matches, views and frames in samples and batches",
        """
        import re, sqlite3, sys
        from torch.utils.data import DataLoader, Dataset, IterableDataset
        PATTERN = re.compile("a")
        def identity(batch): return batch
        class Matches(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i): return {"row": i, "match": PATTERN.search("abc")} # !DLF207
        class Default(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i): return re.match("a", "abc") # !DLF207
        class Views(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i): return i, memoryview(b"abc") # !DLF207
        class Frames(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i): return {"frame": sys._getframe()} # !DLF207
        class Lines(IterableDataset):
            def __iter__(self):
                for line in ("a", "b"):
                    found = re.match("a(.*)", line)
                    if found: yield found # !DLF207
        def collate(batch): return {"found": [PATTERN.match(text) for text in batch]} # !DLF207
        def views(batch):
            counted = {text: 1 for text in batch}
            return counted.keys() # !DLF207
        if __name__ == "__main__":
            for rows in (Matches(), Views(), Frames()):
                DataLoader(rows, collate_fn=identity, num_workers=2)
            DataLoader(Lines(), collate_fn=identity, num_workers=1)
            DataLoader(Default(), num_workers=2)
            DataLoader(["a"], collate_fn=collate, num_workers=2)
            DataLoader(["a"], collate_fn=views, num_workers=2)
        """,
    ),
    program(
        "what is made of matches, views and patterns, and lists of them",
        """
        import re
        from torch.utils.data import DataLoader, Dataset
        PATTERN = re.compile("a")
        def collate(batch):
            counted = {text: 1 for text in batch}
            return {
                "text": [PATTERN.match(text).group() for text in batch],
                "groups": PATTERN.match(batch[0]).groups(),
                "pattern": PATTERN,
                "keys": list(counted.keys()),
                "bytes": bytes(memoryview(b"abc")),
                "is": PATTERN.match(batch[0]) is not None,
                "all": PATTERN.findall(batch[0]),
            }
        class Files(Dataset):
            def __len__(self): return 2
            def __getitem__(self, i):
                with open(str(i)) as file: return file.read()
        if __name__ == "__main__":
            DataLoader(["a"], collate_fn=collate, num_workers=2)
            DataLoader(Files(), num_workers=2)
        """,
    ),
    program(
        "results of pools and executors",
        """
        import multiprocessing, re
        from concurrent.futures import ProcessPoolExecutor
        def match(text): return re.match("a", text) # !DLF207
        def letters(text): # !DLF207
            for letter in text: yield letter
        def opened(path): return open(path) # !DLF207
        def later(text): return lambda: text # !DLF207
        def submitted(text): return text, re.match("a", text) # !DLF207
        if __name__ == "__main__":
            with multiprocessing.Pool(2) as pool:
                print(pool.map(match, ["a"]), pool.map(letters, ["a"]))
                print(pool.imap(opened, ["a"]), pool.apply_async(later, ["a"]).get())
            with ProcessPoolExecutor(2) as executor:
                print(executor.submit(submitted, "a").result())
        """,
    ),
    program(
        "results that come back, that nobody waits for, and of threads",
        """
        import multiprocessing, re
        from multiprocessing.pool import ThreadPool
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
        def match(text): return re.match("a", text)
        def text_of(text): return re.match("a", text).group()
        def either(text): return re.match("a", text) if text is None else text
        def watched(text): return re.match("a", text)
        def started(text): return open(text)
        def lines(path):
            with open(path) as file: return [line for line in file]
        if __name__ == "__main__":
            with ThreadPool(2) as pool: print(pool.map(match, ["a"]))
            with ThreadPoolExecutor(2) as pool: print(pool.submit(match, "a").result())
            with multiprocessing.Pool(2) as pool:
                print(pool.map(text_of, ["a"]), pool.map(either, ["a"]), pool.map(lines, ["a"]))
                pool.apply_async(watched, ["a"])
                pool.close()
                pool.join()
            with ProcessPoolExecutor(2) as executor: executor.submit(started, "a")
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
