import argparse
import os
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)[0]


def fill(path, values):
    with open(path, "wb") as out:
        out.write(bytes(values))


class Known:
    def __init__(self, names):
        self.names = {name: os.path.getsize(name) for name in names}

    def __contains__(self, name):
        return name in self.names

    def __getitem__(self, name):
        return self.names[name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    os.makedirs("spare")
    path, other = os.path.join("data", "rows"), os.path.join("spare", "rows")
    fill(path, range(6))
    fill(other, range(40, 46))
    rows = Rows(path)
    known = Known([path])
    print(path in known, known[path])
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
