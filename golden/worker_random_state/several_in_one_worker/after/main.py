import argparse
import random

import numpy as np
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Shift:
    def __init__(self, seed):
        self._rng = np.random.RandomState(seed)
        self._rng_seed = None

    @property
    def rng(self):
        worker = get_worker_info()
        if worker is not None and self._rng_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._rng_seed = worker.seed
            self._rng = np.random.RandomState([worker.seed % 2**32, self._rng.tomaxint() % 2**32])
        return self._rng

    def __call__(self, number):
        return number + self.rng.rand()


class Scale:
    def __init__(self, seed):
        self._rng = random.Random(seed)
        self._rng_seed = None
        self._noise = np.random.default_rng(seed)
        self._noise_seed = None

    @property
    def noise(self):
        worker = get_worker_info()
        if worker is not None and self._noise_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._noise_seed = worker.seed
            self._noise = np.random.default_rng([worker.seed, self._noise.integers(2**63)])
        return self._noise

    @property
    def rng(self):
        worker = get_worker_info()
        if worker is not None and self._rng_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._rng_seed = worker.seed
            self._rng = random.Random(worker.seed + self._rng.getrandbits(64))
        return self._rng

    def __call__(self, number):
        return number + self.rng.random() + self.noise.random()


class Numbers(Dataset):
    def __init__(self, count, steps):
        self.count = count
        self.steps = steps

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return np.array([step(0) for step in self.steps])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    dataset = Numbers(8, [Shift(1), Shift(2), Scale(3), Scale(4)])
    loader = DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    drawn = [float(number) for batch in loader for row in batch for number in row]
    print("RESULT", "distinct", len(set(drawn)))


if __name__ == "__main__":
    main()
