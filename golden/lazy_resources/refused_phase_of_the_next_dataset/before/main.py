import argparse
import tempfile
from dataclasses import dataclass

import h5py
from torch.utils.data import ConcatDataset, DataLoader

from scans import Scans


@dataclass
class Config:
    root: str
    phase: str = "train"


def build(root):
    for phase, start in (("train", 0), ("valid", 50)):
        with h5py.File(f"{root}/{phase}.h5", "w") as out:
            out["x"] = range(start, start + 3)
    config, parts = Config(root), []
    for phase in ("train", "valid"):
        config.phase = phase
        parts.append(Scans(config))
    return ConcatDataset(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root), batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
