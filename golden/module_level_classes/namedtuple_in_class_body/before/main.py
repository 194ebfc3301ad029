import argparse
import collections
import multiprocessing

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    """Rows of a table, as named tuples."""

    # What an item is made of.
    ROW = collections.namedtuple(typename="Row", field_names="left right")

    def __init__(self, n):
        self.rows = [self.ROW(i, i * i) for i in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        return row.left + row.right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = multiprocessing.get_context(args.start_method) if args.workers else None
    loader = DataLoader(
        Rows(8), batch_size=4, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
