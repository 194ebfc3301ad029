import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path):
        self.path = path
        self._file = None
        self.pid = None
        with open(path) as file:
            self.offsets = [0]
            while file.readline():
                self.offsets.append(file.tell())

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file"] = None  # each process opens its own
        return state

    def _ensure_open(self):
        if self._file is None:
            self._file = open(self.path)
            self.pid = os.getpid()

        if self.pid != os.getpid():
            self._file = open(self.path)
            self.pid = os.getpid()

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, index):
        self._ensure_open()
        self._file.seek(self.offsets[index])
        return int(self._file.readline())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.txt")
        with open(path, "w") as file:
            file.writelines(f"{row * 7}\n" for row in range(6))
        rows = Lines(path)
        first = rows[0]
        loader = DataLoader(
            rows,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", first, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
