class Settings:
    def __init__(self):
        self._values = None

    def __getattr__(self, name):
        if self._values is None or name not in self._values:
            raise AttributeError(f"not configured: {name}")
        return self._values[name]

    def __getstate__(self):
        return self.__dict__

    def configure(self, scale):
        self._values = {"scale": scale, "offset": 3}


hp = Settings()
