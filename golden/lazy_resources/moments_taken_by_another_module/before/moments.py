def moments(file):
    """Return mean and spread of all values."""
    values = file["x"][:]
    return float(values.mean()), float(values.max() - values.min())
