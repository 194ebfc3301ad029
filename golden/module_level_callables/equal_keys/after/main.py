import argparse
import functools

from torch.utils.data import DataLoader, Dataset


def _scale(x):
    return x * 2


def _scale_by_2(x):
    return x * 2


def _scale_by_scale(x, *, scale):
    return x * scale


def _subtract(x):
    return x - 1


def _subtract_1(x):
    return x - 1


class Weighted(Dataset):
    def __init__(self, scale):
        self.weights = {_scale: 1, _scale_by_2: 5}
        self.weights[functools.partial(_scale_by_scale, scale=scale)] = 3
        self.parts = {_subtract, _subtract_1}

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return sum(f(i) * w for f, w in self.weights.items()) + sum(f(i) for f in self.parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Weighted(3), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
