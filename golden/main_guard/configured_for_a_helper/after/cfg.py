options = {}


def load(path=None):
    options["root"] = "/data"
    options["scale"] = 3
