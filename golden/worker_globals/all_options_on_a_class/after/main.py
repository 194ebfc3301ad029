import argparse
import functools

from ramps import Ramps
from settings import Config
from torch.utils.data import DataLoader


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("--offset", type=int, default=10)
    return parser.parse_args()


def _init_worker(worker_id, size, offset):
    Config.size = size
    Config.offset = offset


def main():
    args = parse()
    for name, value in vars(args).items():
        setattr(Config, name, value)
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Ramps(6),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=context,
        worker_init_fn=functools.partial(_init_worker, size=Config.size, offset=Config.offset),
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
