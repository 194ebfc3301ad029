import argparse
import functools
import torch
from torch.utils.data import DataLoader, TensorDataset


def smooth(batch, window):
    return torch.stack([b[0] for b in batch]) * window


class Sweep:
    def __init__(self, data, args):
        self.data, self.args, self.history = data, args, {}

    def evaluate(self, loader):
        peak, total = 0, 0.0
        for block in loader:
            total += block.sum().item()
            peak = max(peak, int(block.max()))
        return peak, total / len(loader)

    def run(self):
        for window in (2, 3):
            loader = DataLoader(self.data, batch_size=4, num_workers=self.args.workers,
                multiprocessing_context=self.args.start_method if self.args.workers else None,
                collate_fn=functools.partial(smooth, window=window))
            self.history[window] = self.evaluate(loader)
        return self.history


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    data = TensorDataset(torch.arange(12))
    history = Sweep(data, args).run()
    print("RESULT", sorted(history.items()))


if __name__ == "__main__":
    main()
