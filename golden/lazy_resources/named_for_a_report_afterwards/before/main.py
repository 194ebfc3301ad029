import argparse
import tempfile
from pathlib import Path

from report import table
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Records(Dataset):
    SIZE = 2

    def __init__(self, path):
        self.file = open(path, "rb")
        self.name = path.stem
        self.count = self.file.seek(0, 2) // self.SIZE

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.file.seek(index * self.SIZE)
        return int.from_bytes(self.file.read(self.SIZE), "big")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for name, values in (("first", [1, 300, 5]), ("second", [7, 70])):
            path = Path(folder, f"{name}.bin")
            path.write_bytes(b"".join(value.to_bytes(2, "big") for value in values))
            parts.append(Records(path))
        loader = DataLoader(
            ConcatDataset(parts),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=context,
        )
        batches = [batch.tolist() for batch in loader]
    print("RESULT", batches, table(parts).splitlines())


if __name__ == "__main__":
    main()
