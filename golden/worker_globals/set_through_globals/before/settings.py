scale = 1


def configure(**options):
    globals().update(options)
