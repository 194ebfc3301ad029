import argparse
import os

import h5py
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.file["frames"][index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    path = f"frames-{os.getpid()}.h5"
    with h5py.File(path, "w") as file:
        file["frames"] = range(6)
    frames = Frames(path)
    loader = DataLoader(frames, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    total, batches = 0, []
    for batch in loader:
        total += batch.sum().item()
        batches.append(batch)
    os.remove(path)
    print("RESULT", total, [batch.tolist() for batch in batches])


if __name__ == "__main__":
    main()
