import argparse
import tempfile
from contextlib import ExitStack

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, text):
        with ExitStack() as stack:
            self.text = stack.enter_context(open(text, "rb"))
            self.size = len(self.text.read())
            self.stack = stack.pop_all()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.text.seek(index)
        return int(self.text.read(1))

    def close(self):
        self.stack.close()


def build(folder):
    for name in "ab":
        with open(f"{folder}/{name}", "w") as file:
            file.write("012345" if name == "a" else "543210")
    return Rows(f"{folder}/a")


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
