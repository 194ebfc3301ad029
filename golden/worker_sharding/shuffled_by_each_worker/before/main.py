import argparse
import random

from torch.utils.data import DataLoader, IterableDataset


class Shuffled(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    def __iter__(self):
        order = list(range(self.stop))
        random.shuffle(order)
        for number in order:
            yield number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Shuffled(6)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
