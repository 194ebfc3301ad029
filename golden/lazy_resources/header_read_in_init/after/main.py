import argparse
import functools
import os
import tempfile

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path
        with open(self.path) as file:
            self.fields = file.readline().split(",")

    @functools.cached_property
    def file(self):
        file = open(self.path)
        file.readline()
        return file

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __iter__(self):
        info = get_worker_info()
        for number, line in enumerate(self.file):
            if info is None or number % info.num_workers == info.id:
                yield torch.tensor([float(cell) for cell in line.split(",")])


def build(root):
    path = os.path.join(root, "a.csv")
    with open(path, "w") as out:
        out.write("a,b\n1,2\n3,4\n5,6\n7,8\n")
    return Lines(path)


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
        loader = DataLoader(dataset, batch_size=1, **options)
        print("RESULT", sorted(batch.tolist() for batch in loader))


if __name__ == "__main__":
    main()
