"""What may go wrong."""


class Failure(Exception):
    """The base of all."""


class Odd(Failure):
    def __init__(self, number: int, *, reason: str) -> None:
        super().__init__(f"{number}: {reason}")
        self.number = number
