import argparse

import torch
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()


def announce(count):
  print("steps", count)


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.tensor(i * 2)


loader = DataLoader(
    Numbers(),
    batch_size=2,
    num_workers=args.workers,
    multiprocessing_context=args.start_method if args.workers else None,
)
seen = []
for step, batch in enumerate(loader):
    if step:
        announce(step)
    seen.append(batch.tolist())
print("RESULT", seen)
