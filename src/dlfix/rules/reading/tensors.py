"""Tensors that carry a gradient: what a layer computed, and nothing detached since."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from dlfix.reach.values import Bound, Derived, ExternalCall, Value

if TYPE_CHECKING:
    from dlfix.project.module import Module

_WITH_WEIGHTS = re.compile(
    r"torch\.nn\.(Linear|Bilinear|Embedding|Conv(Transpose)?[123]d|(Batch|Group|Layer|Instance)Norm(\dd)?|PReLU)$"
)
_KEEPING = frozenset(
    "__getitem__ mean sum std var norm view reshape flatten squeeze unsqueeze permute transpose t T to float"
    " double half cpu cuda clone contiguous expand repeat exp log sqrt abs relu sigmoid tanh softmax"
    " log_softmax pow mul add sub div matmul mm".split()
)
_SAME = frozenset("to float double half cpu cuda contiguous".split())  # maybe the tensor itself
_OPERATORS = frozenset("+ - * / @ **".split())
_NEW = re.compile(
    r"torch\.(tensor|(zeros|ones|rand|randn|empty|full)(_like)?|linspace|arange|eye)$"
)
_NO_GRADIENT = ("no_grad", "inference_mode", "set_grad_enabled")
_WITHOUT_GRADIENT = (*_NO_GRADIENT, "requires_grad")


def is_non_leaf(value: Derived) -> bool:
    """Return whether a value is surely what was computed with weights, and has its gradient."""
    at: Value = value
    computed = False
    modules = {value.frame.module}
    while isinstance(at, Derived) and at.how != "__call__" and at.how not in ("weight", "bias"):
        if at.how not in _KEEPING and at.how not in _OPERATORS:
            return False
        computed = computed or at.how not in _SAME
        modules.add(at.frame.module)
        at = at.origin
    if isinstance(at, ExternalCall):
        return (
            computed and _has_gradient(at) and not _says(modules | {at.frame.module}, _NO_GRADIENT)
        )
    if not isinstance(at, Derived) or not isinstance(at.origin, ExternalCall):
        return False
    modules |= {at.frame.module, at.origin.frame.module}
    if _says(modules, _WITHOUT_GRADIENT) or _WITH_WEIGHTS.match(at.origin.name) is None:
        return False
    return at.called if at.how == "__call__" else computed


def _says(modules: set[Module], words: tuple[str, ...]) -> bool:
    return any(module.says(word) for module in modules for word in words)


def _has_gradient(made: ExternalCall) -> bool:
    """Return whether a call makes a tensor that requires a gradient."""
    if made.name == "torch.nn.Parameter":
        return "requires_grad" not in made.arguments.keywords
    asked = made.arguments.keywords.get("requires_grad")
    node = asked.node if isinstance(asked, Bound) else None
    return (
        _NEW.match(made.name) is not None and isinstance(node, ast.Constant) and node.value is True
    )
