import argparse

from registry import READERS
from torch.utils.data import DataLoader, Dataset


class Values(Dataset):
    def __init__(self, kind, count):
        self.kind = kind
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return READERS[self.kind](index)


def main():
    import extra

    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    method = args.start_method if args.workers else None
    loader = DataLoader(
        Values("doubled", 5), batch_size=2, num_workers=args.workers, multiprocessing_context=method
    )
    print("RESULT", extra.__name__, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
