import argparse
import csv
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Report:
    """Notes what was left out."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "skipped.csv")
        self.stream = open(self.path, "w", newline="")
        self.writer = csv.writer(self.stream)
        self.skipped = 0

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("stream", None)  # only the parent process uses it
        state.pop("writer", None)
        return state

    def skip(self, name):
        self.writer.writerow([name])
        self.stream.flush()
        self.skipped += 1


class Records(Dataset):
    def __init__(self, names, folder):
        self.report = Report(folder)
        self.rows = []
        for name in names:
            if name.startswith("."):
                self.report.skip(name)
                continue
            self.rows.append(float(len(name)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.tensor(self.rows[i])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        records = Records(["a", ".b", "cde", "fg"], folder)
        loader = DataLoader(
            records, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        total = sum(float(batch.sum()) for batch in loader)
        with open(records.report.path) as skipped:
            print("RESULT", total, records.report.skipped, skipped.read().split())


if __name__ == "__main__":
    main()
