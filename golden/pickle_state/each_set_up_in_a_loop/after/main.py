import argparse
import tempfile
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Ready(Dataset):
    def __init__(self, n, names=("a", "b")):
        self.n = n
        self.names = names
        self.events = {name: threading.Event() for name in names}
        for event in self.events.values():
            event.set()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("events", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.events = {name: threading.Event() for name in self.names}
        for event in self.events.values():
            event.set()

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor(float(i) + sum(e.is_set() for e in self.events.values()))


def build(root):
    return Ready(8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
