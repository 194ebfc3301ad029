"""What else shows in an object: what is large, which handles are open, what came back different."""

import collections
import itertools
import multiprocessing
import types

from .objects import ATOMS, CONTAINERS, Node, open_up, short
from .pickling import measure
from .places import describe, is_user_class, type_name, vars_of


def largest(obj, label, levels=4):
    """Return the five largest attributes of an object, opening up one that holds nearly all."""
    node, total, rows = Node(obj, label), None, []
    for _ in range(levels):
        children = attributes_of(node)
        sized = [(sized_bytes(child.obj), child) for child in children]
        sized = sorted((s for s in sized if s[0]), key=lambda s: -s[0])
        if not sized:
            break
        rows = sized[:5]
        total = total or sum(size for size, _ in sized)
        if rows[0][0] < 0.8 * total or not attributes_of(rows[0][1]):
            break
        node = rows[0][1]
    return [
        {"path": child.path(), "type": describe(child.obj), "bytes": size} for size, child in rows
    ]


def attributes_of(node):
    """Return what hangs from an instance; nothing for plain data."""
    if isinstance(node.obj, (*ATOMS, *CONTAINERS, dict, type)) or not vars_of(node.obj):
        return []
    error, children = open_up(node)
    return [child for child in children if child.attribute and not error]


def sized_bytes(obj):
    """Return the bytes that an object's pickle takes by itself, 0 where it has none."""
    try:
        return measure(obj)["bytes"]
    except Exception:
        return 0


def below(obj, label, limit=20_000, depth=6):
    """Walk what a fork would copy: attributes and containers as they are."""
    queue, seen, count = collections.deque([Node(obj, label)]), set(), 0
    while queue and count < limit:
        node = queue.popleft()
        count += 1
        yield node
        value = node.obj
        if id(value) in seen or node.depth >= depth:
            continue
        seen.add(id(value))
        queue.extend(raw_children(node, value))


def raw_children(node, value):
    """Return what an object holds, without asking its own code."""
    if isinstance(value, (list, tuple)):
        inner = [Node(v, f"[{i}]", node) for i, v in enumerate(value[:100])]
    elif isinstance(value, dict):
        pairs = itertools.islice(list(value.items()), 100)
        inner = [Node(v, f"[{short(k)}]", node) for k, v in pairs]
    elif isinstance(value, (type, types.ModuleType, types.FunctionType)):
        inner = []
    elif isinstance(value, types.MethodType):
        inner = [Node(value.__self__, ".__self__", node)]
    else:
        inner = [Node(v, "." + str(k), node, str(k)) for k, v in list(vars_of(value).items())]
    return [child for child in inner if not isinstance(child.obj, ATOMS)]


def descriptors(obj, label):
    """Return the open handles that forked workers would share with the parent."""
    found, seen = [], set()
    for node in below(obj, label):
        fd = descriptor(node.obj)
        if fd is None or fd in seen or fd < 3:
            continue
        seen.add(fd)
        name = getattr(node.obj, "name", "")
        name = name if isinstance(name, str) else ""
        found.append({"path": node.path(), "type": type_name(node.obj), "fd": fd, "name": name})
    return found


def descriptor(obj):
    """Return an open object's file descriptor, or None."""
    if "fileno" not in dir(type(obj)) or isinstance(obj, multiprocessing.process.BaseProcess):
        return None
    try:
        fd = obj.fileno()
    except Exception:
        return None
    return fd if isinstance(fd, int) else None


def outline(obj, label):
    """Return what can be seen of an object: each path's type, and a file's position."""
    seen = {}
    for node in below(obj, label, limit=2000, depth=5):
        if node.attribute and type(node.parent.obj).__module__ == "builtins":
            continue
        seen[node.path()] = [type_name(node.obj), position(node.obj), promised(node)]
    return seen


def position(obj):
    """Return a handle's position, or None."""
    if not {"tell", "seek"} <= set(dir(type(obj))):
        return None
    try:
        found = obj.tell()
    except Exception:
        return None
    return found if isinstance(found, int) else None


def promised(node):
    """Return whether an attribute may be missing: its class makes it anew, or drops it on purpose."""
    if node.parent is None or not node.attribute:
        return True
    cls = type(node.parent.obj)
    if cls.__module__ == "builtins" or not is_user_class(cls):
        return True
    made = getattr(cls, node.attribute, None) is not None or hasattr(cls, "__getattr__")
    own = any("__getstate__" in vars(c) for c in cls.__mro__ if is_user_class(c))
    return made or own


def differences(before, after):
    """Return what came back different, as sentences."""
    found = []
    for path, (kind, where, fine) in before.items():
        parent_there = any(path.startswith(p) for p in after)
        if path not in after:
            if not fine and parent_there:
                found.append(f"{path} does not exist in the worker")
            continue
        other, there, _ = after[path]
        if kind != other and "NoneType" not in other:
            found.append(f"{path} is a {kind} in the parent but a {other} in the worker")
        elif where is not None and there is not None and where != there:
            found.append(
                f"{path} is at position {where} in the parent but at position {there} in the worker"
            )
    return found[:20]
