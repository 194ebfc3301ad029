import argparse

from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __init__(self, n):
        self.rows = [{"x": i} for i in range(n)]

    def __len__(self):
        return len(self.rows)

    def row(self, i):
        return self.rows[i]


class Doubled(Base):
    def __getitem__(self, i):
        row = self.row(i)
        row["x"] = row["x"] * 2 + 1
        return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Doubled(4), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [int(b["x"]) for _ in range(2) for b in loader])


if __name__ == "__main__":
    main()
