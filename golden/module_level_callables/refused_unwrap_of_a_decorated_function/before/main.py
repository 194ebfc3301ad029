import argparse
import functools
import inspect

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(index)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def is_plain(function):
    return inspect.unwrap(function) is function


def make_loader(args, scale):
    @logged
    def scaled(value):
        return value * scale

    context = args.start_method if args.workers else None
    data = Items(scaled)
    return data, DataLoader(data, num_workers=args.workers, multiprocessing_context=context)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    data, loader = make_loader(parser.parse_args(), 3)
    print("RESULT", is_plain(data.transform), [batch.item() for batch in loader])


if __name__ == "__main__":
    main()
