import argparse

from torch.utils.data import DataLoader, Dataset


class Columns:
    def __init__(self, rows):
        self.rows = rows

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __getattr__(self, name):
        yield from (row[name] for row in self.rows)


class Rows(Dataset):
    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return [*self.columns.number][index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Rows(Columns([{"number": number} for number in range(6)]))
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
