import argparse
import tarfile
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        if path.endswith(".zip"):
            self.archive = zipfile.ZipFile(path)
            self.names = sorted(self.archive.namelist())
            self.read = self.archive.read
        else:
            self.archive = tarfile.open(path)
            self.names = sorted(self.archive.getnames())
            self.read = self._extract

    def _extract(self, name):
        return self.archive.extractfile(name).read()

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
