import argparse
import contextlib

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.stack = contextlib.ExitStack()
        self.arrays = self.stack.enter_context(np.load(self.path))

    def close(self):
        self.stack.close()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.arrays[f"a{index}"])


class Doubled(Rows):
    def __init__(self, path):
        super().__init__(path)
        self.path = "described elsewhere"

    def __getitem__(self, index):
        return super().__getitem__(index) * 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    np.savez("rows.npz", **{f"a{at}": at for at in range(6)})
    rows = Doubled("rows.npz")
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])
    rows.close()


if __name__ == "__main__":
    main()
