import argparse

from torch.utils.data import DataLoader, Dataset


def first(values):
    return values[0]


class Rows(Dataset):
    def __init__(self, size, workers, method):
        self.size = size
        self.workers = workers
        self.method = method if workers else None
        self.fetchers = {}
        for split in ("train", "val"):
            self.fetchers[split] = Fetcher(split, self)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return index * index

    def get(self, split):
        return self.fetchers[split].get()


class Fetcher:
    def __init__(self, split, rows):
        self.split = split
        self.rows = rows

    def reset(self):
        self.loader = iter(
            DataLoader(
                self.rows,
                num_workers=self.rows.workers,
                collate_fn=first,
                multiprocessing_context=self.rows.method,
            )
        )

    def get(self):
        if not hasattr(self, "loader"):
            self.reset()
        value = next(self.loader, None)
        if value is None:
            self.reset()
        return value


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Rows(5, args.workers, args.start_method)
    found = [rows.get("train"), rows.get("val")]
    found += [rows.get("train") for _ in range(8)]
    print("RESULT", found)
