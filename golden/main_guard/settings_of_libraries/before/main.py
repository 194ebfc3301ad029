import argparse
import os
import random
import warnings

os.environ["OMP_NUM_THREADS"] = "1"

import torch
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
random.seed(0)

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()

print("RESULT", os.path.expandvars("$DLFIX_MARK"))
os.environ["DLFIX_MARK"] = "set"


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
print("RESULT", [batch.tolist() for batch in loader])
