import argparse
import copy
from torch.utils.data import DataLoader, Dataset


class Scaled(Dataset):
    def __init__(self):
        self.data = [{"x": 1}, {"x": 2}]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        sample = copy.deepcopy(self.data[index])
        # twice as much
        sample["x"] *= 2
        return sample


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Scaled()
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
