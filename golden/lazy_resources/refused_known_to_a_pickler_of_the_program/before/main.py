import argparse
import io
import pickle
import sqlite3

from torch.utils.data import DataLoader, Dataset


class Saver(pickle.Pickler):
    def persistent_id(self, obj):
        return "the database" if isinstance(obj, sqlite3.Connection) else None


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
    rows = Rows("rows.db")
    saved = io.BytesIO()
    Saver(saved).dump(rows)
    print("RESULT", b"the database" in saved.getvalue())
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
