import argparse
import mmap
import os
import tempfile

from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Reader:
    def __init__(self, path):
        self.path = path
        self.running = False
        self.pages = None

    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("pages") is not None:
            state["pages"] = True  # __setstate__ calls start()
        state["running"] = False
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.pages:
            self.pages = None
            self.start()

    def start(self):
        with open(self.path, "rb") as file:
            self.pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.running = True

    def stop(self):
        if self.running:
            self.pages.close()
        self.pages = None
        self.running = False

    def byte(self, index):
        return self.pages[index]


class Bytes(Dataset):
    def __init__(self, reader):
        self.reader = reader

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.reader.byte(index) if self.reader.running else -1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "a.bin")
        with open(path, "wb") as out:
            out.write(bytes([5, 6, 7, 8]))
        started, idle = Reader(path), Reader(path)
        started.start()
        loader = DataLoader(
            ConcatDataset([Bytes(started), Bytes(idle)]),
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=context,
        )
        print("RESULT", [batch.tolist() for batch in loader])
        started.stop()


if __name__ == "__main__":
    main()
