import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archive(Dataset):
    def __init__(self, path, names):
        self.path = path
        self.names = names
        self.archive = zipfile.ZipFile(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.archive = zipfile.ZipFile(self.path)

    def __repr__(self):
        shown = [name for name in vars(self) if not name.startswith("__")]
        return f"Archive({', '.join(sorted(shown))})"

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.tensor(list(self.archive.read(self.names[i])) + [len(repr(self))])


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n]))
    return Archive(path, ["0", "1", "2", "3"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
