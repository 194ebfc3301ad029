import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    """Pages of several archives."""

    def __init__(self, archives, pages):
        self.archives = archives
        self.pages = pages

    @classmethod
    def from_folder(cls, folder, pages):
        archives = {}
        for name, _ in pages:
            if name not in archives:
                archives[name] = zipfile.ZipFile(os.path.join(folder, name))
        return cls(archives, pages)

    def __len__(self):
        return len(self.pages)

    def __getitem__(self, index):
        name, page = self.pages[index]
        return len(self.archives[name].read(page))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages = []
        for number in range(2):
            with zipfile.ZipFile(os.path.join(folder, f"{number}.zip"), "w") as archive:
                for page in ("a", "b", "c"):
                    archive.writestr(page, page * (number + 3))
                    pages.append((f"{number}.zip", page))
        method = args.start_method if args.workers else None
        dataset = Pages.from_folder(folder, pages)
        loader = DataLoader(dataset, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
