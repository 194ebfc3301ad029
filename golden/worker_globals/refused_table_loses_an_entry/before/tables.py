SCALES = {"plain": 1, "double": 2}


def scale_of(name):
    return SCALES.get(name, 0)
