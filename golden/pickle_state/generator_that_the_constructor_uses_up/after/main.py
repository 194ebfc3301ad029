import argparse

from torch.utils.data import DataLoader, Dataset


def read(count):
    for number in range(count):
        yield number, number * number


class Squares(Dataset):
    def __init__(self, count):
        pairs = read(count)
        self.squares = dict(pairs)

    def __len__(self):
        return len(self.squares)

    def __getitem__(self, index):
        return self.squares[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    squares = Squares(6)
    loader = DataLoader(squares, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
