"""The walk over an object as pickle goes over it, to everything that cannot be pickled."""

import collections
import functools
import io
import pickle
import sys
import types
from multiprocessing.reduction import ForkingPickler

from .pickling import FAILS, Sending, failure
from .places import type_name, vars_of

NODE_LIMIT = 2_000_000
DEPTH_LIMIT = 600
ATOMS = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    bytearray,
    type(Ellipsis),
    pickle.PickleBuffer,
)
CONTAINERS = (list, tuple, set, frozenset, collections.deque)


class Node:
    """An object on the walk: how it hangs from its parent."""

    __slots__ = ("attribute", "depth", "label", "obj", "parent")

    def __init__(self, obj, label, parent=None, attribute=None):
        self.obj = obj
        self.label = label
        self.parent = parent
        self.attribute = attribute
        self.depth = parent.depth + 1 if parent else 0

    def path(self):
        """Return the access path from the root."""
        labels, node = [], self
        while node is not None:
            labels.append(node.label)
            node = node.parent
        return tidy("".join(reversed(labels)))

    def owner(self):
        """Return the nearest holder of an attribute above, and that attribute's name."""
        node = self
        while node.parent is not None and not node.attribute:
            node = node.parent
        return (node.parent.obj, node.attribute) if node.parent else (None, None)


def tidy(path):
    """Return a path as a person writes it: modules of torch keep theirs in `_modules`."""
    for store in ("_modules", "_parameters", "_buffers"):
        head, found, tail = path.partition("." + store + "['")
        while found:
            name, _, rest = tail.partition("']")
            path = head + (f"[{name}]" if name.isdigit() else "." + name) + rest
            head, found, tail = path.partition("." + store + "['")
    return path


def culprits(obj, label, deep=False):
    """Walk to everything that cannot be pickled, shortest paths first; yield (node, exception).

    `deep` goes down before it goes on: what has no end is met at once, and left out from there on.
    """
    queue = collections.deque([Node(obj, label)])
    seen, alive, ends = {id(obj)}, [], set()
    while queue and len(seen) < NODE_LIMIT:
        node = queue.pop() if deep else queue.popleft()
        if ends and is_below(node, ends):
            continue
        if node.depth > DEPTH_LIMIT:
            top = endless(node)
            ends.add(top)
            yield top, RecursionError("maximum recursion depth exceeded")
            continue
        error, children = open_up(node)
        if error is not None:
            yield node, error
        for child in children:
            if not not_data(child.obj) or id(child.obj) in seen:
                continue
            seen.add(id(child.obj))
            alive.append(child.obj)  # an id must not be given to another object
            queue.append(child)


def endless(node):
    """Return the first of the objects that go on without end."""
    kind, first = type(node.obj), node
    while node.parent is not None:
        node = node.parent
        if type(node.obj) is kind and kind not in (dict, list, tuple):
            first = node
    return first


def is_below(node, tops):
    """Return whether an object hangs from one of `tops`."""
    while node is not None and node not in tops:
        node = node.parent
    return node is not None


def open_up(node):
    """Return why an object itself cannot be pickled (or None), and what hangs from it."""
    obj = node.obj
    if type(obj) is dict:
        return None, items_of(node, obj)
    if type(obj) in CONTAINERS:
        return None, [Node(v, f"[{i}]", node) for i, v in enumerate(obj) if not_data(v)]
    if isinstance(obj, (type, types.FunctionType, types.BuiltinFunctionType)):
        bound = bound_self(obj)
        if bound is not None:
            return None, [Node(bound, ".__self__", node, "__self__")]
        return failure(obj), []
    try:
        with Sending():
            reduced = reduce(obj)
    except FAILS as error:
        return error, []
    if isinstance(reduced, str):
        return failure(obj), []
    if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
        return failure(obj), []
    return wrong_class(obj, reduced), parts_of(node, reduced)


def not_data(obj):
    """Return whether an object is more than plain data, which always pickles."""
    return type(obj) not in ATOMS


def bound_self(obj):
    """Return the object of a built-in method (`random.random`), or None."""
    owner = getattr(obj, "__self__", None) if isinstance(obj, types.BuiltinFunctionType) else None
    return None if owner is None or isinstance(owner, types.ModuleType) else owner


def wrong_class(obj, reduced):
    """Return what pickle raises for a `__newobj__` of another class, or None."""
    if getattr(reduced[0], "__name__", "") != "__newobj__" or not reduced[1]:
        return None
    return failure(obj) if reduced[1][0] is not obj.__class__ else None


def reduce(obj):
    """Ask an object how it is pickled, in the order that pickle asks."""
    pickler = ForkingPickler(io.BytesIO())
    reducer = pickler.dispatch_table.get(type(obj))
    if reducer is not None:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(obj, torch.UntypedStorage):
            return (bytes, ())
        return reducer(obj)
    if isinstance(obj, type):
        return obj.__name__
    if is_numbers(obj):
        return (bytes, ())
    reducer = getattr(obj, "__reduce_ex__", None)
    return reducer(5) if reducer is not None else obj.__reduce__()


def is_numbers(obj):
    """Return whether an object is an array of plain data, which `__reduce__` would copy whole."""
    array = getattr(sys.modules.get("numpy"), "ndarray", None)
    if array is None or not isinstance(obj, array) or obj.dtype.hasobject:
        return False
    return type(obj).__reduce__ is array.__reduce__


def parts_of(node, reduced):
    """Return what `__reduce__` hands over, each under the name a person reaches it by."""
    obj = node.obj
    func, args, state, items, pairs = (tuple(reduced) + (None,) * 5)[:5]
    label = ".__class__" if func is type(obj) else ".__reduce__()[0]"
    children = [Node(func, label, node)]
    children += named_arguments(node, args or ())
    children += state_of(node, state)
    children += [Node(item, f"[{i}]", node) for i, item in enumerate(items or ())]
    if pairs is not None:
        children += items_of(node, dict(pairs) if not isinstance(obj, dict) else obj)
    return children


def named_arguments(node, args):
    """Return a reduction's arguments, named where the holder is known."""
    obj = node.obj
    if isinstance(obj, functools.partial):
        first = [Node(obj.func, ".func", node, "func")]
        rest = [Node(a, f".args[{i}]", node, "args") for i, a in enumerate(obj.args)]
        words = [Node(v, f".keywords[{k!r}]", node, "keywords") for k, v in obj.keywords.items()]
        return first + rest + words
    if isinstance(obj, types.MethodType):
        return [Node(obj.__self__, ".__self__", node, "__self__")]
    if isinstance(obj, collections.defaultdict):
        return [Node(obj.default_factory, ".default_factory", node, "default_factory")]
    own = {id(value): name for name, value in vars_of(obj).items()}
    return [
        Node(a, "." + own[id(a)], node, own[id(a)])
        if id(a) in own
        else Node(a, ".__class__" if a is type(obj) else f".__reduce__()[1][{i}]", node)
        for i, a in enumerate(args)
        if a is not obj
    ]


def state_of(node, state):
    """Return the attributes in a pickled state."""
    if isinstance(node.obj, functools.partial) or state is None:
        return []
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):
        return state_of(node, state[0]) + state_of(node, state[1])
    if not isinstance(state, dict):
        return [Node(state, ".__getstate__()", node)]
    return [
        Node(value, "." + name, node, name)
        if isinstance(name, str) and name.isidentifier()
        else Node(value, f"[{name!r}]", node)
        for name, value in state.items()
    ]


def items_of(node, mapping):
    """Return a mapping's values, and those of its keys that are more than data."""
    values = [Node(v, f"[{short(k)}]", node) for k, v in mapping.items() if not_data(v)]
    keys = [k for k in mapping if not_data(k)]
    return values + [Node(k, f".keys()[{i}]", node) for i, k in enumerate(keys)]


def short(key):
    """Return a key's text, shortened."""
    text = repr(key) if isinstance(key, ATOMS) else f"<{type_name(key)}>"
    return text if len(text) <= 40 else text[:37] + "..."
