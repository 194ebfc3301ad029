import argparse

from torch.utils.data import DataLoader, Dataset

MODE = "plain"
LIMITS = [0]


def choose(mode, limit):
    global MODE
    MODE = mode
    LIMITS[0] = limit


class Table:
    def __init__(self, values):
        self.values = values


class Rows(Table, Dataset):
    def __init__(self, values):
        self._limits = LIMITS
        self._mode_2 = MODE
        self._mode = 1
        super().__init__(values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        best = max(self.values[index], self._limits[0]) + self._mode
        return best * (10 if self._mode_2 == "large" else 1)


class Reversed(Rows):
    def __init__(self, values):
        super().__init__(values[::-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    choose("large", 3)
    rows = Reversed([1, 2, 3, 4, 5])
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
