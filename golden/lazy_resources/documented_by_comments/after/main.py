import argparse
import functools
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, options):
        self._blobs = options.blobs
        self._labels = options.labels
        with zipfile.ZipFile(self._blobs) as blobs:
            self.names = sorted(blobs.namelist())

    @functools.cached_property
    def blobs(self):
        #: one member for each sample
        return zipfile.ZipFile(self._blobs)

    @functools.cached_property
    def labels(self):
        return zipfile.ZipFile(self._labels)  #: the same names

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("blobs", None)  # each process opens its own
        state.pop("labels", None)
        return state

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
