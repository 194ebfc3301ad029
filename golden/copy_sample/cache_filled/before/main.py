import argparse
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self):
        self.samples = [{"n": 1}, {"n": 2}]
        self.cache = {}

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = self.samples[index]["n"] * 2
        sample = self.samples[index]
        if "twice" not in sample:
            sample["twice"] = self.cache[index]
        return sample


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Cached()
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
