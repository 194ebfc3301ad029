import argparse
import tempfile

import h5py
from torch.utils.data import DataLoader

from moments import moments
from volumes import Volumes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        path = f"{root}/a.h5"
        with h5py.File(path, "w") as out:
            out["x"] = [1.0, 2.0, 4.0, 9.0]
        dataset = Volumes(path)
        mean, spread = moments(dataset.file)
        loader = DataLoader(
            dataset,
            batch_size=2,
            collate_fn=list,
            num_workers=args.workers,
            multiprocessing_context=context,
        )
        print("RESULT", [(value - mean) / spread for batch in loader for value in batch])


if __name__ == "__main__":
    main()
