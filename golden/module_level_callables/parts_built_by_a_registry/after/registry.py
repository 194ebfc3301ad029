class Registry:
    def __init__(self, name):
        self.name = name
        self._classes = {}

    def get(self, key):
        return self._classes.get(key)

    def register(self, cls):
        self._classes[cls.__name__] = cls
        return cls


def build_from_cfg(cfg, registry):
    args = cfg.copy()
    kind = args.pop("type")
    cls = registry.get(kind)
    if cls is None:
        raise KeyError(f"{kind} is not in {registry.name}")
    return cls(**args)


DATASETS = Registry("datasets")
PIPELINES = Registry("pipelines")
