from torch.utils.data import Dataset


class Items(Dataset):
    def __init__(self, values, transform=None):
        self.values = list(values)
        self.transform = transform

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        value = self.values[index]
        if isinstance(self.transform, (list, tuple)):
            for step in self.transform:
                value = step(value)
            return value
        if self.transform is None:
            return value
        return self.transform(value)
