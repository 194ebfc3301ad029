import argparse
import contextlib
import glob
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, pattern, key="x"):
        self.key = key
        self.stack = contextlib.ExitStack()
        self.files = {}
        self.index = []
        for path in sorted(glob.glob(pattern)):
            file = self.stack.enter_context(h5py.File(path, "r"))
            if key not in file:
                continue
            name = os.path.basename(path)
            self.files[name] = file
            self.index.extend((name, row) for row in range(len(file[key])))

    def __len__(self):
        return len(self.index)

    def __getitem__(self, index):
        name, row = self.index[index]
        return int(self.files[name][self.key][row])

    def close(self):
        self.stack.close()


def build(folder):
    for number, key in enumerate("xyx"):
        with h5py.File(f"{folder}/{number}.h5", "w") as file:
            file[key] = [number * 10 + i for i in range(3)]
    return Rows(f"{folder}/*.h5")


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
