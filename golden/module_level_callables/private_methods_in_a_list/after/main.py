import argparse

from torch.utils.data import DataLoader, Dataset


class Augment:
    def __init__(self, factor):
        self.factor = factor
        self.steps = [self._scaled]

    def _scaled(self, value):
        return value * self.factor

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Rows(Augment(3)),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
