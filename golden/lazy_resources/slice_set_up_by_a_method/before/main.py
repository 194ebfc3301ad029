import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def halved(value: int) -> int:
    return value // 2


class Rows(Dataset):
    def __init__(self, path: str, least: int = 0, timeout: float = 5.0) -> None:
        self.path = path
        self.least = least
        self.db = sqlite3.connect(path, timeout=timeout)
        self._set_up()
        self.count = self.db.execute("SELECT COUNT(*) FROM chosen").fetchone()[0]
        self.cursor = self.db.cursor()

    def _set_up(self) -> None:
        self.db.create_function("halved", 1, halved)
        self.db.execute(
            f"CREATE TEMP VIEW chosen AS SELECT halved(x) AS x FROM items WHERE x >= {self.least}"
        )

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        self.cursor.execute("SELECT x FROM chosen LIMIT 1 OFFSET ?", (index,))
        return self.cursor.fetchone()[0]


def build(folder: str) -> Rows:
    db = sqlite3.connect(f"{folder}/a.db")
    db.execute("CREATE TABLE items (x INTEGER)")
    db.executemany("INSERT INTO items VALUES (?)", [(i * i,) for i in range(8)])
    db.commit()
    db.close()
    return Rows(f"{folder}/a.db", least=4)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
