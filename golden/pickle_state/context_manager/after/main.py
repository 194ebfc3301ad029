import argparse
import sqlite3
import tempfile
from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Helper:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)

    def row(self, index):
        return self.connection.execute("SELECT ? * 2", (index,)).fetchone()[0]

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()


class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 4

    def __getitem__(self, index):
        with Helper(self.path) as helper:
            return helper.row(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Rows(str(Path(tempfile.mkdtemp()) / "rows.db"))
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
