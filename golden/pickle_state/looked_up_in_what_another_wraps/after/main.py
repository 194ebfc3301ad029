import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __getstate__(self):
        return {"path": self.path, "file": None}

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if self.file is None:
            self.file = open(self.path, "rb")
        self.file.seek(index)
        return self.file.read(1)[0]


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __getattr__(self, name):
        """Ask the dataset for what it alone has."""
        if name in ("__getstate__", "__setstate__"):
            raise AttributeError(name)  # pickle asks before any attribute is set
        return getattr(self.dataset, name)


class Counted:
    """Counts what the parent reads of a dataset."""

    def __init__(self, dataset):
        self.dataset = dataset
        self.count = 0

    def __getitem__(self, index):
        self.count += 1
        return self.dataset[index]

    def __getattr__(self, name):
        return getattr(self.dataset, name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.bin")
        with open(path, "wb") as file:
            file.write(bytes(range(8)))
        rows = Subset(Rows(path), [1, 3, 5, 7])
        counted = Counted(rows)
        first = counted[0], counted.count, counted.path == path
        loader = DataLoader(
            rows,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", first, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
