def without(*names):
    """Leave attributes out of the pickled state."""

    def decorate(cls):
        def __getstate__(self):
            return {name: value for name, value in vars(self).items() if name not in names}

        cls.__getstate__ = __getstate__
        return cls

    return decorate
