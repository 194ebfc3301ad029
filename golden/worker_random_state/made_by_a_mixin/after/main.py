import argparse
import random

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Seeded:
    def init_rng(self, seed=None):
        if seed is None:
            seed = 1234
        self._rng = random.Random(seed)
        self._rng_seed = None

    def jitter(self, value):
        return value + self.rng.gauss(0.0, 1.0)

    @property
    def rng(self):
        worker = get_worker_info()
        if worker is not None and self._rng_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._rng_seed = worker.seed
            self._rng = random.Random(worker.seed + self._rng.getrandbits(64))
        return self._rng


class Points(Seeded, Dataset):
    def __init__(self, count):
        super().__init__()
        self.init_rng()
        self.order = list(range(count))
        self.rng.shuffle(self.order)

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return torch.tensor(self.jitter(0.0), dtype=torch.float64), self.order[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    points = Points(8)
    loader = DataLoader(points, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    drawn = [value for _ in range(2) for values, _ in loader for value in values.tolist()]
    print("RESULT", len(set(drawn)) == len(drawn), points.order)


if __name__ == "__main__":
    main()
