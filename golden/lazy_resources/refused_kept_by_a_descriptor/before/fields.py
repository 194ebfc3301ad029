class Tracked:
    def __set_name__(self, owner, name):
        self.name = "_" + name
        self.count = 0

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        self.count += 1
        setattr(obj, self.name, value)
