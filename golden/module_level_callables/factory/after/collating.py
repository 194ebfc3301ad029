"""Collation."""
import functools

import torch


def _collate(rows, *, pad):
    return torch.stack([*rows, torch.tensor(pad)])


def make_collate(pad):
    """Return a function that stacks and pads."""

    return functools.partial(_collate, pad=pad)
