import argparse
import functools
import numpy as np
from torch.utils.data import DataLoader, Dataset


def noisy(x, rng):
    return x + rng.random()


class Values(Dataset):
    def __init__(self, n, transform):
        self.n, self.transform = n, transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.transform(0.0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    ds = Values(8, functools.partial(noisy, rng=np.random.default_rng(0)))
    print("RESULT", len({float(v) for v in DataLoader(ds, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)}))


if __name__ == "__main__":
    main()
