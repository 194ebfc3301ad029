import argparse

import torch
from records import make_record
from torch.utils.data import DataLoader

Reading = make_record("Reading", "value scale", defaults=(2,))
Summary = make_record("Summary", "total")


def collate(readings):
    return torch.tensor([each.value * each.scale for each in readings])


def make_loader(args):
    readings = [Reading(value) for value in range(6)]
    context = args.start_method if args.workers else None
    return DataLoader(
        readings,
        batch_size=2,
        collate_fn=collate,
        num_workers=args.workers,
        multiprocessing_context=context,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    batches = [batch.tolist() for batch in make_loader(args)]
    print("RESULT", batches, Summary(sum(map(sum, batches))))
