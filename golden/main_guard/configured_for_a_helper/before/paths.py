from cfg import options


def folder(name):
    return options["root"] + "/" + name
