import argparse

import pytorch_lightning as pl
import torch

from data import Data
from settings import hp

hp.configure(7)


class Sum(pl.LightningModule):
    start = hp.offset

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))
        self.total = self.start

    def training_step(self, batch):
        self.total += int(batch.sum())
        return (self.weight * batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()

    model = Sum()
    data = Data(hp.scale, args.workers, args.start_method if args.workers else None)
    trainer = pl.Trainer(accelerator="cpu", max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(model, datamodule=data)
    print("RESULT", model.total)
