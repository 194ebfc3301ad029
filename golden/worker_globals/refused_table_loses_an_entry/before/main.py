import argparse

import torch
from tables import SCALES, scale_of
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor(index * scale_of("double") + scale_of("triple"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--triple", type=int, default=3)
    args = parser.parse_args()
    SCALES["triple"] = args.triple
    del SCALES["double"]
    method = args.start_method if args.workers else None
    loader = DataLoader(Numbers(), 2, num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
