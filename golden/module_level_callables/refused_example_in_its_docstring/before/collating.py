def make_collate(scale):
    def collate(batch):
        """Scale a batch.

        >>> 1 + 1
        2
        """
        import torch

        return torch.tensor([value * scale for value in batch])

    return collate
