import argparse
import os
import tempfile
from pathlib import Path
from typing import ClassVar

import h5py
from torch.utils.data import DataLoader, Dataset


class Ratings(Dataset):
    _table_by_pid: ClassVar[dict[int, h5py.File]] = {}

    def __init__(self, folder: Path, users: list[int]) -> None:
        self.folder = folder
        self.users = users
        self.width = self.table["rows"].shape[1]

    @property
    def table(self) -> h5py.File:
        pid = os.getpid()
        if pid not in self._table_by_pid:
            self._table_by_pid[pid] = h5py.File(self.folder / "ratings.h5", "r")
        return self._table_by_pid[pid]

    @classmethod
    def is_open(cls) -> bool:
        return os.getpid() in cls._table_by_pid

    @classmethod
    def close(cls) -> None:
        if os.getpid() in cls._table_by_pid:
            cls._table_by_pid[os.getpid()].close()
            cls._table_by_pid.pop(os.getpid(), None)

    def __len__(self) -> int:
        return len(self.users)

    def __getitem__(self, index: int) -> float:
        return float(self.table["rows"][self.users[index]].sum())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with h5py.File(folder / "ratings.h5", "w") as file:
            file["rows"] = [[user, 2.0 * user] for user in range(8)]
        train = Ratings(folder, [0, 2, 4, 6])
        test = Ratings(folder, [1, 3, 5])
        sums = []
        for dataset in (train, test):
            loader = DataLoader(
                dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
            )
            sums.append([batch.tolist() for batch in loader])
        was_open = Ratings.is_open()
        Ratings.close()
    print("RESULT", train.width, sums, was_open, Ratings.is_open())


if __name__ == "__main__":
    main()
