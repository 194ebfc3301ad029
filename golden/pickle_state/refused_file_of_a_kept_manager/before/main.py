import argparse
import contextlib
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


@contextlib.contextmanager
def managed(path):
    with open(path) as file:
        yield file


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.manager = managed(path)
        self.lines = self.manager.__enter__()

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.lines.seek(2 * index)
        return int(self.lines.readline())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        with open(path, "w") as file:
            file.write("1\n2\n3\n4\n")
        loader = DataLoader(
            Rows(path), batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
