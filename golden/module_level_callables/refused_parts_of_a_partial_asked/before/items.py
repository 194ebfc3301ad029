from torch.utils.data import Dataset


class Items(Dataset):
    def __init__(self, values, transform):
        self.values = list(values)
        self.transform = transform
        self.bound = hasattr(transform, "func")

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.transform(self.values[index])
