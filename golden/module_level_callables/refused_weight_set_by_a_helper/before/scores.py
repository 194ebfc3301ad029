"""Scorers carry the weight that they have in the sum."""


def tag(function, **marks):
    for name, value in marks.items():
        setattr(function, name, value)
    return function


def offset(weight):
    def score(x):
        return x + 1.0

    return tag(score, weight=weight)


def weights_of(scorers):
    return [getattr(scorer, "weight", 1.0) for scorer in scorers.values()]
