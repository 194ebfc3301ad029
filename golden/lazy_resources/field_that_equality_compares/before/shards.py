from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

ITEM = np.dtype("<i4")
WIDTH = 8


@dataclass
class Shard:
    path: str
    items: int
    weight: int = 1
    stream: BinaryIO = field(init=False, repr=False)

    def __post_init__(self):
        self.stream = open(self.path, "rb")

    def read(self, index):
        self.stream.seek(index * WIDTH * ITEM.itemsize)
        return np.frombuffer(self.stream.read(WIDTH * ITEM.itemsize), dtype=ITEM)

    def close(self):
        self.stream.close()


def write_shard(path, seed, items):
    np.random.default_rng(seed).integers(0, 1000, (items, WIDTH)).astype(ITEM).tofile(path)
