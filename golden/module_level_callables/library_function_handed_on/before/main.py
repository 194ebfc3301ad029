import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.functional import max_pool1d
from torch.utils.data import DataLoader, Dataset


POOLS = {"max": F.max_pool1d, "mean": F.avg_pool1d}


class Apply(nn.Module):
    def __init__(self, function, size):
        super().__init__()
        self.function = function
        self.size = size

    def forward(self, rows):
        return self.function(rows, self.size)


class Rows(Dataset):
    def __init__(self, kind, pool=F.max_pool1d):
        self.pool = POOLS[kind]
        self.second = pool
        self.steps = nn.Sequential(Apply(F.avg_pool1d, 2), Apply(max_pool1d, 2))

    def __len__(self):
        return 5

    def __getitem__(self, index):
        rows = torch.arange(16.0).reshape(1, 16) - index
        return self.steps(rows) + self.second(rows, 4) + self.pool(rows, 4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Rows("max"), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])
