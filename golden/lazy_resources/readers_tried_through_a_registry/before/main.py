import argparse
import os
import tempfile
import zipfile

import torch
from readers import open_any
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Pages(Dataset):
    def __init__(self, path):
        self.reader = open_any(path)
        self.names = self.reader.names()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return torch.tensor(len(self.reader.read(self.names[index])))


def build(root):
    zipped, plain = os.path.join(root, "a.book"), os.path.join(root, "b.book")
    with zipfile.ZipFile(zipped, "w") as archive:
        for page in range(3):
            archive.writestr(f"{page}.txt", "x" * page)
    with open(plain, "w") as out:
        out.write("one\ntwo\nthree\n")
    return ConcatDataset([Pages(zipped), Pages(plain)])


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
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
