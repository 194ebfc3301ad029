import argparse
import multiprocessing
import os
import sqlite3
import threading


class Job:
    def __init__(self):
        self.stop = threading.Event()
        self.k = 2
    def value(self, i):
        if self.stop.is_set():
            return -1
        return i * self.k
    def run(self, args, context):
        self.stop.set()
        if not args.workers:
            return [self.value(i) for i in range(6)]
        with context.Pool(2) as pool:
            return pool.map(self.value, range(6))


def fill(path, values):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    db.commit()
    db.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    fill("data/a.db", [n * n + 1 for n in range(6)])
    context = multiprocessing.get_context(args.start_method)
    out = Job().run(args, context)
    print("RESULT", out)


if __name__ == "__main__":
    main()
