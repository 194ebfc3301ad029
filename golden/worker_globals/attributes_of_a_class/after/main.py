import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset

from settings import Config as C

SHIFT = 0


class Rows(Dataset):
    def __init__(self, rows):
        self._shift = SHIFT
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index]) * C.scale + self._shift


def pad(batch):
    out = torch.full((len(batch), C.size), C.fill)
    for row, values in zip(out, batch):
        row[: min(len(values), C.size)] = values[: C.size]
    return out


def _init_worker(worker_id, scale, size, fill):
    C.scale = scale
    C.size = size
    C.fill = fill


def main():
    global SHIFT
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = [[float(i)] * (1 + i % 5) for i in range(8)]
    C.fit(map(len, rows), fill=-1.0)
    C.scale = 2
    SHIFT = 1
    loader = DataLoader(
        Rows(rows),
        batch_size=2,
        collate_fn=pad,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
        worker_init_fn=functools.partial(_init_worker, scale=C.scale, size=C.size, fill=C.fill),
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
