import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
import pickle


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows = Rows(lambda value: value + 1)
    try:
        pickle.dumps(rows)
        kind = "plain"
    except (AttributeError, pickle.PicklingError):
        kind = "local"
    loader = DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", kind, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
