import argparse

from torch.utils.data import DataLoader, Dataset

STEPS = {}


def register(name):
    def decorator(function):
        STEPS[name] = function
        return function

    return decorator


@register("plus-one")
def _(value):
    return value + 1


# doubled last
@register("double")
def _(value):
    return value * 2


@register("none")
def _(value):
    return value


class Rows(Dataset):
    def __init__(self, names):
        self.steps = [STEPS[name] for name in names]

    def __len__(self):
        return 6

    def __getitem__(self, index):
        for step in self.steps:
            index = step(index)
        return index


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Rows(["plus-one", "double", "none"]),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])
