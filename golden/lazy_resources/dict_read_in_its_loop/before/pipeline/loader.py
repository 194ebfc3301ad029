from torch.utils.data import DataLoader

from .config import DataConfig
from .shards import ShardedJson


def make_loader(cfg: DataConfig) -> DataLoader:
    kwargs = {}
    if cfg.workers:
        kwargs["multiprocessing_context"] = cfg.start_method
    return DataLoader(ShardedJson(cfg), batch_size=cfg.batch_size, num_workers=cfg.workers, **kwargs)
