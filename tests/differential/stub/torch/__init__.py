"""A stand-in for torch that starts in milliseconds: loaders pickle just what torch's do."""

__version__ = "0.stub"


class Tensor:
    """A nested list, as far as the generated programs look."""

    def __init__(self, values):
        self.values = [value.values if isinstance(value, Tensor) else value for value in values]

    def tolist(self):
        return self.values

    def __len__(self):
        return len(self.values)


def tensor(values):
    return Tensor(values)


def set_num_threads(number):
    """Nothing to do: there are none."""
