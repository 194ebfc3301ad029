import argparse

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class Line(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.losses = []

    def training_step(self, batch):
        x, y = batch
        loss = ((self.weight * x - y) ** 2).mean()
        self.losses.append(round(loss.item(), 4))
        return loss

    def train_dataloader(self):
        points = torch.arange(8.0)
        context = args.start_method if args.workers else None
        return DataLoader(TensorDataset(points, 3 * points), batch_size=2, num_workers=min(args.workers, 1), multiprocessing_context=context)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()

    model = Line()
    trainer = pl.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model)
    print("RESULT", model.losses, round(model.weight.item(), 4))
