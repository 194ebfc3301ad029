import argparse
from collections import UserDict

from shapes.base import Numbers
from torch.utils.data import DataLoader


class Doubled(UserDict):
    def __getitem__(self, key):
        """
        Return the weight of a key.

        Twice what was given.
        """
        return 2 * super().__getitem__(key)


def weights():
    return Doubled({0: 1, 1: 5})


class Squares(Numbers):
    weights = None

    def __getitem__(self, index):
        return self.weights[index % 2] * index * index


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()

    squares = Squares(4)
    squares.weights = weights()
    loader = DataLoader(
        squares,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])
