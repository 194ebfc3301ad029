import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset, SequentialSampler


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}
        self.sampler = list(SequentialSampler(self))

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self.path, "r")
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.file["x"])

    def __getitem__(self, index):
        return int(self.file["x"][self.sampler[index]])


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
    return Rows(f"{folder}/a")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
