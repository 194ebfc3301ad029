import argparse
import functools
import os

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Items(IterableDataset):
    def __init__(self, values, transform=None):
        self.values = list(values)
        self.transform = transform

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for value in self.values[first::step]:
            yield self.transform(value) if self.transform else value


BIAS = 4


def set_bias(number):
    global BIAS
    BIAS = number


class Experiment:
    def __init__(self, args, factor):
        self.factor = factor
        set_bias(factor + 5)
        @functools.singledispatch
        def filter(value):
            return value

        @filter.register(list)
        def _of_list(batch):
            return 0

        @filter.register(int)
        def _of_int(value):
            return value * 2 + BIAS

        chosen = filter
        data = Items(range(6), chosen)
        loader = DataLoader(data, batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
        out = []
        for _ in range(1):
            out.append([batch.tolist() for batch in loader])
        out = [sorted(value for batch in epoch for value in batch) for epoch in out]
        self.out = out


def run(args, factor):
    return Experiment(args, factor).out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", run(args, 2))


if __name__ == "__main__":
    main()
