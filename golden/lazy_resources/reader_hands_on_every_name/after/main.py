import argparse
import os
import tempfile
import zipfile

import torch
from reader import ArchiveReader
from torch.utils.data import DataLoader, Dataset


class Archive(Dataset):
    def __init__(self, path):
        self.reader = ArchiveReader(path)
        self.names = [n for n in self.reader.names() if n.endswith(".txt")]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.tensor(float(self.reader.read(self.names[i])))


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as z:
        for i in range(8):
            z.writestr(f"{i}.txt", str(i * 3))
    return Archive(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
