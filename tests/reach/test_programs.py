"""What belongs to one program, and to the branch of it that starts workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "an open file among the options that the caller replaces by its name",
        """
        --- options.py
        import argparse
        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--config", type=argparse.FileType("r"))
            return parser.parse_args()
        --- rows.py
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, args): self.args = args
            def __getitem__(self, i): return i
        def load(args):
            list(DataLoader(Rows(args), num_workers=2))
        --- train.py
        from options import parse
        from rows import load
        def main():
            args = parse()
            if args.config:
                print(args.config.read())
                args.config = args.config.name
            load(args)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "an open file among the options that the caller replaces when the workers run",
        """
        --- options.py
        import argparse
        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--config", type=argparse.FileType("r"))  # !DLF205
            return parser.parse_args()
        --- rows.py
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, args): self.args = args
            def __getitem__(self, i): return i
        def load(args):
            list(DataLoader(Rows(args), num_workers=2))
        --- train.py
        from options import parse
        from rows import load
        def main():
            args = parse()
            load(args)
            if args.config is not None:
                args.config = args.config.name
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "an open file among the options that the caller replaces under another condition",
        """
        --- options.py
        import argparse
        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--config", type=argparse.FileType("r"))  # !DLF205
            return parser.parse_args()
        --- rows.py
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, args): self.args = args
            def __getitem__(self, i): return i
        def load(args):
            list(DataLoader(Rows(args), num_workers=2))
        --- train.py
        from options import parse
        from rows import load
        def main():
            args = parse()
            if args.config.closed:
                args.config = args.config.name
            load(args)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "an open file among the options that one of two callers replaces",
        """
        --- options.py
        import argparse
        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--config", type=argparse.FileType("r"))  # !DLF205
            return parser.parse_args()
        --- rows.py
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, args): self.args = args
            def __getitem__(self, i): return i
        def load(args):
            list(DataLoader(Rows(args), num_workers=2))
        --- train.py
        from options import parse
        from rows import load
        def main():
            args = parse()
            args.config = None
            load(args)
        if __name__ == "__main__":
            main()
        --- test.py
        from options import parse
        from rows import load
        def main():
            load(parse())
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "an object of a script on which it does not run the method that sends `self`",
        """
        --- models.py
        import multiprocessing
        class Model:
            def __init__(self, step):
                self.step = step
            def predict(self, rows):
                return [self.step(row) for row in rows]
            def run(self, rows):
                return self.predict_in_pool(rows)
            def predict_in_pool(self, rows):
                with multiprocessing.Pool(2) as pool:
                    return pool.map(self.predict, rows)
        --- train.py
        import models
        class Own(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)
        def main(rows):
            own = Own()
            print(own.predict(rows))
        if __name__ == "__main__":
            main([1])
        """,
    ),
    program(
        "an object of a script on which it runs the method that sends `self` by another",
        """
        --- models.py
        import multiprocessing
        class Model:
            def __init__(self, step):
                self.step = step
            def predict(self, rows):
                return [self.step(row) for row in rows]
            def run(self, rows):
                return self.predict_in_pool(rows)
            def predict_in_pool(self, rows):
                with multiprocessing.Pool(2) as pool:
                    return pool.map(self.predict, rows)
        --- train.py
        import models
        class Own(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)  # !DLF101
        def main(rows):
            own = Own()
            print(own.run(rows))
        if __name__ == "__main__":
            main([1])
        """,
    ),
    program(
        "an object of a script that looks the method up",
        """
        --- models.py
        import multiprocessing
        class Model:
            def __init__(self, step):
                self.step = step
            def predict(self, rows):
                return [self.step(row) for row in rows]
            def run(self, rows):
                return self.predict_in_pool(rows)
            def predict_in_pool(self, rows):
                with multiprocessing.Pool(2) as pool:
                    return pool.map(self.predict, rows)
        --- train.py
        import models
        class Own(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)  # !DLF101
        def main(rows, name):
            own = Own()
            print(getattr(own, name)(rows))
        if __name__ == "__main__":
            main([1], "run")
        """,
    ),
    program(
        "an object that a script hands on",
        """
        --- models.py
        import multiprocessing
        class Model:
            def __init__(self, step):
                self.step = step
            def predict(self, rows):
                return [self.step(row) for row in rows]
            def run(self, rows):
                return self.predict_in_pool(rows)
            def predict_in_pool(self, rows):
                with multiprocessing.Pool(2) as pool:
                    return pool.map(self.predict, rows)
        --- train.py
        import models
        class Own(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)  # !DLF101
        def use(model, rows):
            return model.run(rows)
        def main(rows):
            own = Own()
            print(use(own, rows))
        if __name__ == "__main__":
            main([1])
        """,
    ),
    program(
        "an object of a module that others may import",
        """
        --- models.py
        import multiprocessing
        class Model:
            def __init__(self, step):
                self.step = step
            def predict(self, rows):
                return [self.step(row) for row in rows]
            def run(self, rows):
                return self.predict_in_pool(rows)
            def predict_in_pool(self, rows):
                with multiprocessing.Pool(2) as pool:
                    return pool.map(self.predict, rows)
        --- train.py
        import models
        class Own(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)  # !DLF101
        def main(rows):
            own = Own()
            print(own.predict(rows))
        """,
    ),
    program(
        "of two objects of a script, the one that runs the method that sends `self`",
        """
        --- models.py
        import multiprocessing
        class Model:
            def __init__(self, step):
                self.step = step
            def predict(self, rows):
                return [self.step(row) for row in rows]
            def run(self, rows):
                return self.predict_in_pool(rows)
            def predict_in_pool(self, rows):
                with multiprocessing.Pool(2) as pool:
                    return pool.map(self.predict, rows)
        --- train.py
        import models
        class Own(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)
        class Other(models.Model):
            def __init__(self):
                super().__init__(lambda row: row)  # !DLF101
        def main(rows):
            own, other = Own(), Other()
            print(own.predict(rows), other.predict_in_pool(rows))
        if __name__ == "__main__":
            main([1])
        """,
    ),
    program(
        "what a test passes to a library does not come to a script that the test does not import",
        """
        --- pkg/__init__.py

        --- pkg/steps.py
        class Steps:
            def __init__(self, items):
                self.items = []
                for item in items:
                    self.add(item)
            def add(self, function):
                self.items.append(function)
        --- pkg/data.py
        from torch.utils.data import Dataset
        from pkg.steps import Steps
        class Rows(Dataset):
            def __init__(self, items):
                self.steps = Steps(items)
            def __getitem__(self, i):
                return i
        --- train.py
        from torch.utils.data import DataLoader
        from pkg.data import Rows
        def main(items):
            DataLoader(Rows(items), num_workers=2)
        --- tests/test_steps.py
        from pkg.steps import Steps
        def test_steps():
            steps = Steps([])
            steps.add(lambda x: x)
            assert Steps([lambda x: x]).items
        """,
    ),
    program(
        "what a test passes to a function that starts workers comes there",
        """
        --- pkg/__init__.py

        --- pkg/load.py
        from torch.utils.data import DataLoader
        def load(rows, collate):
            return DataLoader(rows, num_workers=2, collate_fn=collate)
        --- tests/test_load.py
        from pkg.load import load
        def test_load():
            load([1], lambda b: b)  # !DLF101
        """,
    ),
    program(
        "a handle opened only where the number of workers is 0 is not sent",
        """
        import argparse
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, args):
                self.f = None
                if args.workers == 0:
                    self.f = open("x")
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            p = argparse.ArgumentParser(); p.add_argument("--workers", type=int); args = p.parse_args()
            DataLoader(D(args), num_workers=args.workers)
        """,
    ),
    program(
        "a handle opened under a test of the number of workers that a parameter passes on",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path, workers):
                self.path, self.file = path, None
                if not workers:
                    self.file = open(path)
            def __getitem__(self, i):
                return i
        def load(path, workers):
            return DataLoader(Rows(path, workers), num_workers=workers)
        """,
    ),
    program(
        "a handle opened where there are workers is sent",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path, workers):
                self.path, self.file = path, None
                if workers > 0:
                    self.file = open(path)  # !DLF201
            def __getitem__(self, i):
                return i
        def load(path, workers):
            return DataLoader(Rows(path, workers), num_workers=workers)
        """,
    ),
    program(
        "a handle opened by `__enter__` of a dataset that is sent within the `with`",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                self.path, self.file = path, None
            def __enter__(self):
                self.file = open(self.path)  # !DLF203
                return self
            def __exit__(self, *error):
                self.file.close()
            def __getitem__(self, i):
                return self.file.read(i)
        def main(path):
            with Rows(path) as rows:
                DataLoader(rows, num_workers=2)
        """,
    ),
    program(
        "a dataset that is entered by nobody has no handle",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                self.path, self.file = path, None
            def __enter__(self):
                self.file = open(self.path)
                return self
            def __getitem__(self, i):
                return self.path
        def main(path):
            DataLoader(Rows(path), num_workers=2)
        """,
    ),
    program(
        "what a layer with weights computed carries a gradient",
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, net, x):
                self.f = net(x) # !DLF206
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(nn.Linear(2, 2), torch.ones(2)), num_workers=2)
        """,
    ),
    program(
        "a detached output, and one computed without gradients, is a plain tensor",
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            @torch.no_grad()
            def __init__(self, x):
                self.f = nn.Linear(2, 2)(x)
                with torch.no_grad():
                    self.g = nn.Linear(2, 2)(x)
                self.h = nn.Linear(2, 2)(x).detach()
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(torch.ones(2)), num_workers=2)
        """,
    ),
    program(
        "a mean of what a layer computed carries a gradient; its shape does not",
        """
        import torch
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, rows):
                layer = torch.nn.Linear(2, 2)
                self.mean = layer(rows).mean(0)  # !DLF206
                self.shape = layer(rows).shape
                self.value = layer(rows).sum().item()
                self.active = torch.nn.ReLU()(rows)
            def __getitem__(self, i):
                return i
        def main(rows):
            DataLoader(Rows(rows), num_workers=2)
        """,
    ),
    program(
        "a tuple whose `__new__` takes its parts cannot be made again",
        """
        from torch.utils.data import DataLoader, Dataset
        class Box(tuple):
            def __new__(cls, low, high):
                return super().__new__(cls, (low, high))
        class Kept(Box):
            def __getnewargs__(self):
                return tuple(self)
        class Name(str):
            def __new__(cls, text, language="en"):
                return super().__new__(cls, text)
        class Rows(Dataset):
            def __init__(self):
                self.box = Box(1, 2)  # !DLF206
                self.kept = Kept(1, 2)
                self.name = Name("x")
            def __getitem__(self, i):
                return i
        def main():
            DataLoader(Rows(), num_workers=2)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
