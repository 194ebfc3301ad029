import dataclasses


def manifest(mixture):
    """The parts of a mixture, as plain data."""
    return [sorted(part) for part in dataclasses.asdict(mixture)["parts"]]
