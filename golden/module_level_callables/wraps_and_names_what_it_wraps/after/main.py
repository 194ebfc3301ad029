import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset

CALLS = {}


def _counted(*args, fn, **kwargs):
    CALLS[fn.__name__] = CALLS.get(fn.__name__, 0) + 1
    return fn(*args, **kwargs)


def counted(fn):
    """Count the calls of a function by its name."""

    return functools.update_wrapper(functools.partial(_counted, fn=fn), fn)


class Rows(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.full((1 + index % 3,), float(index))


def collate(rows):
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


counted_collate = counted(collate)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Rows(),
        batch_size=2,
        collate_fn=counted_collate,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", counted_collate.__name__, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
