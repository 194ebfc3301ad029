from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index * self.scale


def make(split):
    print("reading", split)
    return Rows(scale=len(split))
