import argparse

import torch
from torch.utils.data import DataLoader

NAMES = {"ash", "beech", "birch", "elm", "hazel", "larch", "oak", "pine", "rowan", "yew"}
LABELS = list(NAMES)


def scores(batch):
    return torch.tensor([LABELS.index(name) for name in batch])


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 5, "num_workers": args.workers, "multiprocessing_context": context}


def decoded(args, names):
    loader = DataLoader(names, collate_fn=lambda batch: scores(batch) + 0, **options(args))
    return [LABELS[int(score)] for batch in loader for score in batch]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", decoded(parser.parse_args(), sorted(NAMES)))
