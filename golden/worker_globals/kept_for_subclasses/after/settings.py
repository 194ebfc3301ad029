SETTINGS = {}


def use(**chosen):
    SETTINGS.update(chosen)
