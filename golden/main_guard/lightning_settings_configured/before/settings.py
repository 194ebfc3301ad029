class Settings:
    def __init__(self):
        self._values = {}

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"not configured: {name}")
        return self._values[name]

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__.update(state)

    def configure(self, scale):
        self._values = {"scale": scale, "offset": 3}


hp = Settings()
