import argparse
import functools
import os

from torch.utils.data import DataLoader

from items import Items


BIAS = 4


def set_bias(number):
    global BIAS
    BIAS = number


def _init_worker(worker_id, number):
    set_bias(number)


class Scaled:
    def __call__(self, value, bias=1):
        return value * 2 + BIAS + bias


class Experiment:
    def __init__(self, factor):
        self.factor = factor

    def run(self, args, factor):
        set_bias(factor + 5)

        table = {"train": Scaled(), "test": abs}
        data = Items(range(6), table["train"])
        loader = DataLoader(data, batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None, worker_init_fn=functools.partial(_init_worker, number=factor + 5))
        out = []
        for _ in range(2):
            out.append([batch.tolist() for batch in loader])
        return out


def run(args, factor):
    return Experiment(factor).run(args, factor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", run(args, 2))


if __name__ == "__main__":
    main()
