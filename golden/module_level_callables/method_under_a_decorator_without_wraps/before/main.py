import argparse

import torch
from timing import timed
from torch.utils.data import DataLoader


class Batcher:
    def __init__(self, scale):
        self.scale = scale

    @timed("collate")
    def collate(self, samples):
        return torch.tensor(samples) * self.scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(range(6), batch_size=2, collate_fn=Batcher(3).collate, **options)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
