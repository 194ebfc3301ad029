import argparse

from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self):
        self.numbers = list(range(6))
        self.prepare()

    def prepare(self):
        pass

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.numbers[index]


def make_loader(args, by=3):
    class Scaled(Numbers):
        def prepare(self):
            self.numbers = [each * by for each in self.numbers]

    context = args.start_method if args.workers else None
    return DataLoader(
        Scaled(), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
