import argparse
import functools
import os
import tempfile
import zipfile

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Archives(Dataset):
    def __init__(self, names, folder):
        self.folder = folder
        self.names = list(names)
        archives = self._open_archives()
        self.entries = [(n, e) for n, each in archives.items() for e in each.namelist()]
        for opened in archives.values():
            opened.close()

    def _open_archives(self):
        return {name: zipfile.ZipFile(os.path.join(self.folder, name)) for name in self.names}

    @functools.cached_property
    def archives(self):
        return self._open_archives()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archives", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, i):
        name, entry = self.entries[i]
        return torch.tensor([len(self.archives), *self.archives[name].read(entry)])


def build(root):
    names, stages = [], []
    for number in range(2):
        names.append(f"{number}.zip")
        with zipfile.ZipFile(os.path.join(root, names[-1]), "w") as out:
            out.writestr("a", bytes([number]))
        stages.append(Archives(names, root))
    return ConcatDataset(stages)


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
