import argparse
import functools
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, paths):
        self.paths = paths

    @functools.cached_property
    def archives(self):
        return [zipfile.ZipFile(path) for path in self.paths]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archives", None)  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.archives[index % 2].read(f"{index}.txt"))


def make(path):
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(6):
            archive.writestr(f"{i}.txt", str(i * i))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items([path, path])
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
