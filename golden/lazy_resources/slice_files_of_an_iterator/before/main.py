import argparse
import itertools
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths):
        self.archives = []
        for path in paths:
            self.archives.append(zipfile.ZipFile(path))
        if not self.archives:
            raise ValueError("no archives")
        self.ends = list(itertools.accumulate(len(each.namelist()) for each in self.archives))

    def __len__(self):
        return self.ends[-1]

    def __getitem__(self, index):
        number = sum(index >= end for end in self.ends)
        first = self.ends[number - 1] if number else 0
        return int(self.archives[number].read(str(index - first)))

    def close(self):
        for archive in self.archives:
            archive.close()

    def __del__(self):
        for archive in getattr(self, "archives", ()):
            archive.close()


def build(folder):
    for number in range(2):
        with zipfile.ZipFile(f"{folder}/{number}.zip", "w") as archive:
            for i in range(3):
                archive.writestr(str(i), str(number * 10 + i))
    return Rows(f"{folder}/{number}.zip" for number in range(2))


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
