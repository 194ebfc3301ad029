import argparse
import functools
import os
import tempfile

from torch.utils.data import DataLoader, IterableDataset


def line_of(file, number):
    line = file.readline()
    return number * int(line) if line else None


class Lines(IterableDataset):
    def __init__(self, path):
        super().__init__()
        self.line = functools.partial(line_of, open(path))
        self.count = self.line(1)

    def __iter__(self):
        for _ in range(self.count):
            yield self.line(2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines")
        with open(path, "w") as file:
            file.write("3\n5\n6\n7\n")
        loader = DataLoader(
            Lines(path),
            batch_size=1,
            num_workers=min(1, args.workers),
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
