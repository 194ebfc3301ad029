import argparse

from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, words, vocabulary):
        self.words = words
        self.unknown = len(vocabulary)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return self.words[index]


def main(args):
    if args.letters:
        vocabulary = {letter: i for i, letter in enumerate(args.letters)}
    elif args.words:
        vocabulary = {word: i for i, word in enumerate(args.words)}

    dataset = Words(["a", "c", "b", "x"], vocabulary)

    def collate_fn(batch):
        return [vocabulary.get(word, dataset.unknown) for word in batch]

    loader = DataLoader(
        dataset,
        batch_size=2,
        collate_fn=collate_fn,
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
