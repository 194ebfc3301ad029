import argparse
import functools

from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, words, vocabulary):
        self.words = words
        self.unknown = len(vocabulary)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return self.words[index]


def _collate_fn(batch, *, vocabulary, dataset):
    return [vocabulary.get(word, dataset.unknown) for word in batch]


def main(args):
    if args.letters:
        vocabulary = {letter: i for i, letter in enumerate(args.letters)}
    elif args.words:
        vocabulary = {word: i for i, word in enumerate(args.words)}

    dataset = Words(["a", "c", "b", "x"], vocabulary)

    loader = DataLoader(
        dataset,
        batch_size=2,
        collate_fn=functools.partial(_collate_fn, vocabulary=vocabulary, dataset=dataset),
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", list(loader))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--letters", default="abc")
    parser.add_argument("--words", nargs="*")
    main(parser.parse_args())
