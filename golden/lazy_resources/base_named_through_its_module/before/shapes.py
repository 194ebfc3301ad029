class Base:
    def __getstate__(self):
        return {**vars(self), "seen": []}
