store = None


def use(path):
    global store
    store = path
