import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, paths):
        self.images, self.masks = [zipfile.ZipFile(path) for path in paths]
        self.names = self.images.namelist()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        name = self.names[index]
        return self.images.read(name).decode() + self.masks.read(name).decode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("images.zip", "masks.zip")]
        for path in paths:
            with zipfile.ZipFile(path, "w") as archive:
                for number in range(4):
                    archive.writestr(str(number), f"{os.path.basename(path)[0]}{number}")
        loader = DataLoader(
            Pairs(paths),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [list(batch) for batch in loader])


if __name__ == "__main__":
    main()
