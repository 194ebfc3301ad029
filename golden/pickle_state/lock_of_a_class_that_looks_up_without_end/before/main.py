import argparse
import threading

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        if (lock := threading.Lock()) is not None:
            self.lock = lock

    def __getattr__(self, name):
        return getattr(self.lock, name)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        with self.lock:
            return index * 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Rows()
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
