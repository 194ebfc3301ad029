"""Culprits as data: what cannot be pickled, who holds it, and which line made it."""

import functools
import itertools
import traceback
import types

from .objects import CONTAINERS, Node, culprits
from .pickling import failure
from .places import (
    CACHED,
    CODED,
    attribute_place,
    code_place,
    describe,
    error_data,
    is_user_class,
    is_user_file,
    own_place,
)

HOOKS = ("__reduce_ex__", "__reduce__")


def place_of(node):
    """Return the line of the user's code that made a culprit, or None."""
    found = None if isinstance(node.obj, CACHED) else own_place(node.obj)
    while found is None and node.parent is not None:
        owner, attribute = node.owner()
        found = attribute_place(owner, attribute) if attribute else None
        found = found or own_place(node.obj) or own_place(node.parent.obj)
        node = node.parent
    return found


def own_hook(cls, error):
    """Return the name of a class's `__reduce__`, where it is the user's and raised an error, or ""."""
    hooks = [name for name in HOOKS if own_place(getattr(cls, name, None))]
    raised = {frame.name for frame in traceback.extract_tb(error.__traceback__)}
    without_end = isinstance(error, RecursionError)
    return next((name for name in hooks if name in raised or without_end), "")


def culprit_data(node, error, inner=()):
    """Return a culprit as data."""
    cls, attribute = type(node.obj), node.owner()[1]
    hook = own_hook(cls, error)
    said = error_data(error)
    said["place"] = said["place"] or own_place(getattr(cls, hook, None))
    return {
        "path": node.path().replace(".__class__", ""),
        "type": describe(node.obj),
        "error": said,
        "place": place_of(node) or said["place"] or own_place(cls),
        "hook": f"{cls.__qualname__}.{hook}" if hook else "",
        "attribute": attribute or "",
        "inner": list(inner),
    }


def find_culprits(obj, label, error):
    """Return all culprits below an object that failed to pickle with `error`.

    What is wrong deep inside an object of a library (a lock in a client) is that object's fault.
    """
    held = {}
    deep = isinstance(error, RecursionError)
    for node, why in itertools.islice(culprits(obj, label, deep), 200):
        top = holder(node)
        held.setdefault(id(top.obj), (top, []))[1].append((node, why))
    if not held:
        return [culprit_data(Node(obj, label), error)]
    return [_grouped(top, found) for top, found in held.values()]


def _grouped(top, found):
    if found[0][0].obj is top.obj:
        return culprit_data(top, found[0][1])
    inner = [node.path()[len(top.path()) :] for node, _ in found[:5]]
    return culprit_data(top, failure(top.obj) or found[0][1], inner)


def is_carrier(cls):
    """Return whether a library's class only carries what users hand to it."""
    module = cls.__module__ or ""
    return module.partition(".")[0] in CARRIERS and not module.startswith("torch.jit")


CARRIERS = (
    "torch",
    "torchvision",
    "torchaudio",
    "torchtext",
    "builtins",
    "collections",
    "functools",
)


def holder(node):
    """Return the object that a user made and a culprit is part of: the outermost of a library."""
    own = code_place(node.obj) if isinstance(node.obj, (*CODED, type, CACHED)) else None
    if own and is_user_file(own["file"]):
        return node
    top, above = node, node.parent
    while above is not None and not is_user_class(type(above.obj)):
        if isinstance(above.obj, (dict, types.MethodType, functools.partial, *CONTAINERS)):
            pass
        elif is_carrier(type(above.obj)):
            break
        else:
            top = above
        above = above.parent
    return top
