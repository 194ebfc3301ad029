import argparse

import settings
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, values):
        self._scale = settings.scale
        self.values = list(values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index] * self._scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    settings.configure(scale=5)
    loader = DataLoader(
        Rows(range(1, 6)),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
