SCALE = 1


def set_up(scale):
    global SCALE
    SCALE = scale


def scaled(number):
    return SCALE * number
