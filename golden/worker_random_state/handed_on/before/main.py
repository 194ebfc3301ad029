import argparse
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Jitter:
    def __init__(self, rng):
        self.rng = rng

    def __call__(self, row):
        return row + self.rng.normal(size=3)


class Noisy(Dataset):
    def __init__(self, number, seed):
        self.number = number
        self.rng = np.random.default_rng(seed)
        self.jitter = Jitter(self.rng)

    def __len__(self):
        return self.number

    def __getitem__(self, index):
        return self.jitter(np.zeros(3)) + self.rng.random()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Noisy(8, seed=5)
    loader = DataLoader(dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", "distinct", len({tuple(row) for _ in range(2) for batch in loader for row in batch.tolist()}))


if __name__ == "__main__":
    main()
