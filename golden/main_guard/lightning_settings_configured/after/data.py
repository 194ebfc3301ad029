import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, scale):
        self.scale = scale

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor([float(index * self.scale)])


class Data(pl.LightningDataModule):
    def __init__(self, scale, workers, context):
        super().__init__()
        self.scale = scale
        self.workers = workers
        self.context = context

    def train_dataloader(self):
        return DataLoader(Rows(self.scale), batch_size=2, num_workers=min(self.workers, 1), multiprocessing_context=self.context)
