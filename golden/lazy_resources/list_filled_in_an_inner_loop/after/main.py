import argparse
import contextlib
import os
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset


class Parts(Dataset):
    def __init__(self, paths):
        self._stack_by_pid = {}
        self._parts_by_pid = {}
        self.paths = list(paths)
        self._open_stack()

    def _open_stack(self):
        self.stack = contextlib.ExitStack()
        self.parts = []
        for path in sorted(self.paths):
            file = self.stack.enter_context(open(path, "rb"))
            (count,) = struct.unpack("<I", file.read(4))
            lengths = struct.unpack(f"<{count}I", file.read(4 * count))
            starts = [4 + 4 * count]
            for length in lengths:
                starts.append(starts[-1] + length)
            self.parts.append((file, starts))

    @property
    def stack(self):
        if os.getpid() not in self._stack_by_pid:
            self._open_stack()
        return self._stack_by_pid[os.getpid()]

    @stack.setter
    def stack(self, stack):
        self._stack_by_pid[os.getpid()] = stack

    @property
    def parts(self):
        if os.getpid() not in self._parts_by_pid:
            self._open_stack()
        return self._parts_by_pid[os.getpid()]

    @parts.setter
    def parts(self, parts):
        self._parts_by_pid[os.getpid()] = parts

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_stack_by_pid"] = {}  # each process opens its own
        state["_parts_by_pid"] = {}
        return state

    def __len__(self):
        return len(self.parts)

    def __getitem__(self, index):
        file, starts = self.parts[index]
        file.seek(starts[1])
        return sum(file.read(starts[2] - starts[1]))


def fill(folder, texts):
    for number, text in enumerate(texts):
        path = os.path.join(folder, f"{number}.bin")
        with open(path, "wb") as file:
            file.write(struct.pack("<I", len(text)))
            file.write(struct.pack(f"<{len(text)}I", *map(len, text)))
            file.write(b"".join(text))
        yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        paths = fill(folder, [[b"ab", b"cde"], [b"f", b"gh", b"i"], [b"jkl", b"m"]])
        loader = DataLoader(
            Parts(paths), batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
