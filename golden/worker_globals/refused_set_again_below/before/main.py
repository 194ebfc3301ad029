import argparse
import collections
import logging

import torch
from torch.utils.data import DataLoader

log = logging.getLogger("lm")

VOCAB = None
PAD = 0


def build_vocab(lines, min_count=1):
    counts = collections.Counter(word for line in lines for word in line.split())
    words = sorted(w for w, c in counts.items() if c >= min_count)
    return {w: i + 2 for i, w in enumerate(words)}


def encode(line):
    return [VOCAB.get(w, 1) for w in line.split()]


def collate(lines):
    size = len(VOCAB) + 2
    rows = [encode(line) for line in lines]
    width = max(map(len, rows))
    batch = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
    assert batch.max() < size
    return batch


def main():
    global VOCAB
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--min-count", type=int, default=2)
    args = parser.parse_args()
    lines = ["the cat sat", "the dog sat down", "a cat", "the end", "a dog and a cat"]
    VOCAB = build_vocab(lines, args.min_count)
    log.info("%d words", len(VOCAB))
    loader = DataLoader(lines, batch_size=2, collate_fn=collate, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    VOCAB = {**VOCAB, "zebra": 9}
    print("RESULT", [b.tolist() for b in loader])


if __name__ == "__main__":
    main()
