import argparse
import os
import sys

from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()
with open("values.txt", "w") as out:
    out.write("5")
K = int(open("values.txt").read())


class Items(Dataset):
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index] * K


rows = Items(list(range(6)))
loader = DataLoader(
    rows,
    batch_size=2,
    num_workers=args.workers,
    multiprocessing_context=args.start_method if args.workers else None,
)
out = []
for batch in loader:
    out.append(batch.tolist())
print("RESULT", out)
