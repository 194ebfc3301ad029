import argparse
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    pool = None

    def __init__(self, count):
        self.count = count
        if type(self).pool is None:
            type(self).pool = ThreadPoolExecutor(2)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.pool.submit(pow, index, 2).result()


class Doubled(Rows):
    def __init__(self, count):
        self.extra = ThreadPoolExecutor(2)
        super().__init__(count)

    def __getitem__(self, index):
        return super().__getitem__(index) + self.extra.submit(pow, index, 3).result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(Doubled(6), batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
