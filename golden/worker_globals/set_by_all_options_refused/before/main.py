import argparse

import torch
from torch.utils.data import DataLoader, Dataset

import settings


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return min(index * 20, settings.clip)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--clip", type=int, default=60)
    parser.add_argument("--min-size", type=int)
    args = parser.parse_args()
    settings.update(**vars(args))

    def collate(rows):
        return torch.tensor(rows)

    loader = DataLoader(Rows(), batch_size=4, num_workers=args.workers, collate_fn=collate,
                        multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
