import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


def open_store(path):
    return os.open(path, os.O_RDONLY)


class Rows(Dataset):
    def __init__(self, path):
        self.number = open_store(path)
        self.length = os.fstat(self.number).st_size

    def __len__(self):
        return os.fstat(self.number).st_size

    def __getitem__(self, index):
        return os.pread(self.number, 1, index)[0] + self.length


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        with open(path, "wb") as file:
            file.write(bytes(range(6)))
        before = len(os.listdir("/proc/self/fd"))
        rows = Rows(path)
        size = len(rows)
        opened = len(os.listdir("/proc/self/fd")) - before
        context = args.start_method if args.workers else None
        loader = DataLoader(rows, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", size, opened, [batch.item() for batch in loader])


if __name__ == "__main__":
    main()
