import argparse
import os
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import DataLoader, Dataset


class Reader:
    def __init__(self, threads):
        self.threads = threads
        self._pool_by_pid = {}

    @property
    def pool(self):
        pid = os.getpid()
        if pid not in self._pool_by_pid:
            self._pool_by_pid[pid] = ThreadPoolExecutor(self.threads)
        return self._pool_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_pool_by_pid"] = {}  # each process opens its own
        return state


class Squares(Dataset):
    def __init__(self, count):
        self.count = count
        self.reader = Reader(2)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.reader.pool.submit(pow, index, 2).result()


def first_two(rows):
    return rows[0] + rows[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    squares = Squares(6)
    shown = first_two(squares)
    context = args.start_method if args.workers else None
    loader = DataLoader(
        squares, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", shown, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
