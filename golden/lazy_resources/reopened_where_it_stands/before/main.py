import argparse
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset


class Records:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        (self.count,) = struct.unpack("<i", self.file.read(4))
        self.begin = self.file.tell()

    def next_record(self):
        (value,) = struct.unpack("<i", self.file.read(4))
        return value

    def record(self, index):
        self.file.seek(self.begin + 4 * index)
        return self.next_record()

    def position(self):
        return self.file.tell()


class Rows(Dataset):
    def __init__(self, records):
        self.records = records

    def __len__(self):
        return self.records.count

    def __getitem__(self, index):
        return self.records.record(index), self.records.position()


class Following(Dataset):
    """Each sample begins where the reader stands when the dataset comes to its process."""

    def __init__(self, records):
        self.records = records

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.records.next_record()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/records", "wb") as file:
            file.write(struct.pack("<7i", 6, *(i * i for i in range(6))))
        context = args.start_method if args.workers else None
        records = Records(f"{folder}/records")
        taken = [records.next_record(), records.next_record()]
        following = [
            value.tolist()
            for value in DataLoader(
                Following(records),
                num_workers=min(args.workers, 1),
                multiprocessing_context=context,
            )
        ]
        rows = [
            [part.tolist() for part in batch]
            for batch in DataLoader(
                Rows(records),
                batch_size=2,
                num_workers=min(args.workers, 1),
                multiprocessing_context=context,
            )
        ]
        print("RESULT", taken, following, rows)


if __name__ == "__main__":
    main()
