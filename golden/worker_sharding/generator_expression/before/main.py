import argparse
from torch.utils import data


class Pairs(data.IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return (
            row * 10 + column  # two digits
            for row in self.rows
            for column in range(3)
        )


DataLoader = data.DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Pairs([1, 2, 3, 4])
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
