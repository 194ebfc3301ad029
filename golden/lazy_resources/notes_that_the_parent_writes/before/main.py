import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.notes = sqlite3.connect(path)
        self.notes.execute("create table notes (line text)")
        self.rows = [1, 4, 9, 16]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def note(self, line):
        self.notes.execute("insert into notes values (?)", (line,))

    def count(self):
        return self.notes.execute("select count(*) from notes").fetchone()[0]


def run(rows, args):
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    for batch in loader:
        rows.note(str(batch.sum()))
        yield batch.tolist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(f"{folder}/notes.db")
        print("RESULT", list(run(rows, args)), rows.count())
        rows.notes.close()


if __name__ == "__main__":
    main()
