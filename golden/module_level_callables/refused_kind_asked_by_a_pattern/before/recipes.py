"""Recipes: how a sample is made."""
from dataclasses import dataclass
from typing import Callable


@dataclass
class Recipe:
    name: str
    size: int
    transform: Callable
    target: Callable = str


def scaled(factor, shift):
    def transform(x):
        return x * factor + shift

    return Recipe("scaled", 8, transform)
