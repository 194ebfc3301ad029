import argparse
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import DataLoader, Dataset


class Reader:
    def __init__(self, threads=2):
        self.executor = ThreadPoolExecutor(max_workers=threads)

    def __call__(self, numbers):
        return list(self.executor.map(str, numbers))


class Clips(Dataset):
    def __init__(self, reader=None):
        self.reader = reader if reader is not None else Reader()
        self.first = self.reader([0])

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.reader([index])[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Clips(),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
