"""Tensors that carry a gradient: what a layer computed, and nothing detached since."""

from __future__ import annotations

import re

from dlfix.reach.values import Derived, ExternalCall, Value

_WITH_WEIGHTS = re.compile(
    r"torch\.nn\.(Linear|Bilinear|Embedding|Conv(Transpose)?[123]d|(Batch|Group|Layer|Instance)Norm(\dd)?|PReLU)$"
)
_KEEPING = frozenset(
    "__getitem__ mean sum std var norm view reshape flatten squeeze unsqueeze permute transpose t T to float"
    " double half cpu cuda clone contiguous expand repeat exp log sqrt abs relu sigmoid tanh softmax"
    " log_softmax pow mul add sub div matmul mm".split()
)
_WITHOUT_GRADIENT = ("no_grad", "inference_mode", "set_grad_enabled", "requires_grad")


def is_non_leaf(value: Derived) -> bool:
    """Return whether a value is surely what a layer with weights computed, with its gradient."""
    at: Value = value
    while isinstance(at, Derived) and at.how != "__call__":
        if at.how not in _KEEPING:
            return False
        at = at.origin
    if not isinstance(at, Derived) or not at.called or not isinstance(at.origin, ExternalCall):
        return False
    modules = {value.frame.module, at.frame.module, at.origin.frame.module}
    if any(module.says(word) for module in modules for word in _WITHOUT_GRADIENT):
        return False
    return _WITH_WEIGHTS.match(at.origin.name) is not None
