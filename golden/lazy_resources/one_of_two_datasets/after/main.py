import argparse
import functools
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset, Subset


class Records(Dataset):
    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def file(self):
        return open(self.path, "rb")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.file.seek(i)
        return torch.tensor(self.file.read(1)[0])


class Drawn(Dataset):
    def __init__(self, count):
        self.draws = (n * n for n in range(count))
        self.first = next(self.draws)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(self.first + next(self.draws))


def build(kind, path):
    dataset = Records(path) if kind == "records" else Drawn(10)
    return Subset(dataset, range(4))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--kind", default="records")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "records")
        with open(path, "wb") as out:
            out.write(bytes([3, 1, 4, 1]))
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(build(args.kind, path), batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
