import argparse
import mmap
import os
import tempfile
from functools import cached_property

import torch
from torch.utils.data import DataLoader, Dataset


class Genome(Dataset):
    def __init__(self, path, places):
        self.path = path
        self.places = places
        self.lengths = [len(part) for part in self.parts]

    @cached_property
    def parts(self):
        with open(self.path, "rb") as file:
            bases = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        return [bases[start:end] for start, end in self.places]

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        return torch.tensor(sum(self.parts[index]) * self.lengths[index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bases")
        with open(path, "wb") as file:
            file.write(bytes(range(100)))
        genome = Genome(path, [(0, 10), (10, 40), (40, 45), (60, 99)])
        method = args.start_method if args.workers else None
        loader = DataLoader(genome, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
