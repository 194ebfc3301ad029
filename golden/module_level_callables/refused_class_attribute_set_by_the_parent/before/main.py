import argparse

from torch.utils.data import DataLoader, Dataset


class Offset:
    def __init__(self, value):
        self.value = value


class Scale:
    bias = Offset(3)


class Items(Dataset):
    def __init__(self, count, transform):
        self.count = count
        self.transform = transform

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.transform(index)


def batches(workers, context):
    items = Items(6, lambda value: value * 2 + Scale.bias.value)
    Scale.bias = Offset(5)
    loader = DataLoader(items, batch_size=2, num_workers=workers, multiprocessing_context=context)
    return [batch.tolist() for batch in loader]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    print("RESULT", batches(args.workers, context))


if __name__ == "__main__":
    main()
