import argparse
import os
import tempfile
import io
import functools

import torch
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, path):
        self.path = path
        self.n = 4

    @functools.cached_property
    def text(self):
        raw = open(self.path, "rb")
        return io.TextIOWrapper(raw, encoding="utf-8")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("text", None)  # each process opens its own
        return state

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        self.text.seek(i * 2)
        return torch.tensor(int(self.text.readline() or 0))

    def __del__(self):
        if "text" in self.__dict__:
            self.text.close()


def build(root):
    paths = []
    for i, n in enumerate("abc"):
        path = os.path.join(root, n + ".txt")
        with open(path, "w") as f:
            f.write("".join(f"{10 * i + k}\n" for k in range(4)))
        paths.append(path)
    return Data(paths[0])


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as root:
        data = build(root)
        loader = DataLoader(data, batch_size=3, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        print("RESULT", len(data), [b.tolist() for b in loader])
