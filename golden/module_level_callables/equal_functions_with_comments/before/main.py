import argparse

import torch
from torch.utils.data import DataLoader


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def train_loader(args):
    # Workers must not start threads,
    # there are enough of them.
    def init(worker_id):
        torch.set_num_threads(1)  # one each

    return DataLoader(range(6), worker_init_fn=init, **options(args))


def test_loader(args, size):
    # Workers must not start threads,
    # there are enough of them.
    def init(worker_id):
        torch.set_num_threads(1)  # one each

    return DataLoader(range(size), worker_init_fn=init, **options(args))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = [*train_loader(args), *test_loader(args, 4)]
    print("RESULT", [row.tolist() for row in rows])


if __name__ == "__main__":
    main()
