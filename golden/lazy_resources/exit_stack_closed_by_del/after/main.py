import argparse
import functools
import tempfile
from contextlib import ExitStack

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, text, labels):
        self._text_path = text
        self._labels_path = labels

    @functools.cached_property
    def exits(self):
        return ExitStack()

    @functools.cached_property
    def text(self):
        return self.exits.enter_context(open(self._text_path, "rb"))

    @functools.cached_property
    def labels(self):
        return self.exits.enter_context(open(self._labels_path, "rb"))

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("exits", None)  # each process opens its own
        state.pop("text", None)
        state.pop("labels", None)
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.text.seek(index)
        self.labels.seek(index)
        return int(self.text.read(1)) * 10 + int(self.labels.read(1))

    def __del__(self):
        if "exits" in self.__dict__:
            self.exits.close()


def build(folder):
    for name in "ab":
        with open(f"{folder}/{name}", "w") as file:
            file.write("012345" if name == "a" else "543210")
    return Rows(f"{folder}/a", f"{folder}/b")


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
