from base import Rows
from settings import SETTINGS


class Louder(Rows):
    """The same rows, louder."""

    def __getitem__(self, index):
        return super().__getitem__(index) * self._settings["gain"]


def described():
    return sorted(SETTINGS)
