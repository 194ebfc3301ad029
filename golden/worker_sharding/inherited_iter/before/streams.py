from torch.utils.data import IterableDataset


class Stream(IterableDataset):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item
