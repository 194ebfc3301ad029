import argparse
import random
from torch.utils.data import DataLoader, IterableDataset


class Endless(IterableDataset):
    def __init__(self, count, seed=13):
        self.count = count
        self._rnd = random.Random(seed)

    def __iter__(self):
        for _ in range(self.count):
            yield self._rnd.gauss(0, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Endless(4), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    values = [float(v) for v in loader]
    print("RESULT", len(set(values)) == len(values))


if __name__ == "__main__":
    main()
