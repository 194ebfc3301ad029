import argparse
import tempfile
import threading

import torch
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, path, width):
        self.width = width
        self.lock = threading.Lock()
        self.log = open(path, "w")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("lock", None)  # recreated by __setstate__
        state.pop("log", None)  # only the parent process uses it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()

    def collate(self, items):
        return torch.tensor([item[: self.width] for item in items])

    def write(self, text):
        with self.lock:
            self.log.write(text + "\n")

    def run(self, items, workers, context):
        loader = DataLoader(
            items,
            batch_size=2,
            collate_fn=self.collate,
            num_workers=workers,
            multiprocessing_context=context,
        )
        for batch in loader:
            self.write(str(int(batch.sum())))
            self.width = 1
        self.log.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        trainer = Trainer(f"{folder}/log.txt", width=2)
        trainer.run([[i, i + 1, i + 2] for i in range(4)], args.workers, context)
        with open(f"{folder}/log.txt") as log:
            print("RESULT", len(log.read().split()))


if __name__ == "__main__":
    main()
