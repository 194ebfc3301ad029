import argparse
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Bytes(Dataset):
    def __init__(self, path, file=None):
        if file is None:
            file = open(path, "rb")
        self.size = os.fstat(file.fileno()).st_size
        self.file = file

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.bin")
        with open(path, "wb") as file:
            file.write(bytes(range(6)))
        rows = Bytes(path)
        loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
