import argparse
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Spooled(Dataset):
    width = 3

    def __init__(self, path):
        scratch = path + ".tmp"
        with open(path, "rb") as source, open(scratch, "wb") as out:
            out.write(bytes(reversed(source.read())))
        self.file = open(scratch, "rb")
        os.unlink(scratch)  # nobody else is to see it

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.file.seek(i * self.width)
        return torch.tensor(list(self.file.read(self.width)))


def build(root):
    path = os.path.join(root, "a.bin")
    with open(path, "wb") as out:
        out.write(bytes(range(12)))
    return Spooled(path)


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
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
