import argparse
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, paths, threads=2):
        self.paths = paths
        self.threads = threads
        self._pool_by_pid = {}
        self.sizes = list(self.pool.map(os.path.getsize, paths))

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

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.pool.submit(os.path.getsize, self.paths[index]).result() / sum(self.sizes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, str(number)) for number in range(4)]
        for number, path in enumerate(paths):
            with open(path, "wb") as out:
                out.write(bytes(number + 1))
        loader = DataLoader(
            Files(paths),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
