import argparse
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset[torch.Tensor]):
    _rng = "taken"

    def __init__(self, number: int, seed: int) -> None:
        self.number = number
        self.rng: np.random.Generator = np.random.Generator(np.random.PCG64(seed))

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
