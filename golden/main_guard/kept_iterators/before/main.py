import argparse

from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()


class Numbers(Dataset):
    def __init__(self, factor):
        self.factor = factor

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return i * self.factor


iterators = []
for factor in (1, 10):
    loader = DataLoader(
        Numbers(factor),
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    numbered = enumerate(loader)
    iterators.append(numbered)

rows = []
for pair in zip(*iterators):
    rows.append([(number, batch.tolist()) for number, batch in pair])
print("RESULT", rows)
