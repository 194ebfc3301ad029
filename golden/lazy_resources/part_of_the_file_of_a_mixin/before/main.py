import argparse
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Stored:
    file: h5py.File

    def open_file(self, path, **options):
        self.path = path
        self.options = options
        self.file = h5py.File(path, "r", **options)
        self.x = self.file["x"]

    def close(self):
        if self.file:
            self.file.close()


class Rows(Stored, Dataset):
    def __init__(self, path):
        self.open_file(path, rdcc_nbytes=1 << 16)
        self.indices = list(range(len(self.x)))

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return int(self.x[self.indices[index]])


class Marked(Rows):
    def __init__(self, path, least):
        super().__init__(path)
        self.marks = self.file["marks"]
        self.indices = [each for each in self.indices if self.marks[each] >= least]

    def __getitem__(self, index):
        return super().__getitem__(index) * int(self.marks[self.indices[index]])


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
        file["marks"] = [i % 3 for i in range(6)]
    return Marked(f"{folder}/a", least=1)


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
        dataset.close()


if __name__ == "__main__":
    main()
