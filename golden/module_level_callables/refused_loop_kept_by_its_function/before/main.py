import argparse
import torch
from torch.utils.data import DataLoader, TensorDataset


def smooth(batch, window):
    return torch.stack([b[0] for b in batch]) * window


KEPT = []


def evaluate(loader):
    total = 0
    KEPT.append(loader)
    for block in loader:
        total += int(block.sum())
    return total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    data = TensorDataset(torch.arange(12))
    history = {}
    for window in (2, 3):
        loader = DataLoader(data, batch_size=4, num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
            collate_fn=lambda batch: smooth(batch, window))
        history[window] = evaluate(loader)
    print("RESULT", sum(int(b.sum()) for l in KEPT for b in l), sorted(history.items()))


if __name__ == "__main__":
    main()
