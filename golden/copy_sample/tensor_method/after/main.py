import argparse
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, number):
        self.rows = torch.ones(number, 3)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index].clone()
        row.mul_(2).add_(index)
        return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Rows(4)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [[row.tolist() for row in loader] for _ in range(2)])


if __name__ == "__main__":
    main()
