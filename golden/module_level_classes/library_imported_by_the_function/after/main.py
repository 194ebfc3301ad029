import argparse

from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    """Squares, as numpy makes them."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        import numpy as np
        return float(np.square(index))


def make_dataset(count):
    import numpy as np

    return Squares(count)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        make_dataset(5),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
