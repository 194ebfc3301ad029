import argparse
import mmap
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        super().__init__()
        self.path = path
        self._stream_by_pid = {}
        self._buffer_by_pid = {}

        self.index()

    @property
    def stream(self):
        if os.getpid() not in self._stream_by_pid:
            self.open_files()
        return self._stream_by_pid[os.getpid()]

    @stream.setter
    def stream(self, stream):
        self._stream_by_pid[os.getpid()] = stream

    @property
    def buffer(self):
        if os.getpid() not in self._buffer_by_pid:
            self.open_files()
        return self._buffer_by_pid[os.getpid()]

    @buffer.setter
    def buffer(self, buffer):
        self._buffer_by_pid[os.getpid()] = buffer

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_stream_by_pid"] = {}  # each process opens its own
        state["_buffer_by_pid"] = {}
        return state

    def open_files(self):
        """Open both; also after `path` was moved."""
        self.stream = open(self.path, "rb")
        self.buffer = mmap.mmap(self.stream.fileno(), 0, prot=mmap.PROT_READ)

    def index(self):
        self.starts = [0]
        self.buffer.seek(0)
        for _ in iter(self.buffer.readline, b""):
            self.starts.append(self.buffer.tell())

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, i):
        return int(self.buffer[self.starts[i] : self.starts[i + 1]])


def build(folder):
    with open(folder + "/a", "w") as file:
        file.writelines(f"{i * i}\n" for i in range(6))
    return Rows(folder + "/a")


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
