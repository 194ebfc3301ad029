import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.tensor(i * factor)


def _init_worker(worker_id, value):
    global factor
    factor = value


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--factor", type=int, default=3)
    args = parser.parse_args()
    factor = args.factor
    loader = DataLoader(
        Numbers(),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
        worker_init_fn=functools.partial(_init_worker, value=factor),
    )
    print("RESULT", [batch.tolist() for batch in loader])
