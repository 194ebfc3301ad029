import argparse
import functools
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        with zipfile.ZipFile(self.path) as archive:
            self.names = sorted(archive.namelist())

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self.path)

    @functools.cached_property
    def read(self):
        return self.archive.read

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        state.pop("read", None)
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return int(self.read(self.names[index]))


def build(folder):
    path = folder + "/data.zip"
    with zipfile.ZipFile(path, "w") as file:
        for i in range(6):
            file.writestr(f"{i}", str(i * i))
    return Rows(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
