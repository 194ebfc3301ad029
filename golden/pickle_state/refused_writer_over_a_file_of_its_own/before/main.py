import argparse
import csv
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Noted(Dataset):
    def __init__(self, path, count):
        self.count = count
        self.log = csv.writer(open(path, "w", newline=""))

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.log.writerow([index])
        return index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dataset = Noted(os.path.join(folder, "log.csv"), 4)
        method = args.start_method if args.workers else None
        loader = DataLoader(dataset, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
