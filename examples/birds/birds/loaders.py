"""Loaders, and how single calls become a batch."""

import torch
from torch.utils.data import DataLoader

from birds.datasets import Calls, Silence


def pad(batch, length):
    """Cut or pad every call to one length."""
    calls = torch.zeros(len(batch), length)
    for row, (samples, _) in zip(calls, batch):
        kept = samples[:length]
        row[: len(kept)] = kept
    return calls, torch.tensor([label for _, label in batch])


def calls_loader(path, length, workers, start_method):
    """Batches of calls, all of one length."""
    return DataLoader(
        Calls(path),
        batch_size=8,
        num_workers=workers,
        multiprocessing_context=start_method if workers else None,
        # calls differ in length, a batch must not
        collate_fn=lambda batch: pad(batch, length),
    )


def silence_loader(length, workers, start_method):
    """Batches without a bird."""
    return DataLoader(
        Silence(16, length),
        batch_size=8,
        num_workers=workers,
        multiprocessing_context=start_method if workers else None,
    )
