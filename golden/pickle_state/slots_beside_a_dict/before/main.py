import argparse
import threading

from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    __slots__ = ("numbers", "lock")

    def __init__(self, numbers):
        self.numbers = numbers
        self.lock = threading.Lock()
        self.step = 10

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        with self.lock:
            return self.numbers[index] + self.step


class Sized:
    __slots__ = ("size",)

    def __len__(self):
        return self.size


class Squares(Sized):
    def __init__(self, size):
        self.size = size
        self.lock = threading.RLock()

    def __getitem__(self, index):
        with self.lock:
            return index * index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    for dataset in (Counted([4, 5, 6, 7]), Squares(5)):
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
