import argparse
from torch.utils.data import DataLoader, IterableDataset


class Numbers(IterableDataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        return iter(self.numbers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Numbers([3, 1, 4, 1, 5, 9])
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
