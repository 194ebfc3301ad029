import argparse
import h5py
from torch.utils.data import DataLoader, Dataset


def shorten(names):
    names.pop()


class Parts(Dataset):
    def __init__(self, path):
        self.path = path
        file = h5py.File(path, "r")
        names = ["a", "b"]
        self.parts = [file[name] for name in names]
        shorten(names)
        self.total = 6

    def __len__(self):
        return self.total

    def __getitem__(self, index):
        part = self.parts[index % len(self.parts)]
        return int(part[index % 3])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    with h5py.File("parts.h5", "w") as file:
        file["a"] = [1, 2, 3]
        file["b"] = [4, 5, 6]
    context = args.start_method if args.workers else None
    loader = DataLoader(Parts("parts.h5"), batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
