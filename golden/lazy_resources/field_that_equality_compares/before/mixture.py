import bisect
from itertools import accumulate

import torch
from torch.utils.data import Dataset


class Mixture(Dataset):
    """Shards one after the other; a shard that is listed twice is seen twice."""

    def __init__(self, shards):
        self.shards = list(shards)
        self.ends = list(accumulate(s.items for s in self.shards))

    def __len__(self):
        return self.ends[-1]

    def __getitem__(self, i):
        k = bisect.bisect_right(self.ends, i)
        start = self.ends[k - 1] if k else 0
        shard = self.shards[k]
        return torch.from_numpy(shard.read(i - start).astype("int64")) * shard.weight

    def start_of(self, shard):
        k = self.shards.index(shard)
        return self.ends[k] - shard.items

    def layout(self):
        return [self.start_of(s) for s in self.shards]
