import argparse

import torch
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()
text = "the quick brown fox jumps over the lazy dog"
letters = list(set(text))
numbers = {letter: number for number, letter in enumerate(letters)}


class Letters(Dataset):
    def __len__(self):
        return len(text)

    def __getitem__(self, i):
        return torch.tensor(numbers[text[i]])


loader = DataLoader(
    Letters(),
    batch_size=50,
    num_workers=args.workers,
    multiprocessing_context=args.start_method if args.workers else None,
)
print("RESULT", ["".join(letters[i] for i in batch.tolist()) for batch in loader])
