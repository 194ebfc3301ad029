import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, options):
        #: one member for each sample
        self.blobs = zipfile.ZipFile(options.blobs)
        self.labels = zipfile.ZipFile(options.labels)  #: the same names
        self.names = sorted(self.blobs.namelist())

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        name = self.names[index]
        return sum(self.blobs.read(name)), len(self.labels.read(name))


def make(path):
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(6):
            archive.writestr(f"b{i}", bytes([i, i]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        args.blobs = args.labels = os.path.join(root, "blobs.zip")
        make(args.blobs)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            Blobs(args), batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [[part.tolist() for part in batch] for batch in loader])


if __name__ == "__main__":
    main()
