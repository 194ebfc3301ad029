def init(module, **values):
    for key, value in values.items():
        setattr(module, key, value)
