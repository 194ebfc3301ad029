import argparse
import logging
import tempfile

import torch
from torch.utils.data import DataLoader


class Module:
    def __init__(self, path):
        self.handler = logging.FileHandler(path)
        self.log = logging.getLogger(type(self).__name__)
        self.log.setLevel(logging.INFO)
        self.log.addHandler(self.handler)

    def teardown(self):
        self.log.removeHandler(self.handler)
        self.handler.close()


class Items(Module):
    def __init__(self, path, width):
        super().__init__(path)
        self.width = width

    def collate(self, items):
        return torch.tensor([item[: self.width] for item in items])

    def loader(self, workers, context):
        return DataLoader(
            [[i, i + 1, i + 2] for i in range(4)],
            batch_size=2,
            collate_fn=self.collate,
            num_workers=workers,
            multiprocessing_context=context,
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        items = Items(f"{folder}/log.txt", width=2)
        for batch in items.loader(args.workers, args.start_method if args.workers else None):
            items.log.info("%d", batch.sum())
        items.teardown()
        with open(f"{folder}/log.txt") as log:
            print("RESULT", log.read().split())


if __name__ == "__main__":
    main()
