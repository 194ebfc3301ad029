import argparse
import collections

from torch.utils.data import DataLoader, IterableDataset


class Windows(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    # three neighbours at a time
    def __iter__(self):
        """Yield sums of neighbours."""
        window = collections.deque(maxlen=3)
        for number in range(self.stop):
            window.append(number)
            if len(window) == 3:
                yield sum(window)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Windows(11)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
