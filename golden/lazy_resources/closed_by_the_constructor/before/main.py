import argparse
import csv
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, root):
        # the table says which members there are
        self.table = open(os.path.join(root, "table.csv"), newline="")
        self.names = [row[0] for row in csv.reader(self.table)]
        self.table.close()
        self.archive = zipfile.ZipFile(os.path.join(root, "blobs.zip"))

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return sum(self.archive.read(self.names[index]))


def make(root):
    with open(os.path.join(root, "table.csv"), "w") as table:
        table.writelines(f"b{i},{i}\n" for i in range(6))
    with zipfile.ZipFile(os.path.join(root, "blobs.zip"), "w") as archive:
        for i in range(6):
            archive.writestr(f"b{i}", bytes([i, i]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        make(root)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            Blobs(root), batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
