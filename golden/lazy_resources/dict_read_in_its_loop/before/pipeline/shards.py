import json
import zipfile

import torch
from torch.utils.data import Dataset

from .config import DataConfig


class ShardedJson(Dataset):
    def __init__(self, cfg: DataConfig):
        self.zips = {}
        self.index = []
        for shard in cfg.shards:
            self.zips[shard] = zipfile.ZipFile(cfg.shard_path(shard))
            for name in sorted(self.zips[shard].namelist()):
                if name.endswith(cfg.suffix):
                    self.index.append((shard, name))

    def __len__(self):
        return len(self.index)

    def __getitem__(self, idx):
        shard, name = self.index[idx]
        record = json.loads(self.zips[shard].read(name))
        return torch.tensor(record["x"]), record["id"]
