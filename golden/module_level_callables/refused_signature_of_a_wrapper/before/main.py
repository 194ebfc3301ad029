import argparse
import inspect
import os

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, values, transform=None):
        self.values = list(values)
        self.transform = transform
        self.looked = len(inspect.signature(transform).parameters) if transform else None

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        value = self.values[index]
        if isinstance(self.transform, (list, tuple)):
            for step in self.transform:
                value = step(value)
            return value
        if self.transform is None:
            return value
        return self.transform(value)


def logged(function):
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def run(args, factor):
    @logged
    def scaled(value):
        return value * 2 + 3

    data = Items(range(6), scaled)
    loader = DataLoader(data, batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    out.append(data.looked)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", run(args, 2))


if __name__ == "__main__":
    main()
