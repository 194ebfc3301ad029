import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = torch.tensor([index])
        return value if self.transform is None else self.transform(value)


class Double(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Items(torch.jit.script(Double()))
    loader = DataLoader(
        dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
