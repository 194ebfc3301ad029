import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Events(Dataset):
    """Events of some file format."""

    def __init__(self, path, columns):
        self._path = path
        self._columns = columns
        self._initialise()
        self._indices = self._get_all_indices()
        self._columns = [each for each in columns if self._has(each)]

    def _has(self, column):
        try:
            self._query(column, 0)
        except KeyError:
            return False
        return True

    def __len__(self):
        return len(self._indices)

    def __getitem__(self, i):
        return [self._query(column, i) for column in self._columns]


class SQLiteEvents(Events):
    """Events of one database, or of several."""

    def _initialise(self):
        self._databases = self._path if isinstance(self._path, list) else None
        if self._databases is not None:
            self._all_open_by_pid = {}
            self._all_connections_by_pid = {}
            self._current = None
        self._conn_by_pid = {}

    @property
    def _conn(self):
        return self._conn_by_pid.get(os.getpid())

    @_conn.setter
    def _conn(self, conn):
        self._conn_by_pid[os.getpid()] = conn

    @_conn.deleter
    def _conn(self):
        self._conn_by_pid.pop(os.getpid(), None)

    @property
    def _all_connections(self):
        pid = os.getpid()
        if pid not in self._all_connections_by_pid:
            self._all_connections_by_pid[pid] = []
        return self._all_connections_by_pid[pid]

    @_all_connections.setter
    def _all_connections(self, all_connections):
        self._all_connections_by_pid[os.getpid()] = all_connections

    @_all_connections.deleter
    def _all_connections(self):
        self._all_connections_by_pid.pop(os.getpid(), None)

    @property
    def _all_open(self):
        return self._all_open_by_pid.get(os.getpid(), False)

    @_all_open.setter
    def _all_open(self, all_open):
        self._all_open_by_pid[os.getpid()] = all_open

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_conn_by_pid"] = {}  # each process opens its own
        state["_all_connections_by_pid"] = {}
        state["_all_open_by_pid"] = {}
        return state

    def _get_all_indices(self):
        paths = self._databases or [self._path]
        return [(key, n) for n, path in enumerate(paths) for key in range(4)]

    def _query(self, column, i):
        self._establish_connection(i)
        key, _ = self._indices[i]
        try:
            query = f"SELECT {column} FROM events WHERE id = ?"
            return self._conn.execute(query, (key,)).fetchone()[0]
        except sqlite3.OperationalError as error:
            if "no such column" in str(error):
                raise KeyError(column) from error
            else:
                raise

    def _establish_connection(self, i):
        """Make sure that a connection is open."""
        if self._databases is None:
            if self._conn is None:
                self._conn = sqlite3.connect(self._path)
        else:
            if self._conn is None:
                if self._all_open is False:
                    self._all_connections = []
                    for database in self._databases:
                        connection = sqlite3.connect(database)
                        self._all_connections.append(connection)
                    self._all_open = True
                self._conn = self._all_connections[self._indices[i][1]]
            if self._indices[i][1] != self._current:
                self._conn = self._all_connections[self._indices[i][1]]
                self._current = self._indices[i][1]

    def close(self):
        """Make sure that no connection is open."""
        if self._conn is not None:
            self._conn.close()
            del self._conn
            self._conn = None
        if self._databases is not None and self._all_open:
            for connection in self._all_connections:
                connection.close()
            del self._all_connections
            self._all_open = False


def make(path, factor):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, energy INTEGER)")
    connection.executemany("INSERT INTO events VALUES (?, ?)", [(n, n * factor) for n in range(4)])
    connection.commit()
    connection.close()
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [make(os.path.join(folder, f"{n}.db"), n + 2) for n in range(2)]
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        for path in (paths[0], paths):
            events = SQLiteEvents(path, ["energy", "charge"])
            loader = DataLoader(events, batch_size=3, **options)
            print("RESULT", [[part.tolist() for part in batch] for _ in range(2) for batch in loader])
            events.close()


if __name__ == "__main__":
    main()
