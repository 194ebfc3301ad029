_values = {}


def configure(**values):
    _values.update(values)


def get(name):
    return _values[name]
