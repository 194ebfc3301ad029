from torch.utils.data import Dataset

import state


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index * state.scale
