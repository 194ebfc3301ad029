import argparse
import os
import tempfile
import json
import types

import torch
from torch.utils.data import DataLoader, Dataset

CODECS = {"json": json}


class Data(Dataset):
    def __init__(self, cfg):
        self._codec_kind = cfg.kind
        self.codec = CODECS[cfg.kind]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("codec", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.codec = CODECS[self._codec_kind]

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return torch.tensor(self.codec.loads(str(i)))


def build(root):
    paths = []
    for i, n in enumerate("abc"):
        path = os.path.join(root, n + ".txt")
        with open(path, "w") as f:
            f.write("".join(f"{10 * i + k}\n" for k in range(4)))
        paths.append(path)
    return Data(types.SimpleNamespace(kind="json"))


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
