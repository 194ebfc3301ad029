from torch.utils.data import DataLoader, Dataset


class Values(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform(index)


def _scale(value):
    return value + 1


def make_loader(workers, method):
    context = method if workers else None
    return DataLoader(Values(_scale), num_workers=workers, multiprocessing_context=context)
