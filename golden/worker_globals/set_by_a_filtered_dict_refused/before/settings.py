CLIP = 40
FLOOR = -40
CHUNK = 25


def update(**overrides):
    unknown = set(overrides) - {k for k in globals() if k.isupper()}
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    globals().update({k: v for k, v in overrides.items() if v is not None})
