import argparse
import dataclasses
import functools
import gzip
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


@dataclasses.dataclass
class Records(Dataset):
    path: str
    width: int = 2

    @functools.cached_property
    def file(self):
        return gzip.open(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, i):
        self.file.seek(i * self.width)
        return torch.tensor(list(self.file.read(self.width)))


def build(root):
    path = os.path.join(root, "records.gz")
    with gzip.open(path, "wb") as out:
        out.write(bytes(range(12)))
    return Records(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader], sorted(dataclasses.asdict(dataset)), repr(dataset).replace(root, ""))


if __name__ == "__main__":
    main()
