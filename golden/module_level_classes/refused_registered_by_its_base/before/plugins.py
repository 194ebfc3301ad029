from torch.utils.data import Dataset

KNOWN = []


class Plugin(Dataset):
    def __init_subclass__(cls):
        KNOWN.append(cls.__name__)
