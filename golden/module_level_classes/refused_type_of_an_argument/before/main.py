import argparse

from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index * 2


def with_index(cls):
    """Return a class like another one whose samples come with their index."""

    def __getitem__(self, index):
        return cls.__getitem__(self, index), index

    return type(cls.__name__, (cls,), {"__getitem__": __getitem__})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    points = with_index(Points)(6)
    loader = DataLoader(
        points, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [[part.tolist() for part in batch] for batch in loader])


if __name__ == "__main__":
    main()
