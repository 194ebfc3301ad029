import argparse
import multiprocessing as mp

from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self, values):
        self.values = values
        self.seen = mp.Value("i", 0)  # how many samples all workers have given

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        with self.seen.get_lock():
            self.seen.value += 1
        return self.values[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Counted([3, 1, 2])
    workers = {"num_workers": args.workers}
    if args.workers:
        loader = DataLoader(rows, multiprocessing_context="spawn", **workers)
    else:
        loader = DataLoader(rows)
    print("RESULT", [batch.tolist() for batch in loader], rows.seen.value)


if __name__ == "__main__":
    main()
