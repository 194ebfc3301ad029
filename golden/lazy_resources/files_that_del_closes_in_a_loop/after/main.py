import argparse
import pickle
import tempfile

from torch.utils.data import DataLoader, Dataset


class Indexed(Dataset):
    def __init__(self, path, parts):
        self.path = path
        self.index = open(f"{path}.index", "rb")
        self.offsets = pickle.load(self.index)
        self.files = [self.index]
        for part in range(parts):
            self.files.append(open(f"{path}.{part}", "rb"))

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("index", None)  # only the parent process uses it
        state["files"] = []
        return state

    def __len__(self):
        return len(self.offsets)

    def __getitem__(self, index):
        with open(f"{self.path}.0", "rb") as file:
            file.seek(self.offsets[index])
            return file.read(1)[0]

    def __del__(self):
        for file in self.files:
            file.close()


def write(path):
    with open(f"{path}.index", "wb") as file:
        pickle.dump([5, 3, 1, 0], file)
    for part in range(2):
        with open(f"{path}.{part}", "wb") as file:
            file.write(bytes(range(10, 20)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/data")
        loader = DataLoader(
            Indexed(f"{folder}/data", 2),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
