import argparse

import numpy as np
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()

SEED = 7
numbers = np.random.default_rng(SEED)
rows = numbers.integers(0, 50, 6)
mean = int(rows.mean())


class Rows(Dataset):
    def __len__(self):
        return len(rows)

    def __getitem__(self, index):
        return int(rows[index]) - mean


def more():
    return numbers.integers(0, 50, 2).tolist()


loader = DataLoader(
    Rows(),
    batch_size=2,
    num_workers=args.workers,
    multiprocessing_context=args.start_method if args.workers else None,
)
print("RESULT", [batch.tolist() for batch in loader], more())
