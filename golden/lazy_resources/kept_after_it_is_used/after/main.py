import argparse
import functools
import os
import tarfile
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, folder, packed):
        self.packed = packed
        self.folder = folder
        if packed:
            import zipfile as zf

            self.names = self.archive.namelist()
        else:
            self.names = self.archive.getnames()
        # each worker process opens its own
        if "archive" in self.__dict__:
            self.archive.close()
            del self.archive

    @functools.cached_property
    def archive(self):
        import zipfile as zf
        if self.packed:
            return zf.ZipFile(os.path.join(self.folder, "b.zip"))
        return tarfile.open(os.path.join(self.folder, "b.tar"))

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        if self.packed:
            return len(self.archive.read(self.names[i]))
        return len(self.archive.extractfile(self.names[i]).read())


def prepare(folder):
    with zipfile.ZipFile(os.path.join(folder, "b.zip"), "w") as z:
        for i in range(9):
            z.writestr(f"{i}", b"x" * i)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Blobs(folder, packed=True)
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
