import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, path):
        self.path = path
        self.stream = open(path, "rb")

    def read(self, index):
        self.stream.seek(4 * index)
        return int.from_bytes(self.stream.read(4), "little")


class Rows(Dataset):
    def __init__(self, path, length):
        self.length = length
        self.store = Store(path)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.store.read(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        with open(path, "wb") as out:
            for value in range(8):
                out.write((value * value).to_bytes(4, "little"))
        rows = Rows(path, 8)
        size = os.fstat(rows.store.stream.fileno()).st_size
        context = args.start_method if args.workers else None
        loader = DataLoader(
            rows, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", size, [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
