"""Steps, and a manual of them."""
from typing import Callable, NamedTuple


class Step(NamedTuple):
    order: int
    run: Callable


def manual(steps):
    lines = []
    for order, run in sorted(steps, key=lambda step: step[0]):
        lines.append("{0}. {1.__doc__}".format(order, run).splitlines()[0])
    return lines
