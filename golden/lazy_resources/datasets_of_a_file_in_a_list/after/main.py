import argparse
import functools
import h5py
from torch.utils.data import DataLoader, Dataset


class Parts(Dataset):
    def __init__(self, path):
        self.path = path
        with h5py.File(self.path, "r") as file:
            self.sizes = [len(part) for part in file.values()]
            self.first = [part[0] for part in file.values()]

    @functools.cached_property
    def _file(self):
        return h5py.File(self.path, "r")

    @functools.cached_property
    def parts(self):
        return list(self._file.values())

    @functools.cached_property
    def named(self):
        return {name: part for name, part in self._file.items()}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_file", None)  # each process opens its own
        state.pop("parts", None)
        state.pop("named", None)
        return state

    def __len__(self):
        return sum(self.sizes)

    def __getitem__(self, index):
        part = self.parts[index % 2]
        return int(part[index // 2]) + int(self.named["a"][0]) + int(self.first[0])


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
