"""Readers over one SQLite file."""

import sqlite3
from typing import Any

from torch.utils.data import Dataset


class BaseReader(Dataset):
    table: str

    def __init__(self, path: str, **connect_options: Any) -> None:
        self._path = path
        self._conn: sqlite3.Connection | None = None
        self._connect(path, **connect_options)

    def _connect(self, path: str, **options: Any) -> None:
        """Connect, rows by name."""
        self._conn = sqlite3.connect(path, **options)
        self._conn.row_factory = sqlite3.Row

    def query_ids(self, limit: int | None) -> list[int]:
        sql = f"SELECT id FROM {self.table} ORDER BY id LIMIT ?"
        return [row["id"] for row in self._conn.execute(sql, (limit or -1,))]

    def value(self, number: int) -> float:
        sql = f"SELECT v FROM {self.table} WHERE id = ?"
        return self._conn.execute(sql, (number,)).fetchone()["v"]

    def __len__(self) -> int:
        sql = f"SELECT COUNT(*) AS n FROM {self.table}"
        return min(6, self._conn.execute(sql).fetchone()["n"])


def fabricate(path: str) -> None:
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE faces (id INTEGER PRIMARY KEY, v REAL)")
    c.executemany("INSERT INTO faces VALUES (?, ?)", [(i, i * 1.5) for i in range(8)])
    c.commit()
    c.close()
