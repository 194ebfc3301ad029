import argparse
import bisect
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Shards(Dataset):
    def __init__(self, root, mode="train"):
        self.root = root
        self.shards = []
        self.ends = []
        self.load(mode)

    def load(self, mode):
        names = sorted(os.listdir(self.root))
        names = names[:-1] if mode == "train" else names[-1:]
        for name in names:
            shard = np.load(os.path.join(self.root, name))
            self.shards.append(shard)
            start = self.ends[-1] if self.ends else 0
            self.ends.append(start + len(shard.files))

    def __len__(self):
        return self.ends[-1]

    def __getitem__(self, i):
        shard = bisect.bisect_right(self.ends, i)
        first = self.ends[shard - 1] if shard else 0
        return torch.as_tensor(self.shards[shard][str(i - first)])

    def __del__(self):
        for shard in self.shards:
            shard.close()


class EvalShards(Shards):
    def __init__(self, root):
        super().__init__(root, "eval")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        for number, size in enumerate((2, 3, 1)):
            arrays = {str(i): np.array([number, i]) for i in range(size)}
            np.savez(os.path.join(root, f"{number}.npz"), **arrays)
        for dataset in (Shards(root), EvalShards(root)):
            os.makedirs(os.path.join(root, f"out-{len(dataset)}"))  # listed, if asked again
            loader = DataLoader(
                dataset,
                batch_size=2,
                num_workers=args.workers,
                multiprocessing_context=args.start_method if args.workers else None,
            )
            print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
