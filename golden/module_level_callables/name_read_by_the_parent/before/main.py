import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Steps(Dataset):
    def __init__(self, steps):
        self.steps = steps

    def recipe(self):
        return "+".join(step.__name__ for step in self.steps)

    def without(self, step):
        return Steps([each for each in self.steps if each is not step])

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = torch.tensor(float(index))
        for step in self.steps:
            value = step(value)
        return value


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def run(args, by=3.0, limit=9.0):
    def scaled(value):
        return value * by

    def clipped(value):
        # sensor limits
        return value.clamp(max=limit)

    for steps in (Steps([scaled, clipped]), Steps([scaled, clipped]).without(clipped)):
        yield steps.recipe(), [batch.tolist() for batch in DataLoader(steps, **options(args))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", list(run(parser.parse_args())))
