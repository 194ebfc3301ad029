import argparse

from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()

SQUARES = [i * i for i in range(6)]
NAMES = {i: str(i) for i in SQUARES}


class Rows(Dataset):
    def __len__(self):
        return len(SQUARES)

    def __getitem__(self, index):
        return len(NAMES[SQUARES[index]])


loader = DataLoader(
    Rows(),
    batch_size=2,
    num_workers=args.workers,
    multiprocessing_context=args.start_method if args.workers else None,
)
totals = []
for epoch in range(2):
    totals.append(sum(int(batch.sum()) for batch in loader))
shown = [totals[i] for i in range(len(totals))]
print("RESULT", shown)
