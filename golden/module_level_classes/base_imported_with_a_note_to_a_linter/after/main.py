import argparse

from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index * index


def dataset_class():
    """Return the class of the dataset."""

    return Squares


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    method = args.start_method if args.workers else None
    loader = DataLoader(dataset_class()(), num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", [int(square) for square in loader])
