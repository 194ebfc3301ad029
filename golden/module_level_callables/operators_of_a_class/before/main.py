import argparse

from torch.utils.data import DataLoader, Dataset


class Step:
    def __init__(self, function):
        self.function = function

    def __call__(self, value):
        return self.function(value)

    def __or__(self, other):
        return Chain([self, other])

    def __ror__(self, other):
        return Chain([Step(other), self])


class Chain(Step):
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


class Numbers(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform(index)


def double(value):
    return value * 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    transform = Step(double) | Step(lambda value: value + 1)
    transform |= lambda value: value * 10
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Numbers(transform), num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [int(number) for number in loader])


if __name__ == "__main__":
    main()
