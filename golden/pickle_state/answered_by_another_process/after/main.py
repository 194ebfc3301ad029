import argparse
import multiprocessing

from torch.utils.data import DataLoader, Dataset


class Remote:
    def __init__(self, value):
        self.value = value
        self.answers = {"double": 2 * value, "square": value * value}

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __getattr__(self, name):
        if name not in self.answers:
            raise AttributeError(name)
        return self.answers.get(name)


class Rows(Dataset):
    def __init__(self, remote):
        self.remote = remote

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.remote.double + self.remote.square * index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Rows(Remote(3)),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", multiprocessing.current_process().name, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
