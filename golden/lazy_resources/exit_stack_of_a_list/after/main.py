import argparse
import contextlib
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths):
        self.paths = paths
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(h5py.File(p, "r")) for p in self.paths]
            self.sizes = [len(f["x"]) for f in files]

    @functools.cached_property
    def stack(self):
        return contextlib.ExitStack()

    @functools.cached_property
    def files(self):
        return [self.stack.enter_context(h5py.File(p, "r")) for p in self.paths]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("stack", None)  # each process opens its own
        state.pop("files", None)
        return state

    def close(self):
        if "stack" in self.__dict__:
            self.stack.close()

    def __len__(self):
        return sum(self.sizes)

    def __getitem__(self, index):
        for f, size in zip(self.files, self.sizes):
            if index < size:
                return int(f["x"][index])
            index -= size


def build(folder):
    paths = []
    for n in range(2):
        paths.append(f"{folder}/data{n}.h5")
        with h5py.File(paths[-1], "w") as file:
            file["x"] = [i * i + n for i in range(3)]
    return Rows(paths)


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
