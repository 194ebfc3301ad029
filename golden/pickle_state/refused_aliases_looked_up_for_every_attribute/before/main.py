import argparse
import threading

from torch.utils.data import DataLoader, Dataset


class Renamed(Dataset):
    """Old names of attributes go on working."""

    def __init__(self, values):
        self.aliases = {"data": "values"}
        self.values = values
        self.lock = threading.Lock()

    def __getattribute__(self, name):
        aliases = {} if name in ("aliases", "__dict__", "__class__") else self.aliases
        return object.__getattribute__(self, aliases.get(name, name))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        with self.lock:
            return self.data[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Renamed([3, 1, 4, 1]),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=context,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
