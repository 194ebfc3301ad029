import argparse

from torch.utils.data import DataLoader, Dataset


class Stream:
    def __init__(self):
        self.values = (value * value for value in range(100))

    def take(self, index):
        return next(self.values)


class Scaled:
    def __init__(self):
        self.change = lambda value: value * 3

    def take(self, index):
        return self.change(index)


class Source:
    def __init__(self, reader):
        self.reader = reader


class Pairs(Dataset):
    def __init__(self, source):
        self.left = source
        self.right = source

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.left.reader.take(index) + self.right.reader.take(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    parser.add_argument("--streamed", action="store_true")
    args = parser.parse_args()
    source = Source(Stream() if args.streamed else Scaled())
    context = args.start_method if args.workers else None
    loader = DataLoader(Pairs(source), num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [int(batch) for batch in loader])


if __name__ == "__main__":
    main()
