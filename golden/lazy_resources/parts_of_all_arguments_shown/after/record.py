"""A record of what an experiment consists of."""


def contents(**parts):
    return {name: ",".join(f"{key}:{type(value).__name__}" for key, value in sorted(part.__dict__.items()))
            for name, part in parts.items()}
