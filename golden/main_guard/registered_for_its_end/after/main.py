import argparse
import atexit
import os
import shutil
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.from_numpy(np.load(self.path)[index])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()

    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    np.save(os.path.join(folder, "rows.npy"), np.arange(12.0).reshape(6, 2))

    loader = DataLoader(
        Rows(os.path.join(folder, "rows.npy")),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", sum(float(batch.sum()) for batch in loader))
