import argparse
import importlib

import tasks
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, task):
        self.task = task

    def __getstate__(self):
        state = self.__dict__.copy()
        state["task"] = self.task.__name__  # a module is pickled by its name
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.task = importlib.import_module(self.task)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.task.scaled(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Rows(tasks)
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
