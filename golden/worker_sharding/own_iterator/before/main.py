import argparse
from torch.utils.data import DataLoader, IterableDataset


class Counter(IterableDataset):
    def __init__(self, stop):
        self.stop = stop
        self.number = 0

    def __iter__(self):
        self.number = 0
        return self

    def __next__(self):
        if self.number == self.stop:
            raise StopIteration
        self.number += 1
        return self.number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Counter(6)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
