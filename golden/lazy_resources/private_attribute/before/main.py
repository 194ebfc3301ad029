import argparse
import tempfile

from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, path):
        self.path = path
        self.__file = open(path, "rb")
        self.size = len(self.__file.read())

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        self.__file.seek(index)
        return self.__file.read(1)[0]


def build(folder):
    path = folder + "/numbers"
    with open(path, "wb") as file:
        file.write(bytes(range(6)))
    return Numbers(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = build(folder)
        context = args.start_method if args.workers else None
        loader = DataLoader(rows, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [int(batch) for batch in loader])


if __name__ == "__main__":
    main()
