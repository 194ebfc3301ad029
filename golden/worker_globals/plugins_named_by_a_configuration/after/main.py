import argparse
import functools
import importlib

from registry import READERS
from torch.utils.data import DataLoader, Dataset


class Values(Dataset):
    def __init__(self, kind, count):
        self.kind = kind
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return READERS[self.kind](index)


CONFIG = {"plugins": ["extra"], "kind": "doubled"}


def load_plugins(names):
    for name in names:
        importlib.import_module(name)


def _init_worker(worker_id, names):
    load_plugins(names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    config = dict(CONFIG)
    load_plugins(config.get("plugins", ()))
    method = args.start_method if args.workers else None
    loader = DataLoader(
        Values(config["kind"], 5),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=method,
        worker_init_fn=functools.partial(_init_worker, names=config.get("plugins", ())),
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
