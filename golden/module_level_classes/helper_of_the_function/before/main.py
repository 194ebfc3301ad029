import argparse

import torch
from torch.utils.data import DataLoader

from series import windows

ap = argparse.ArgumentParser()
ap.add_argument("--workers", type=int, default=0)
ap.add_argument("--start-method", default="spawn")


def run(args):
    t = torch.arange(30.0)
    data = windows(t.remainder(7) + t / 10, size=5, step=3)
    loader = DataLoader(data, batch_size=4, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for x, y in loader:
        out.append((round(x.sum().item(), 4), [round(v, 4) for v in y.tolist()]))
    return out


if __name__ == "__main__":
    print("RESULT", run(ap.parse_args()))
