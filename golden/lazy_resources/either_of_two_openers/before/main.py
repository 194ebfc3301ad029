import argparse
import gzip
import tempfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        if path.endswith(".gz"):
            self.file = gzip.open(path, "rb")
        else:
            self.file = open(path, "rb")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.file.seek(index * 4)
        return list(self.file.read(4))[0]


def make(path):
    with open(path, "wb") as file:
        file.write(bytes(range(24)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
