import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, images, masks):
        self._images_by_pid, self._masks_by_pid = {os.getpid(): images}, {os.getpid(): masks}
        self._masks_name = masks.filename
        self._images_name = images.filename
        self.names = images.namelist()

    @property
    def masks(self):
        pid = os.getpid()
        if pid not in self._masks_by_pid:
            self._masks_by_pid[pid] = zipfile.ZipFile(self._masks_name)
        return self._masks_by_pid[pid]

    @property
    def images(self):
        pid = os.getpid()
        if pid not in self._images_by_pid:
            self._images_by_pid[pid] = zipfile.ZipFile(self._images_name)
        return self._images_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_images_by_pid"] = {}  # each process opens its own
        state["_masks_by_pid"] = {}
        return state

    @classmethod
    def in_folder(cls, folder):
        images = zipfile.ZipFile(os.path.join(folder, "images.zip"))
        return cls(images, zipfile.ZipFile(os.path.join(folder, "masks.zip")))

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
        for kind in ("images", "masks"):
            with zipfile.ZipFile(os.path.join(folder, f"{kind}.zip"), "w") as archive:
                for number in range(4):
                    archive.writestr(str(number), f"{kind[0]}{number}")
        pairs = Pairs.in_folder(folder)
        loader = DataLoader(
            pairs,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [list(batch) for batch in loader], len(pairs.masks.namelist()))


if __name__ == "__main__":
    main()
