from torch.utils.data import Dataset

FEATURES = {}


class Base(Dataset):
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        FEATURES[cls.__name__] = sorted(name for name in vars(cls) if not name.startswith("__"))
