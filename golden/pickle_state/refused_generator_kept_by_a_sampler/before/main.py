import argparse

import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler


class Clips(IterableDataset):
    def __init__(self, clips):
        self.clips = clips
        self.generator = torch.Generator()
        self.sampler = RandomSampler(clips, generator=self.generator)

    def __iter__(self):
        self.generator.manual_seed(11)
        for index in self.sampler:
            yield self.clips[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    workers = min(args.workers, 1)
    method = args.start_method if workers else None
    loader = DataLoader(Clips([5, 3, 9, 1]), 2, num_workers=workers, multiprocessing_context=method)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
