import argparse
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    """Values in a member of a zip that follows a line of text."""

    def __init__(self, path, member="values"):
        self.path = path
        self.raw = open(path, "rb")
        self.note = self.raw.readline().decode().strip()
        self.archive = zipfile.ZipFile(self.raw)
        self.count = self.archive.getinfo(member).file_size
        self.values = self.archive.open(member)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.values.seek(index)
        return self.values.read(1)[0]

    def close(self):
        self.values.close()
        self.archive.close()
        self.raw.close()


def build(folder):
    with open(f"{folder}/a.zip", "wb") as file:
        file.write(b"six squares\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("values", bytes(i * i for i in range(6)))
    return Rows(f"{folder}/a.zip")


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
