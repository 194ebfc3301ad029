import argparse
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.file["x"][index])


def build(folder):
    with h5py.File(f"{folder}/a.h5", "w") as file:
        file["x"] = [i * i for i in range(6)]
    return Rows(f"{folder}/a.h5")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dataset = build(folder)
        context = args.start_method if args.workers else None
        total = sum(int(b.sum()) for b in DataLoader(dataset, batch_size=2))
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", total, [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
