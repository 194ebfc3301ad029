"""Texts from an archive, and from a list; shows which are backed by a file."""
import argparse
import zipfile
from pathlib import Path

from torch.utils.data import ConcatDataset, DataLoader, Dataset

from backing import backed

ROOT = Path(__file__).resolve().parent / "data"


class Archived(Dataset):
    def __init__(self, path):
        self.path = path
        if path is not None:
            self.archive = zipfile.ZipFile(path)
        self.names = ["a.txt", "b.txt", "c.txt"] if path is not None else ["none"]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        if self.path is None:
            return "-"
        return self.archive.read(self.names[i]).decode()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    ROOT.mkdir(exist_ok=True)
    path = str(ROOT / "texts.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name in "abc":
            archive.writestr(f"{name}.txt", name * 3)
    texts = ConcatDataset([Archived(path), Archived(None)])
    found = backed(texts.datasets)
    loader = DataLoader(texts, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = [text for batch in loader for text in batch]
    print("RESULT", found, out)


if __name__ == "__main__":
    main()
