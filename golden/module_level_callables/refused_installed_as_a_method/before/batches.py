"""A batch is a list with methods that programs add."""


class Batch(list):
    pass


def install(name, function):
    setattr(Batch, name, function)
