class Settings(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def merge_from_list(self, pairs):
        for key, value in zip(pairs[::2], pairs[1::2]):
            section, _, name = key.partition(".")
            self[section][name] = int(value)


_C = Settings(DATA=Settings(SCALE=1, SHIFT=0))
cfg = _C
