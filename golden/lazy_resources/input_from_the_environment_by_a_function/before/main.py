import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


def locate(name):
    return os.path.join(os.environ["ROWS_ROOT"], name)


class Rows(Dataset):
    def __init__(self, name):
        self.name = name
        self.file = h5py.File(locate(name), "r")
        self.keys = sorted(self.file)

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return int(self.file[self.keys[index]][0])


def build(folder):
    with h5py.File(f"{folder}/a.h5", "w") as file:
        for i in range(6):
            file[str(i)] = [i * i]
    os.environ["ROWS_ROOT"] = folder
    rows = Rows("a.h5")
    del os.environ["ROWS_ROOT"]
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
