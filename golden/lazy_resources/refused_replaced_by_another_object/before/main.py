import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    """The lines of a log as it was when it was opened."""

    def __init__(self, path):
        self.path = path
        self.log = open(path, "rb")
        self.size = len(self.log.read()) // 3

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        self.log.seek(3 * index)
        return int(self.log.read(2))


class Writer:
    def __init__(self, path):
        self.path = path
        self.round = 0

    def rotate(self):
        self.round += 1
        with open(self.path + ".new", "w") as file:
            file.writelines(f"{10 * self.round + i}\n" for i in range(6))
        os.replace(self.path + ".new", self.path)


def build(folder):
    path = os.path.join(folder, "log.txt")
    writer = Writer(path)
    writer.rotate()
    rows = Rows(path)
    writer.rotate()
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
