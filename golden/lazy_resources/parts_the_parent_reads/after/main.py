import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._opened_by_pid = {}
        with h5py.File(self.path, "r") as file:
            file["x"]  # raises here if it is missing
            file["y"]
            self.scale = file.attrs["scale"]

    @property
    def _opened(self):
        pid = os.getpid()
        if pid not in self._opened_by_pid:
            file = h5py.File(self.path, "r")
            x = file["x"]
            y = file["y"]
            self._opened_by_pid[pid] = file, x, y
        return self._opened_by_pid[pid]

    @property
    def file(self):
        return self._opened[0]

    @property
    def x(self):
        return self._opened[1]

    @property
    def y(self):
        return self._opened[2]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_opened_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 6

    @property
    def shape(self):
        return self.x.shape[0]

    def __getitem__(self, index):
        return int(self.x[index]) + int(self.y[index]) * int(self.scale)


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
        file["y"] = [i for i in range(6)]
        file.attrs["scale"] = 2
    rows = Rows(f"{folder}/a")
    assert rows.shape == 6
    return rows


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
