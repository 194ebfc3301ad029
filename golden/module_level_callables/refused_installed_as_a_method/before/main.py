"""Batches of words that can also be collated where they are."""
import argparse

from torch.utils.data import DataLoader

from batches import Batch, install


def make_collate(width):
    def collate(batch):
        return [word.ljust(width, ".")[:width] for word in batch]

    return collate


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    words = ["one", "two", "three", "four", "five"]
    collate = make_collate(4)
    install("collated", collate)
    loader = DataLoader(words, batch_size=2, collate_fn=collate, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = [word for batch in loader for word in batch]
    print("RESULT", Batch(words[:2]).collated(), out)


if __name__ == "__main__":
    main()
