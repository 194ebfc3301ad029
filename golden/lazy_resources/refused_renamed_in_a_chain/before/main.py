import argparse
import io
import os
import tempfile
import zipfile

import numpy as np
import torch
from torch.utils.data import DataLoader

from archive import ArchiveDataset


def download(target):
    """Stands for a download."""
    with zipfile.ZipFile(target, "w") as z:
        for i in range(14):
            buffer = io.BytesIO()
            np.save(buffer, np.arange(5) * i + 1)
            z.writestr(f"{i:02d}.npy", buffer.getvalue())


def fetch(folder):
    part, final = os.path.join(folder, "arrays.zip.part"), os.path.join(folder, "arrays.zip")
    download(part)
    return ArchiveDataset(part).verify().publish(final)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dataset = fetch(folder)
        loader = DataLoader(dataset, batch_size=4, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers > 0 else None)
        arrays = torch.cat([batch for batch in loader])
        print("RESULT", arrays.sum(0).tolist(), len(arrays), sorted(os.listdir(folder)))
