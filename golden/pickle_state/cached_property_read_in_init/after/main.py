import argparse
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        self.shape = self[0].shape
        # each worker process opens its own
        if "file" in self.__dict__:
            self.file.close()
            del self.file

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.file["items"][str(index)][:]


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
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
