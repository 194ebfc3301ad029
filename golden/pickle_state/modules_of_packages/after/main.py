import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, scale):
        from concurrent import futures

        self.scale = scale
        self.futures = futures
        self.F = F

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("futures", None)  # recreated by __setstate__
        state.pop("F", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        from concurrent import futures
        self.futures = futures
        self.F = F

    def __len__(self):
        return 6

    def __getitem__(self, index):
        with self.futures.ThreadPoolExecutor(1) as pool:
            scaled = pool.submit(pow, index, 2).result() * self.scale
        return self.F.relu(torch.tensor(scaled - 20))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Items(3),
        batch_size=3,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
