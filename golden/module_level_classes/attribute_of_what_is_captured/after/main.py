import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class View(Dataset):
    def __init__(self, base, indices):
        self.base = base
        self.indices = indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return self.base[self.indices[index]]


class Balanced(View):
    def __init__(self, base, indices, counts, mixup, name):
        super().__init__(base, indices)
        self.mixup = mixup
        self.name = name
        self.weights = {value: 1.0 / count for value, count in counts.items()}

    def __getitem__(self, index):
        value = super().__getitem__(index)
        return torch.tensor(value * self.mixup + self.weights[value] + len(self.name))


def balanced(base, strategy, mixup):
    indices = [index for index in range(len(base)) for _ in range(2)]
    counts = {value: base.count(value) for value in base}
    name = "%s-%s" % (type(base).__name__, strategy)

    return Balanced(base, indices, counts, mixup, name)


def main(args):
    dataset = balanced([1, 2, 2, 4], "oversample", 0.5)
    found = [batch.tolist() for batch in loader(dataset, args)]
    print("RESULT", dataset.name, found)


def loader(dataset, args):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
