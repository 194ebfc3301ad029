import argparse
import functools
import os
import tempfile

import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset


def is_first():
    try:
        first = dist.get_rank() == 0
    except (RuntimeError, ValueError):
        # not started by a launcher
        first = False
    return first


class Part(Dataset):
    def __init__(self, folder):
        self._file_path = os.path.join(folder, f"{dist.get_rank()}.txt")
        self._other_path = os.path.join(folder, "a.txt" if is_first() else "b.txt")

    @functools.cached_property
    def file(self):
        return open(self._file_path)

    @functools.cached_property
    def other(self):
        return open(self._other_path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        state.pop("other", None)
        return state

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.file.seek(2 * index)
        self.other.seek(index)
        return int(self.file.read(1)) + int(self.other.read(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("0", "1\n2\n3\n"), ("a", "456"), ("b", "789")):
            with open(os.path.join(folder, f"{name}.txt"), "w") as file:
                file.write(text)
        context = args.start_method if args.workers else None
        loader = DataLoader(Part(folder), num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [batch.item() for batch in loader])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
