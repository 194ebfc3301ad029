"""The archive of field recordings: one row a call."""

import math
import random
import sqlite3

SPECIES = ("wren", "robin", "tit")


def build(path, calls=48):
    """Write an archive of made-up calls: each species sings at a pitch of its own."""
    rng = random.Random(7)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE calls (id INTEGER PRIMARY KEY, species TEXT, samples TEXT)")
        for number in range(calls):
            species = SPECIES[number % len(SPECIES)]
            pitch = 0.2 * (1 + SPECIES.index(species))
            samples = [math.sin(pitch * t) + rng.gauss(0, 0.1) for t in range(rng.randint(20, 32))]
            text = " ".join(f"{sample:.4f}" for sample in samples)
            connection.execute("INSERT INTO calls VALUES (?, ?, ?)", (number, species, text))
    connection.close()
