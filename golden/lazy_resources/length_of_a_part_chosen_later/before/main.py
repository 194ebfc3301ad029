import argparse
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        self.part = "train"
        self.file = h5py.File(path, "r")

    def __len__(self):
        return len(self.file[self.part])

    def __getitem__(self, index):
        return int(self.file[self.part][index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data.h5"
        with h5py.File(path, "w") as file:
            file["train"] = range(6)
            file["test"] = range(40, 43)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        dataset.part = "test"
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
