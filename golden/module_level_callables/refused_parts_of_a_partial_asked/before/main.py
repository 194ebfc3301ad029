import argparse
import functools

from torch.utils.data import DataLoader

from items import Items


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def run(args, offset):
    @logged
    def scaled(value):
        return value * 2 + offset

    data = Items(range(6), scaled)
    context = args.start_method if args.workers else None
    loader = DataLoader(data, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    return [batch.tolist() for batch in loader], data.bound


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", *run(args, 2))


if __name__ == "__main__":
    main()
