import argparse
import json
import os
import queue
import tempfile
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Writer:
    def __init__(self, path):
        self.path = path
        self._queue = queue.Queue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_queue", None)  # only the parent process uses it
        state.pop("_closed", None)
        state.pop("_thread", None)
        return state

    def _drain(self):
        with open(self.path, "a") as f:
            while not (self._closed.is_set() and self._queue.empty()):
                try:
                    record = self._queue.get(timeout=0.05)
                except queue.Empty:
                    continue
                f.write(json.dumps(record) + "\n")

    def add_scalar(self, tag, value):
        self._queue.put([tag, value])

    def close(self):
        self._closed.set()
        self._thread.join()


class Run:
    def __init__(self, writer, seed):
        self.writer = writer
        self.seed = seed

    def note(self, tag, value):
        self.writer.add_scalar(tag, value)


class Scans(Dataset):
    def __init__(self, run):
        self.run = run
        run.note("scans", 6)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor(index * self.run.seed)


class Voxels(Scans):
    def __getitem__(self, index):
        return super().__getitem__(index) + 1


def main(args):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scalars")
        run = Run(Writer(path), 3)
        found = []
        for batch in loader(Voxels(run), args):
            run.note("sum", int(batch.sum()))
            found.append(batch.tolist())
        run.writer.close()
        with open(path) as f:
            print("RESULT", found, f.read().split("\n"))


def loader(dataset, args):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
