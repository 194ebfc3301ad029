SCALE = None
TABLE = {}


def init(scale):
    global SCALE
    SCALE = scale
    TABLE.update(a=scale)


def scaled(x):
    return x * SCALE + TABLE["a"]
