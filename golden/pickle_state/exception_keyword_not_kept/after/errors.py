"""What may go wrong."""

import functools


class Failure(Exception):
    """The base of all."""


class Odd(Failure):
    def __init__(self, number: int, *, reason: str) -> None:
        super().__init__(f"{number}: {reason}")
        self.number = number
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return functools.partial(type(self), reason=self.reason), (self.number,)
