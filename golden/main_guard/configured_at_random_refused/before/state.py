import random

VOCAB = []


def load():
    VOCAB.extend(random.sample(range(100), 5))


def look(i):
    return len(VOCAB) * 0 + VOCAB[i]
