import argparse
import itertools
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Squares(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    def square(self, number):
        return number * number

    def __iter__(self):
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return map(self.square, itertools.islice(range(self.stop), start, None, step))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Squares(9)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
