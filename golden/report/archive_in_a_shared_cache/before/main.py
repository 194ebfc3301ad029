import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset

_archives = {}


def archive(path):
    if path not in _archives:
        _archives[path] = zipfile.ZipFile(path)
    return _archives[path]


class Notes(Dataset):
    def __init__(self, path):
        self.path = path
        self.names = sorted(archive(path).namelist())

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return archive(self.path).read(self.names[index])[0]


def create(path):
    with zipfile.ZipFile(path, "w") as notes:
        for index in range(4):
            notes.writestr(f"{index}.txt", bytes([index]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "notes.zip")
        create(path)
        context = args.start_method if args.workers else None
        notes = Notes(path)
        loader = DataLoader(notes, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [int(note) for note in loader])


if __name__ == "__main__":
    main()
