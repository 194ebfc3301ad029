import argparse
import functools

import torch
from torch.utils.data import DataLoader

if __name__ != "__main__":
    BINS = 2  # what imports this shows a preview
    OFFSET = 1
else:
    BINS = 6
    OFFSET = 0


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def _binned(batch, *, BINS, OFFSET):
    return torch.stack(batch).reshape(len(batch), BINS, -1).sum(2) + OFFSET


def spectra(args, waves):
    binned = functools.partial(_binned, BINS=BINS, OFFSET=OFFSET)

    return [each.tolist() for each in DataLoader(waves, collate_fn=binned, **options(args))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", spectra(parser.parse_args(), [torch.arange(12) * i for i in range(5)]))
