from settings import cfg


def scaled(number):
    return number * cfg.DATA.SCALE + cfg.DATA.SHIFT
