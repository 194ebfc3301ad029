import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, group, scale):
        self.frames = group["frames"]
        self.scale = scale

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, index):
        return torch.tensor(int(self.frames[index]) * self.scale)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "clips.h5")
        with h5py.File(path, "w") as file:
            file["train/frames"] = list(range(7))
        file = h5py.File(path, "r")
        frames = Frames(file["train"], 3)
        method = args.start_method if args.workers else None
        loader = DataLoader(frames, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
