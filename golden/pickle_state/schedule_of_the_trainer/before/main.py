import argparse

from torch.utils.data import DataLoader, Dataset


def linear(start, end, steps):
    for step in range(steps):
        yield start + (end - start) * step / max(1, steps - 1)
    while True:
        yield end


class Curriculum(Dataset):
    def __init__(self, difficulties, limits):
        self.difficulties = sorted(difficulties)
        self.limits = limits
        self.advance()

    def advance(self):
        """Called by the trainer between epochs."""
        self.limit = next(self.limits)
        self.active = sum(each <= self.limit for each in self.difficulties)

    def __len__(self):
        return self.active

    def __getitem__(self, index):
        return self.difficulties[index]


class Builder:
    def __init__(self, count):
        self.difficulties = [(7 * index) % count for index in range(count)]

    def as_dataset(self):
        return Curriculum(self.difficulties, linear(4.0, 12.0, 3))


def load(count):
    return Builder(count).as_dataset()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default=None)
    args = parser.parse_args()
    dataset = load(16)
    seen = []
    for _ in range(3):
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        seen.append(sum(int(batch.sum()) for batch in loader))
        dataset.advance()
    print("RESULT", seen)


if __name__ == "__main__":
    main()
