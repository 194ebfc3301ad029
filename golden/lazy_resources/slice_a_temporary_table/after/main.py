import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Chosen(Dataset):
    """Rows of some users; `users` may be any iterable of numbers."""

    def __init__(self, path, users, scale):
        self._db_by_pid = {}
        self.scale = scale
        self.path = path
        self.users = list(users)
        self._open_db()
        self.count = self.db.execute("SELECT COUNT(*) FROM chosen").fetchone()[0]

    def _open_db(self):
        self.db = sqlite3.connect(self.path)
        self.db.execute("CREATE TEMP TABLE chosen (place INTEGER PRIMARY KEY, user INTEGER)")
        self.db.executemany("INSERT INTO chosen (user) VALUES (?)", ((user,) for user in self.users))

    @property
    def db(self):
        if os.getpid() not in self._db_by_pid:
            self._open_db()
        return self._db_by_pid[os.getpid()]

    @db.setter
    def db(self, db):
        self._db_by_pid[os.getpid()] = db

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        query = "SELECT age FROM chosen JOIN users USING (user) WHERE place = ?"
        return self.db.execute(query, (index + 1,)).fetchone()[0] * self.scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "users.db")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE users (user INTEGER PRIMARY KEY, age INTEGER)")
        db.executemany("INSERT INTO users VALUES (?, ?)", [(n, 20 + n) for n in range(10)])
        db.commit()
        db.close()
        users = Chosen(path, (n for n in range(10) if n % 3), scale=2)
        loader = DataLoader(
            users,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader], users[0])


if __name__ == "__main__":
    main()
