import argparse
from torch.utils.data import DataLoader, Dataset


def double(sample):
    sample["x"] = sample["x"] * 2
    return sample


class Doubled(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = dict(self.samples[index])
        return double(sample)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Doubled([{"x": n} for n in range(1, 5)])
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
