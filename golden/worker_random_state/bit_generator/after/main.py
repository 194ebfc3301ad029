import argparse
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset[torch.Tensor]):
    _rng = "taken"

    def __init__(self, number: int, seed: int) -> None:
        self.number = number
        self._rng_2: np.random.Generator = np.random.Generator(np.random.PCG64(seed))
        self._rng_2_seed: int | None = None

    @property
    def rng(self) -> np.random.Generator:
        worker = get_worker_info()
        if worker is not None and self._rng_2_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._rng_2_seed = worker.seed
            self._rng_2 = np.random.Generator(np.random.PCG64([worker.seed, self._rng_2.integers(2**63)]))
        return self._rng_2

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.from_numpy(self.rng.normal(size=3))


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
