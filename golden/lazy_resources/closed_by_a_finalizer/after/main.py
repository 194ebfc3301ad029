import argparse
import os
import weakref

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._stream_by_pid = {os.getpid(): open(self.path, "rb")}
        self.ending = weakref.finalize(self, self.stream.close)

    @property
    def stream(self):
        pid = os.getpid()
        if pid not in self._stream_by_pid:
            self._stream_by_pid[pid] = open(self.path, "rb")
        return self._stream_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["ending"]
        state["_stream_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.stream.seek(index)
        return self.stream.read(1)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with open("rows.bin", "wb") as out:
        out.write(bytes(range(6)))
    rows = Rows("rows.bin")
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
