import argparse
import os
import queue
import tempfile
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self, path, threads):
        self.path = path
        if threads:
            self.free = queue.Queue()
            self.lock = threading.Lock()
        else:
            self.free = [2, 1, 0]
            self.lock = None
        for place in range(3):
            self.put(place)

    def put(self, place):
        if self.lock is None:
            self.free.append(place)
        else:
            self.free.put(place)

    def __len__(self):
        return 6

    def __getitem__(self, i):
        if self.lock is None:
            return torch.tensor(i)
        with self.lock:
            return torch.tensor(i * 2)


def build(root):
    return Counted(os.path.join(root, "places"), threads=True)


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
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
