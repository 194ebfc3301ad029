import argparse
import itertools
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class UpToMarker(IterableDataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return itertools.islice(self._samples(), start, None, step)

    def _samples(self):
        for number in self.numbers:
            if number < 0:
                break
            yield number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = UpToMarker([1, 2, 3, 4, -1, 5, 6])
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
