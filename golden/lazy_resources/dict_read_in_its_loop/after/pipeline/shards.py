import functools
import json
import zipfile

import torch
from torch.utils.data import Dataset

from .config import DataConfig


class ShardedJson(Dataset):
    def __init__(self, cfg: DataConfig):
        self.paths = {}
        self.index = []
        for shard in cfg.shards:
            self.paths[shard] = cfg.shard_path(shard)
            with zipfile.ZipFile(self.paths[shard]) as zip_file:
                for name in sorted(zip_file.namelist()):
                    if name.endswith(cfg.suffix):
                        self.index.append((shard, name))

    @functools.cached_property
    def zips(self):
        return {key: zipfile.ZipFile(path) for key, path in self.paths.items()}

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state.pop("zips", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.index)

    def __getitem__(self, idx):
        shard, name = self.index[idx]
        record = json.loads(self.zips[shard].read(name))
        return torch.tensor(record["x"]), record["id"]
