import argparse
import os
import tempfile

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Values(IterableDataset):
    """Streams a table that begins with notes."""

    def __init__(self, path):
        self.file = open(path, encoding="utf-8")
        self.notes = []
        while True:
            line = self.file.readline()
            if not line.startswith("#"):
                break
            self.notes.append(line[1:].strip())

    def __iter__(self):
        info = get_worker_info()
        step, first = (info.num_workers, info.id) if info else (1, 0)
        number = 0
        while line := self.file.readline():
            if number % step == first:
                yield float(line)
            number += 1


def build(root):
    path = os.path.join(root, "values.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.write("# metres\n# daily\n\n")
        out.writelines(f"{number}\n" for number in range(5))
    return Values(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=1,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", sorted(batch.tolist() for batch in loader))


if __name__ == "__main__":
    main()
