import argparse
import io

import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getstate__(self):
        state = self.__dict__.copy()
        if isinstance(self.transform, torch.jit.ScriptModule):
            buffer = io.BytesIO()
            torch.jit.save(self.transform, buffer)
            state["transform"] = buffer.getvalue()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if isinstance(self.transform, bytes):
            self.transform = torch.jit.load(io.BytesIO(self.transform))

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
