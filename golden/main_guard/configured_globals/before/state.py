def init(**values):
    for key, value in values.items():
        globals()[key] = value
