import argparse

from torch.utils.data import DataLoader, Dataset


class Scaled(Dataset):
    def __init__(self, rows, transform):
        self.rows = rows
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.transform(self.rows[index])

    def largest(self):
        return max(self.rows)


def make(rows):
    top = None

    def share(value):
        return value / top

    scaled = Scaled(rows, share)
    top = scaled.largest()
    return scaled


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        make([1.0, 4.0, 2.0]),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=context,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
