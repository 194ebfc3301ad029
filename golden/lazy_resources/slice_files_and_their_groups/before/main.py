import argparse
import tempfile
from pathlib import Path

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, root, parts):
        self.root = Path(root)
        self.parts = tuple(parts)
        self.files = {}
        self.tables = {}
        for part in self.parts:
            file = h5py.File(self.root / f"{part}.h5", "r")
            self.files[part] = file
            self.tables[part] = file["table"]
        self.scale = int(self.files[self.parts[0]].attrs["scale"])
        self.index = [(part, i) for part in self.parts for i in range(len(self.tables[part]))]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, index):
        part, row = self.index[index]
        return int(self.tables[part][row]) * self.scale


def build(folder):
    for part, start in (("train", 0), ("dev", 10)):
        with h5py.File(f"{folder}/{part}.h5", "w") as file:
            file.attrs["scale"] = 3
            file["table"] = [start + i for i in range(4)]
    return Rows(folder, ["train", "dev"])


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
