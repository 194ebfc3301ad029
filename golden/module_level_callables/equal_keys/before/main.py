import argparse

from torch.utils.data import DataLoader, Dataset


class Weighted(Dataset):
    def __init__(self, scale):
        self.weights = {lambda x: x * 2: 1, lambda x: x * 2: 5}
        self.weights[lambda x: x * scale] = 3
        self.parts = {lambda x: x - 1, lambda x: x - 1}

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return sum(f(i) * w for f, w in self.weights.items()) + sum(f(i) for f in self.parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Weighted(3), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
