clip = 40
min_size = 3


def update(**overrides):
    globals().update({k: v for k, v in overrides.items() if v is not None})
