import argparse
import functools
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, root, names):
        self.root = root
        self.names = names
        files = self._open_files()
        self.sizes = {name: len(file["items"]) for name, file in files.items()}
        for opened in files.values():
            opened.close()

    def _open_files(self):
        # one file for each recording
        return {
            name: h5py.File(os.path.join(self.root, name), "r")
            for name in self.names
        }

    @functools.cached_property
    def files(self):
        return self._open_files()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        return state

    def __len__(self):
        return self.sizes["data"]

    def __getitem__(self, index):
        return self.files["data"]["items"][str(index)][:]


def make(path):
    with h5py.File(path, "w") as file:
        for i in range(6):
            file[f"items/{i}"] = [i, i * i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(folder, ["data"])
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
