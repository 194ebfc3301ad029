from torch.utils.data.dataloader import (
    DataLoader,
    Dataset,
    IterableDataset,
    default_collate,
    get_worker_info,
)

__all__ = ["DataLoader", "Dataset", "IterableDataset", "default_collate", "get_worker_info"]
