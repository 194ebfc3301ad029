import sqlite3


def open_store(path):
    return sqlite3.connect(path)
