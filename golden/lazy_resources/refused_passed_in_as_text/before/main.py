import argparse
import gzip
import tempfile

from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, file):
        self.file = file

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.file.seek(0)
        return self.file.read().splitlines()[index] + "!"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with gzip.open(f"{folder}/lines.gz", "wt") as file:
            file.write("a\nb\nc\nd\n")
        loader = DataLoader(
            Lines(gzip.open(f"{folder}/lines.gz", "rt")),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch for batch in loader])


if __name__ == "__main__":
    main()
