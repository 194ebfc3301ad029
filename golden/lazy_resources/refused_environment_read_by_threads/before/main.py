import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor

import lmdb
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.env = lmdb.open(path, readonly=True, lock=False)

    def __len__(self):
        return 600

    def __getitem__(self, index):
        with ThreadPoolExecutor(8) as pool:
            return sum(pool.map(self.read, [index] * 8))

    def read(self, index):
        with self.env.begin() as txn:
            return int(txn.get(b"%d" % index))


def largest(dataset):
    with ThreadPoolExecutor(8) as pool:
        return max(pool.map(dataset.__getitem__, range(len(dataset))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        with lmdb.open(root, map_size=1 << 20) as env, env.begin(write=True) as txn:
            for n in range(600):
                txn.put(b"%d" % n, b"%d" % (n * n))
        rows = Rows(root)
        top = 1
        loader = DataLoader(
            rows, batch_size=200, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", top, [batch.tolist()[:3] for batch in loader])


if __name__ == "__main__":
    main()
