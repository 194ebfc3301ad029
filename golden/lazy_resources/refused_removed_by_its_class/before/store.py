import os


class Store:
    place = None

    @classmethod
    def use(cls, place):
        cls.place = place

    @classmethod
    def tidy(cls):
        os.remove(cls.place)
