import argparse
import os
import tempfile

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, path):
        self.file = open(path)

    def __iter__(self):
        info = get_worker_info()
        for number, line in enumerate(self.file):
            if info is None or number % info.num_workers == info.id:
                yield float(line)


def build(root):
    path = os.path.join(root, "lines.txt")
    with open(path, "w") as out:
        out.writelines(f"{number}\n" for number in range(5))
    lines = Lines(path)
    print("first:", next(iter(lines)))
    return lines


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
