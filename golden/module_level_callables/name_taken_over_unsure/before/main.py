import argparse
import torch
from torch.utils.data import DataLoader, Dataset


class Scale:
    def __init__(self, factor=2):
        self.factor = factor

    def __call__(self, row):
        return row * (Scale.factor if hasattr(Scale, "factor") else self.factor)


Scale = Scale()


class Rows(Dataset):
    def __init__(self, steps):
        self.steps = steps

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return self.steps[0](torch.arange(3.0) + index)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Rows([Scale]), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])
