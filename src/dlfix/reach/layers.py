"""The layers of a network: what its methods `modules` and `named_children` give belongs to it."""

from __future__ import annotations

from typing import TypeGuard

from dlfix.reach.values import Derived, Value

MAKE_NETS = ("torch.nn.", "torch.hub.", "torchvision.models.", "timm.")
LAYERS = frozenset({"modules", "children"})
NAMED_LAYERS = frozenset({"named_modules", "named_children"})
OF_NET = frozenset(f"torch.nn.Module.{each}" for each in LAYERS | NAMED_LAYERS)


def gives_layers(value: Value) -> TypeGuard[Derived]:
    """Return whether iterating a value gives the layers of a network."""
    return isinstance(value, Derived) and value.called and value.how in LAYERS | NAMED_LAYERS


def with_its_nets(value: Value) -> list[Value]:
    """Return a value, and the networks it is a layer of."""
    found = [value]
    while isinstance(value, Derived) and value.how == "__iter__" and gives_layers(value.origin):
        value = value.origin.origin
        found.append(value)
    return found
