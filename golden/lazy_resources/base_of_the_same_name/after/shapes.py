class Base:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length
