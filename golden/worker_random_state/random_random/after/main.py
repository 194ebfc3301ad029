import argparse
import random

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __init__(self, number, seed):
        self.number = number
        self._rng = random.Random(seed)
        self._rng_seed = None

    @property
    def rng(self):
        worker = get_worker_info()
        if worker is not None and self._rng_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._rng_seed = worker.seed
            self._rng = random.Random(worker.seed + self._rng.getrandbits(64))
        return self._rng

    def __len__(self):
        return self.number

    def __getitem__(self, index):
        return torch.tensor([self.rng.random(), self.rng.random()])


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
