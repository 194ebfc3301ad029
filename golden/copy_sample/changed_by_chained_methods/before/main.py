import argparse

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Filters:
    drift = 0.5

    def _detrend(self, row):
        row -= self.drift * row[0]
        return row

    def _scale(self, row, gain):
        np.multiply(row, gain, out=row)
        return row


class Rows(Filters, Dataset):
    def __init__(self, count):
        self.signal = np.asarray(range(count * 4), dtype=np.float32).reshape(count, 4)

    def __len__(self):
        return len(self.signal)

    def __getitem__(self, index):
        row = self.signal[index]
        row = self._scale(self._detrend(row), 2.0)
        return torch.from_numpy(row.copy())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(Rows(4), batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [[rows.tolist() for rows in loader] for _ in range(2)])


if __name__ == "__main__":
    main()
