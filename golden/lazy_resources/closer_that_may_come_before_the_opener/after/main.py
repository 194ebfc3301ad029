import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Lines:
    def open_lines(self):
        self._file_by_pid = {}
        self._open_file()
        self.offsets = [0]
        for line in self._file:
            self.offsets.append(self.offsets[-1] + len(line))

    def _open_file(self):
        self._file = open(self.path, "rb")

    @property
    def _file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @_file.setter
    def _file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def line(self, index):
        self._file.seek(self.offsets[index])
        return self._file.readline()

    def close_lines(self):
        if getattr(self, "_file_by_pid", {}).get(os.getpid()) is not None and not self._file.closed:
            self._file.close()
            self._file = None


class Numbers(Lines, Dataset):
    def __init__(self, path):
        self.close_lines()
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        self.path = path
        self.open_lines()

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, index):
        return int(self.line(index))

    def __del__(self):
        self.close_lines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers.txt")
        with open(path, "w") as file:
            file.writelines(f"{n}\n" for n in range(6))
        numbers = Numbers(path)
        first = numbers[0]
        loader = DataLoader(
            numbers,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", first, [batch.tolist() for batch in loader])
        numbers.close_lines()


if __name__ == "__main__":
    main()
