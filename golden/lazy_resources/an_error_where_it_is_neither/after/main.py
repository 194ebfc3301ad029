import argparse
import functools
import tempfile
import zipfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, kind="h5"):
        self.path = path
        self.kind = kind
        if kind not in ("h5", "zip"):
            raise ValueError(kind)

    @functools.cached_property
    def file(self):
        if self.kind == "h5":
            return h5py.File(self.path, "r")
        return zipfile.ZipFile(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if self.kind == "h5":
            return int(self.file["x"][index])
        return int(self.file.read(str(index)))


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
    return Rows(f"{folder}/a")


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
