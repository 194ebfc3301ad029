import argparse
import functools

import torch
from settings import cfg
from steps import scaled
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor(scaled(index))


def _init_worker(worker_id, value):
    cfg.update(value)


def make_loader(args):
    method = args.start_method if args.workers else None
    return DataLoader(
        Numbers(),
        2,
        num_workers=args.workers,
        multiprocessing_context=method,
        worker_init_fn=functools.partial(_init_worker, value=cfg),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--set", nargs="*", default=["DATA.SCALE", "3", "DATA.SHIFT", "1"])
    args = parser.parse_args()
    cfg.merge_from_list(args.set)
    print("RESULT", sum(int(batch.sum()) for batch in make_loader(args)))


if __name__ == "__main__":
    main()
