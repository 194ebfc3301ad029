import argparse
import json
import os

from torch.utils.data import DataLoader, IterableDataset


class Wrapped(IterableDataset):
    def __init__(self, pipeline):
        self.pipeline = pipeline

    def __iter__(self):
        for sample in self.pipeline:
            yield sample


def pipeline():
    import importlib

    return importlib.import_module(os.environ.get("PIPELINE", "json")).loads("[1, 2]")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Wrapped(pipeline())
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", json.dumps(len(set(loader))))


if __name__ == "__main__":
    main()
