import os


def read_meta(options):
    os.remove(options["place"])
