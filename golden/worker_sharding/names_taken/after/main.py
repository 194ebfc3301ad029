import argparse
import itertools
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Steps(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    def __iter__(self):
        start, step = 5, 2
        worker = get_worker_info()
        first, stride = (worker.id, worker.num_workers) if worker else (0, 1)
        for number in itertools.islice(range(start, self.stop, step), first, None, stride):
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
