import argparse
import os
import tempfile
import threading

from torch.utils.data import DataLoader, Dataset


class Blocks(Dataset):
    size = 2

    def __init__(self, path):
        self.path = path
        self._local_by_pid = {}

    @property
    def _local(self):
        pid = os.getpid()
        if pid not in self._local_by_pid:
            self._local_by_pid[pid] = threading.local()
        return self._local_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_local_by_pid"] = {}  # each process opens its own
        return state

    @property
    def stream(self):
        stream = getattr(self._local, "stream", None)
        if stream is None:
            stream = self._local.stream = open(self.path, "rb")
        return stream

    def __len__(self):
        return self.stream.seek(0, os.SEEK_END) // self.size

    def __getitem__(self, index):
        self.stream.seek(index * self.size)
        return sum(self.stream.read(self.size))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "blocks")
        with open(path, "wb") as out:
            out.write(bytes(range(10)))
        blocks = Blocks(path)
        loader = DataLoader(
            blocks, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(loader), [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
