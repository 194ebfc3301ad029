import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.db.execute("SELECT ?", (index,)).fetchone()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    print("RESULT", os.listdir("data"))
    rows = Rows(os.path.join("data", "rows.db"))
    print("RESULT", os.path.exists(os.path.join("data", "best.pt")))
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
