import zipfile

from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.member = zipfile.ZipFile(self.path).open("all")
        self.take = self.__getitem__

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.member.seek(index)
        return self.member.read(1)[0]
