"""Train a small classifier of bird calls.

    python train.py --workers 2 --start-method spawn
"""

import argparse
import tempfile
from pathlib import Path

import torch
from torch import nn

from birds import archive
from birds.loaders import calls_loader, silence_loader


def train(args, path):
    """Return the loss of each epoch."""
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Linear(args.length, 16), nn.ReLU(), nn.Linear(16, len(archive.SPECIES) + 1)
    )
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loaders = [
        calls_loader(path, args.length, args.workers, args.start_method),
        silence_loader(args.length, args.workers, args.start_method),
    ]
    history = []
    for _ in range(args.epochs):
        total = 0.0
        for loader in loaders:
            for calls, labels in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(network(calls), labels)
                loss.backward()
                optimizer.step()
                total += loss.item()
        history.append(round(total, 4))
    return history


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--length", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.db"
        archive.build(path)
        print("RESULT", train(args, path))


if __name__ == "__main__":
    main()
