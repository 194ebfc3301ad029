import argparse
import functools
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Members(Dataset):
    def __init__(self, path):
        self.path = path
        with zipfile.ZipFile(self.path) as archive_file:
            self.names = \
                sorted(archive_file.namelist())
        self.size = len(self.names)

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        return state

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return len(self.archive.read(self.names[index]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "members.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for index in range(6):
                archive.writestr(f"{index}.txt", "x" * index)
        loader = DataLoader(
            Members(path),
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [batch.tolist() for batch in loader]
    print("RESULT", rows)
