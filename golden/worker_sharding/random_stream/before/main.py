import argparse
import random

from torch.utils.data import DataLoader, IterableDataset


class Noise(IterableDataset):
    def __init__(self, number):
        self.number = number

    def __iter__(self):
        for _ in range(self.number):
            yield random.random()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Noise(4)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", len(list(loader)) > 0)


if __name__ == "__main__":
    main()
