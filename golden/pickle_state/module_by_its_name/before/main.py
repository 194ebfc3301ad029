import argparse
import cmath
import math

from torch.utils.data import DataLoader, Dataset


class Step:
    library = None

    def use(self, library):
        self.library = library
        return self

    def __call__(self, value):
        return abs(self.library.sqrt(value)) if self.library is not None else value


class Scaled(Step):
    def __init__(self, scale, numbers=math):
        self.scale = scale
        self.numbers = numbers

    def __call__(self, value):
        return self.numbers.floor(super().__call__(value) * self.scale)


class Rows(Dataset):
    def __init__(self, steps):
        self.steps = steps

    def __len__(self):
        return 6

    def __getitem__(self, index):
        for step in self.steps:
            index = step(index)
        return index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    steps = [Scaled(10).use(cmath), Step(), Scaled(3, math).use(math)]
    loader = DataLoader(
        Rows(steps),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader], steps[0].library is cmath)


if __name__ == "__main__":
    main()
