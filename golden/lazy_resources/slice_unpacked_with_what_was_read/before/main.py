import argparse
import io
import tarfile
import tempfile

from torch.utils.data import DataLoader, Dataset


def open_archive(path):
    """Return an archive, and where each member begins."""
    archive = tarfile.open(path)
    return archive, {each.name: (each.offset_data, each.size) for each in archive}


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.archive, self.places = open_archive(path)
        self.raw = self.archive.fileobj
        self.names = sorted(self.places)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        offset, size = self.places[self.names[index]]
        self.raw.seek(offset)
        return int(self.raw.read(size))


def build(folder):
    with tarfile.open(f"{folder}/a.tar", "w") as archive:
        for i in range(6):
            data = str(i * i).encode()
            info = tarfile.TarInfo(f"{i}.txt")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return Rows(f"{folder}/a.tar")


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


if __name__ == "__main__":
    main()
