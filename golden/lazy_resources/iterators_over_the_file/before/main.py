import argparse
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")
        self.lazy = iter(self.file["x"])
        self.rev = reversed(list(self.file))
        self.z = zip(self.file["x"], self.file["y"])
        self.n = len(self.file["x"])

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return int(self.file["x"][index])


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
        file["y"] = [i for i in range(6)]
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
