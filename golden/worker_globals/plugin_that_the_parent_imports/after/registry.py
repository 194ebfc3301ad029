READERS = {"plain": float}


def register(name):
    def enter(function):
        READERS[name] = function
        return function

    return enter
