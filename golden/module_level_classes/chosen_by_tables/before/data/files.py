from torch.utils.data import Dataset


class Short(Dataset):
    size = 4
    mean = 1.5

    def __init__(self, options, split):
        self.rows = list(range(self.size))
        self.split = split
        print(f"{split}: {len(self.rows)} rows")

    def __len__(self):
        return len(self.rows)


class Long(Short):
    size = 8
