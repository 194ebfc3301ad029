import argparse

import cfg
from paths import folder
from torch.utils.data import DataLoader, Dataset

cfg.load()
FOLDER = folder("train")


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return f"{FOLDER}/{index}"


parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()
loader = DataLoader(Rows(), batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
print("RESULT", list(loader))
