import argparse
import functools
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Bytes(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.first = self[0]
        # each worker process opens its own
        if "files" in self.__dict__:
            for opened in self.files:
                opened.close()
            del self.files

    @functools.cached_property
    def files(self):
        return [open(path, "rb") for path in self.paths]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        return state

    def close(self):
        if "files" in self.__dict__:
            for file in self.files:
                file.close()

    def __len__(self):
        return 8

    def __getitem__(self, index):
        file = self.files[index % 2]
        file.seek(index // 2)
        return torch.tensor(file.read(1)[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("even", "odd")]
        for offset, path in enumerate(paths):
            with open(path, "wb") as file:
                file.write(bytes(range(offset, 8, 2)))
        samples = Bytes(paths)
        batches = [batch.tolist() for batch in DataLoader(samples, batch_size=2, **options)]
        print("RESULT", batches, samples.first.item())
        samples.close()


if __name__ == "__main__":
    main()
