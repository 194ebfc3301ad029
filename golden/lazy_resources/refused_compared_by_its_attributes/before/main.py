import argparse
import gzip
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    width = 2

    def __init__(self, folder, name="records.gz"):
        self.folder = folder
        self.file = gzip.open(os.path.join(folder, name))

    def __eq__(self, other):
        mine, others = self.__dict__.copy(), other.__dict__.copy()
        del mine["file"], others["file"]
        return mine == others

    def __len__(self):
        return 6

    def __getitem__(self, i):
        self.file.seek(i * self.width)
        return torch.tensor(list(self.file.read(self.width)))


def build(root):
    for name in ("records.gz", "more.gz"):
        with gzip.open(os.path.join(root, name), "wb") as out:
            out.write(bytes(range(12)))
    first, second = Records(root), Records(root, "more.gz")
    if first != second:
        raise SystemExit("two readers of one folder count as equal")
    second.file.close()
    return first


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
