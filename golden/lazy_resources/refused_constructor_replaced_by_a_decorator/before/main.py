import argparse

from torch.utils.data import DataLoader, Dataset


def tracked(cls):
    made = cls.__init__

    def __init__(self, path):
        made(self, path)
        self.first = self.stream.read(1)[0]
        self.stream = open("other.bin", "rb")

    cls.__init__ = __init__
    return cls


@tracked
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.stream = open(self.path, "rb")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.stream.seek(index)
        return self.stream.read(1)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with open("rows.bin", "wb") as out:
        out.write(bytes(range(6)))
    with open("other.bin", "wb") as out:
        out.write(bytes(range(40, 46)))
    rows = Rows("rows.bin")
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", rows.first, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
