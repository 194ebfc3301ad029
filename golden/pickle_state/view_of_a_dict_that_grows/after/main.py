import argparse
from collections import defaultdict

from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.index = defaultdict(int)
        self.words = self.index.keys()
        for text in texts:
            self.add(text)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("words", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.words = self.index.keys()

    def add(self, text):
        for word in text.split():
            self.index[word] += 1

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return len(self.words) + self.index[self.texts[i].split()[0]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Words(["a rose", "is a", "rose"]),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
