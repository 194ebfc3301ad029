import argparse
from torch.utils.data import DataLoader, IterableDataset


class Steps(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    def __iter__(self):
        start, step = 5, 2
        for number in range(start, self.stop, step):
            yield number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Steps(20)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
