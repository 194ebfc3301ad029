import argparse
import functools
import os
import shelve
import tempfile

from torch.utils.data import DataLoader, Dataset


class Notes(Dataset):
    def __init__(self, path, count):
        self.path = path
        self.count = count

    @functools.cached_property
    def shelf(self):
        return shelve.open(self.path, "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("shelf", None)  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.shelf[str(index)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "notes")
        with shelve.open(path, "n") as shelf:
            for number in range(6):
                shelf[str(number)] = number * 3
        loader = DataLoader(
            Notes(path, 6),
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
