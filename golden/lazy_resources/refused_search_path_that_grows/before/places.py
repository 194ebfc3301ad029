import os

FOLDERS = []


def find(name):
    for folder in FOLDERS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return name
