scale = 1


def choose(rows, factor):
    global scale
    scale = factor * len(rows)
