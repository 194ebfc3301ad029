import argparse
import os
import tempfile

import torch
from torch.utils.data import DataLoader

from mixture import Mixture
from shards import Shard, write_shard

RECIPE = [("common", 12), ("rare", 5), ("web", 9), ("rare", 5)]


def build_mixture(root, recipe):
    for seed, name in enumerate(sorted({name for name, _ in recipe})):
        write_shard(os.path.join(root, name + ".bin"), seed, dict(recipe)[name])
    return Mixture(Shard(os.path.join(root, name + ".bin"), items) for name, items in recipe)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--start-method", default="spawn", choices=["fork", "spawn", "forkserver"])
    ap.add_argument("--batch-size", type=int, default=6)
    args = ap.parse_args()

    with tempfile.TemporaryDirectory() as root:
        mixture = build_mixture(root, RECIPE)
        layout = mixture.layout()
        loader = DataLoader(
            mixture,
            batch_size=args.batch_size,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        column = torch.zeros(8, dtype=torch.long)
        for batch in loader:
            column += batch.sum(0)
        for shard in mixture.shards:
            shard.close()
    print("RESULT", column.tolist(), "layout", layout)


if __name__ == "__main__":
    main()
