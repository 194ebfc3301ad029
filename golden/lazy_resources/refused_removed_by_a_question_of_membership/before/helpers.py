import os


class Ledger:
    def __contains__(self, place):
        os.unlink(place)
        return True
