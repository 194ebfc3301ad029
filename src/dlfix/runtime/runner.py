"""What runs in the user's interpreter: one file, standard library only, Python 3.8 and later.

`probe.py` sends this text over on the command line with the path of a JSON file that says what to
run. It runs the program as `__main__`, stops it where worker processes would start, pickles what would
cross to them, and writes what it saw as JSON lines to a file of its own.
"""

# It handles objects of any kind, on any Python from 3.8 on.
# mypy: ignore-errors
# ruff: noqa: B905 - zip has no strict before Python 3.10

import ast
import base64
import collections
import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import io
import itertools
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import threading
import time
import traceback
import types
import typing
import zlib
from multiprocessing import context, process, spawn, util
from multiprocessing.reduction import ForkingPickler

SOURCE = globals().get("SOURCE", "")  # this file's text, set by the bootstrap
TOO_OLD = 88  # the exit status of an interpreter that cannot run this
SPOOL_LIMIT = 64 << 20  # above this a part is not loaded back
NODE_LIMIT = 2_000_000
DEPTH_LIMIT = 600
LOAD_SECONDS = 60
TASK_SECONDS = 20
SLOW_MS = 5000  # what takes longer is not pickled again and again to name its largest parts
FAILS = (Exception, SystemExit)  # what an object's own code may raise while it is pickled
HOOKS = ("__reduce_ex__", "__reduce__")
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

_PLACES = sysconfig.get_paths()
LIBRARY = tuple(
    {os.path.realpath(_PLACES[k]) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def bootstrap(source: str) -> str:
    """Return the program for `python -c` that runs `source` as a module of its own."""
    packed = base64.b85encode(zlib.compress(source.encode(), 9)).decode()
    return (
        "import sys\n"
        f"if sys.version_info<(3,8): sys.exit({TOO_OLD})\n"
        "if sys.path[:1]==['']: del sys.path[0]\n"  # as `python script.py` does
        "import types,zlib,base64\n"
        "m=types.ModuleType('_dlfix_runner');sys.modules[m.__name__]=m\n"
        f"m.SOURCE=zlib.decompress(base64.b85decode('{packed}')).decode()\n"
        "exec(compile(m.SOURCE,'<dlfix runner>','exec'),m.__dict__)\n"
        "m.main(sys.argv[1])\n"
    )


class Stop(BaseException):
    """Raised where the workers would start: the program has done its part."""


# ---------------------------------------------------------------- where things are


def is_user_file(filename):
    """Return whether a file is the user's: neither the standard library nor an installed package."""
    if not filename or os.path.basename(filename).startswith("<"):
        return False
    if "site-packages" in filename or "dist-packages" in filename:
        return False
    real = os.path.realpath(filename)
    return not real.startswith(tuple(place + os.sep for place in LIBRARY))


def type_name(obj):
    """Return the full name of an object's type."""
    cls = type(obj)
    module = getattr(cls, "__module__", "") or ""
    main = ("builtins", "__main__", "__mp_main__")
    prefix = "" if module in main else str(module) + "."
    return prefix + cls.__qualname__


def describe(obj):
    """Return what an object is, in a few words: `function train.<locals>.<lambda>`."""
    if isinstance(obj, type):
        return "class " + obj.__qualname__
    if isinstance(obj, (types.FunctionType, types.BuiltinFunctionType)):
        return "function " + obj.__qualname__
    return type_name(obj)


def call_place():
    """Return the line of the user's code that is being run, innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            return place_at(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def place_at(filename, line):
    """Return a place as data."""
    return {"file": os.path.abspath(filename), "line": line}


def code_place(obj):
    """Return where a function, class or generator was written, or None."""
    if isinstance(obj, functools.partial):
        return code_place(obj.func)
    if isinstance(obj, type):
        return class_place(obj)
    for name in ("__func__", "__wrapped__"):
        if not isinstance(obj, type) and name in dir(type(obj)) + list(vars_of(obj)):
            return code_place(getattr(obj, name))
    for name in ("__code__", "gi_code", "cr_code", "ag_code"):
        code = getattr(obj, name, None) if isinstance(obj, CODED) else None
        if code is not None:
            return place_at(code.co_filename, code.co_firstlineno)
    return None


CACHED = type(functools.lru_cache(maxsize=None)(len))
CODED = (types.FunctionType, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)


def class_place(cls):
    """Return the line of a class statement."""
    try:
        lines, first = inspect.getsourcelines(cls)
    except (OSError, TypeError, IndexError, SyntaxError):
        return None
    offset = next((i for i, line in enumerate(lines) if line.lstrip().startswith("class ")), 0)
    return place_at(inspect.getsourcefile(cls), max(first, 1) + offset)


def vars_of(obj):
    """Return an object's own attributes, never running its code."""
    try:
        found = object.__getattribute__(obj, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def attribute_place(owner, attribute):
    """Return the line of the class's source that sets `self.<attribute>` to something."""
    for cls in type(owner).__mro__:
        place = _attribute_place(cls, attribute)
        if place is not None:
            return place
    return None


def _attribute_place(cls, attribute):
    try:
        lines, first = inspect.getsourcelines(cls)
        filename = inspect.getsourcefile(cls)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, IndexError, ValueError):
        return None
    if not is_user_file(filename):
        return None
    found = [n for n in ast.walk(tree) if _makes(n, attribute)]
    found.sort(key=lambda n: (_is_trivial(getattr(n, "value", None)), n.lineno))
    return place_at(filename, max(first, 1) + found[0].lineno - 1) if found else None


def _makes(node, attribute):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name == attribute and bool(node.decorator_list)
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
        targets = [node.target]
    elif isinstance(node, ast.withitem):
        return False
    elif isinstance(node, ast.Call):
        return _fills(node, attribute)
    else:
        return False
    return any(_names(t, attribute) for t in targets)


def _fills(call, attribute):
    """Return whether a call is `self.<attribute>.append(...)` or the like."""
    func = call.func
    if isinstance(func, ast.Name) and func.id == "setattr" and len(call.args) == 3:
        return isinstance(call.args[1], ast.Constant) and call.args[1].value == attribute
    fills = ("append", "add", "setdefault", "update", "extend", "insert")
    return isinstance(func, ast.Attribute) and func.attr in fills and _names(func.value, attribute)


def _names(target, attribute):
    while isinstance(target, (ast.Subscript, ast.Starred)):
        target = target.value
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_names(item, attribute) for item in target.elts)
    if isinstance(target, ast.Attribute):
        return target.attr == attribute
    return isinstance(target, ast.Name) and target.id == attribute


def _is_trivial(value):
    if value is None or isinstance(value, ast.Constant):
        return True
    empty = isinstance(value, (ast.Dict, ast.List)) and not ast.dump(value).count("Constant")
    return bool(empty and not getattr(value, "keys", getattr(value, "elts", None)))


# ---------------------------------------------------------------- pickling as a start would


class Sending:
    """Stands for the process being spawned: locks, queues and descriptors ask for it."""

    method = "spawn"

    def __init__(self):
        self.fds = []

    def duplicate_for_child(self, fd):
        """Note a descriptor that the child is to inherit."""
        self.fds.append(fd)
        return fd

    def DupFd(self, fd):  # noqa: N802
        """Return what a spawning Popen of multiprocessing returns."""
        from multiprocessing import popen_spawn_posix

        return popen_spawn_posix._DupFd(self.duplicate_for_child(fd))

    def __enter__(self):
        self.before = context.get_spawning_popen()
        context.set_spawning_popen(self)
        return self

    def __exit__(self, *exc):
        context.set_spawning_popen(self.before)


class Sink:
    """A file that counts what is written and keeps nothing."""

    def __init__(self):
        self.bytes = 0
        self.shared = 0

    def write(self, data):
        """Count."""
        size = data.nbytes if isinstance(data, memoryview) else len(data)
        self.bytes += size
        return size

    def buffer(self, buffer):
        """Count a buffer that pickle would have copied; keep pickle from copying it."""
        self.bytes += buffer.raw().nbytes


def measure(obj):
    """Pickle an object into nothing; return its bytes, the bytes of tensors beside, milliseconds."""
    sink = Sink()
    pickler = ForkingPickler(sink, 5, True, sink.buffer)
    _count_tensors(pickler, sink)
    _count_mapped(pickler, sink)
    start = time.perf_counter()
    with Sending():
        pickler.dump(obj)
    return {
        "bytes": sink.bytes,
        "shared": sink.shared,
        "ms": round((time.perf_counter() - start) * 1000, 3),
    }


def _count_tensors(pickler, sink):
    """Count a tensor's memory rather than move it to shared memory, as a real start does."""
    torch = sys.modules.get("torch")
    storage = getattr(torch, "UntypedStorage", None)
    if storage is None or storage not in pickler.dispatch_table:
        return
    really = pickler.dispatch_table[storage]

    def count(value):
        if value.device.type != "cpu":
            return really(value)
        sink.shared += 0 if value.is_shared() else value.nbytes()
        return (bytes, (bytes(160),))

    pickler.dispatch_table[storage] = count


def _count_mapped(pickler, sink):
    """Count a memmap's data, which a real start copies whole, without reading it."""
    memmap = getattr(sys.modules.get("numpy"), "memmap", None)
    if memmap is None or memmap in pickler.dispatch_table:
        return

    def count(value):
        sink.bytes += value.nbytes
        return (bytes, (bytes(120),))

    pickler.dispatch_table[memmap] = count


def failure(obj):
    """Return the exception that pickling an object raises, or None."""
    try:
        measure(obj)
    except FAILS as error:
        return error
    return None


def error_data(error):
    """Return an exception as data: its type, its message and the user's line that raised it."""
    cls = type(error)
    module = "" if cls.__module__ == "builtins" else cls.__module__ + "."
    try:
        message = str(error)
    except Exception:
        message = "?"
    return {"type": module + cls.__qualname__, "message": message[:2000], "place": raised_at(error)}


def raised_at(error):
    """Return the innermost line of the user's code in an exception's traceback."""
    places = [
        place_at(f.filename, f.lineno)
        for f in traceback.extract_tb(error.__traceback__)
        if is_user_file(f.filename)
    ]
    return places[-1] if places else None


# ---------------------------------------------------------------- the walk to the culprits


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


def place_of(node):
    """Return the line of the user's code that made a culprit, or None."""
    found = None if isinstance(node.obj, CACHED) else own_place(node.obj)
    while found is None and node.parent is not None:
        owner, attribute = node.owner()
        found = attribute_place(owner, attribute) if attribute else None
        found = found or own_place(node.obj) or own_place(node.parent.obj)
        node = node.parent
    return found


def own_place(obj):
    """Return where the user's code wrote a function or class, or None."""
    place = code_place(obj)
    return place if place and is_user_file(place["file"]) else None


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


# ---------------------------------------------------------------- what else shows


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


def is_user_class(cls):
    """Return whether a class is defined in the user's own code."""
    module = sys.modules.get(cls.__module__)
    if cls.__module__ == "builtins" or module is None:
        return False
    return is_user_file(getattr(module, "__file__", None) or "")


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


# ---------------------------------------------------------------- the report


class Report:
    """JSON lines in a file of our own, so that the program's prints do not mix."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8") if path else None  # noqa: SIM115
        self.lock = threading.Lock()
        self.rows = []

    def write(self, event, **data):
        """Write one line."""
        row = dict(event=event, **data)
        if self.file is None:
            self.rows.append(row)
            return
        with self.lock:
            self.file.write(json.dumps(row, default=repr) + "\n")
            self.file.flush()


WHERE = {
    "main": "the main module",
    "init": "the worker's initializer",
    "fetch": "the first batch",
    "task": "the first task",
    "died": "the worker",
}


class Boundary:
    """One call that ships objects to workers: its parts, and what to do with them there."""

    def __init__(self, kind, parts, place=None, workers=1, method="spawn", job=None, draw=None):
        self.kind = kind
        self.parts = parts  # [(label, object)]
        self.place = place
        self.workers = workers
        self.method = method
        self.job = job or {}
        self.draw = draw or (lambda: None)  # what the parent does once its workers have started
        self.loader = None  # the id of the loader that it is of
        self.forced = False  # whether the program itself gives it no workers


def light(cost):
    """Return whether a part pickles, and is small enough to be loaded back."""
    return cost is not None and cost["bytes"] + cost["shared"] <= SPOOL_LIMIT


class Probe:
    """Examines boundaries and writes what it finds."""

    def __init__(self, report, load=True, seconds=TASK_SECONDS):
        self.report = report
        self.load = load and os.name == "posix" and bool(SOURCE)
        self.seconds = seconds
        self.number = 0
        self.at = None  # the loader that is examined
        self.seen = set()

    def examine(self, boundary, when=""):
        """Examine all parts of a boundary; tell whether all of them pickle."""
        self.number += 1
        self.at = boundary.loader or self.number
        self.report.write(
            "boundary",
            number=self.number,
            kind=boundary.kind,
            place=boundary.place,
            workers=boundary.workers,
            method=boundary.method,
            forced=boundary.forced,
            when=when,
        )
        costs = [self.part(label, obj, when) for label, obj in boundary.parts]
        if self.load and not when:
            self.send(boundary, [part for part, cost in zip(boundary.parts, costs) if light(cost)])
        return all(cost is not None for cost in costs)

    def part(self, label, obj, when):
        """Pickle one part; report its culprits or return its cost."""
        row = {"part": label, "type": describe(obj), "when": when}
        try:
            cost = measure(obj)
        except FAILS as error:
            self.report.write("part", ok=False, **row)
            for culprit in find_culprits(obj, label, error):
                self.culprit(culprit, "pickle", when)
            self.handles(obj, label, when)
            return None
        if not when:
            levels = 1 if cost["ms"] > SLOW_MS else 4
            self.report.write("part", ok=True, largest=largest(obj, label, levels), **row, **cost)
            self.handles(obj, label, when)
        if not light(cost) and not when:
            self.report.write("note", text=f"{label} is too large to be unpickled in a test worker")
        return cost

    def handles(self, obj, label, when):
        """Report the handles that a fork would share."""
        for row in [] if when else descriptors(obj, label):
            self.report.write("shared", **row)

    def culprit(self, culprit, stage, when=""):
        """Report a culprit, once for each loader: it is there in the next epoch too."""
        key = (self.at, culprit["path"], culprit["type"], culprit["error"]["message"])
        if key not in self.seen:
            self.seen.add(key)
            self.report.write("culprit", boundary=self.number, stage=stage, when=when, **culprit)

    def send(self, boundary, parts):
        """Load the good parts back in a spawned child, and do the first piece of work there."""
        if not parts:
            return
        whole = len(parts) == len(boundary.parts)
        with tempfile.TemporaryDirectory(prefix="dlfix-") as folder:
            try:
                child = Child(folder, boundary, parts, whole, self.seconds)
            except Exception as error:
                self.report.write("note", text=f"not unpickled: {error}")
                return
            for row in child.run():
                self.answer(boundary, row)

    def answer(self, boundary, row):
        """Report what the child said."""
        stage = row["stage"]
        if stage == "differs":
            self.report.write("difference", text=row["text"])
            return
        if stage == "note":
            self.report.write("note", text=row["text"])
            return
        label = row.get("part") or WHERE.get(stage, boundary.kind)
        place = row["error"].get("place") or boundary.place
        obj = dict(boundary.parts).get(row.get("part"))
        attribute = ""
        if stage == "alike":
            place = path_place(boundary.parts, label) or boundary.place
            attribute = label.rpartition(".")[2]
        if stage == "stream":
            place = own_place(getattr(type(obj), "__iter__", None)) or boundary.place
        if stage == "load" and obj is not None:
            place = load_place(obj, place)
        self.culprit(
            {
                "path": label,
                "type": row.get("type") or (describe(obj) if obj is not None else ""),
                "error": row["error"],
                "place": place,
                "hook": "",
                "attribute": attribute,
                "inner": [],
            },
            stage,
        )


def path_place(parts, path):
    """Return the line that made what hangs at a path below one of some parts."""
    nodes = (node for label, obj in parts for node in below(obj, label))
    found = next((node for node in nodes if node.path() == path), None)
    return place_of(found) if found is not None else None


def load_place(obj, place):
    """Return the best place there is for a part that pickles and does not load."""
    return own_place(obj if isinstance(obj, CODED) else type(obj)) or place


# ---------------------------------------------------------------- the spawned child


class Child:
    """A child started as spawn starts one, that loads what the parent pickled."""

    def __init__(self, folder, boundary, parts, whole, seconds):
        self.folder = folder
        self.seconds = seconds
        self.result = os.path.join(folder, "result")
        self.sending = Sending()
        job = dict(boundary.job if whole else {}, workers=boundary.workers, result=self.result)
        job["preparation"] = preparation()
        job["parts"] = [self._spool(label, obj) for label, obj in parts]
        job["whole"] = self._spool("whole", dict(parts))[1]
        job["outlines"] = {label: outline(obj, label) for label, obj in parts}
        drawn = boundary.draw() if whole else None
        job["index"] = drawn[0] if drawn else None
        if boundary.job.get("work") == "fetch" and not drawn:
            job.pop("work", None)
        with open(os.path.join(folder, "job"), "wb") as file:
            pickle.dump(job, file)

    def _spool(self, label, obj):
        path = os.path.join(self.folder, f"part{len(os.listdir(self.folder))}")
        with open(path, "wb") as file, self.sending:
            ForkingPickler(file).dump(obj)
        return label, path

    def run(self):
        """Run the child; return its rows, and one more if it died or was too slow."""
        config = os.path.join(self.folder, "config")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mode": "child", "job": os.path.join(self.folder, "job")}, file)
        command = [sys.executable, *util._args_from_interpreter_flags(), "-c", bootstrap(SOURCE)]
        quiet = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.PIPE,
        }
        fds = [fd for fd in set(self.sending.fds) if is_open(fd)]
        child = subprocess.Popen([*command, config], pass_fds=fds, **quiet)
        late = False
        try:
            _, stderr = child.communicate(timeout=LOAD_SECONDS + self.seconds)
        except subprocess.TimeoutExpired:
            late = True
            child.kill()
            _, stderr = child.communicate()
        return self._rows(late, child.returncode, stderr)

    def _rows(self, late, status, stderr):
        try:
            with open(self.result, encoding="utf-8") as file:
                rows = [json.loads(line) for line in file]
        except OSError:
            rows = []
        stage = next((r["text"] for r in reversed(rows) if r["stage"] == "begin"), "start")
        done = [r for r in rows if r["stage"] not in ("begin", "end")]
        if rows and rows[-1]["stage"] == "end":
            return done
        if late:
            text = f"the worker did not finish ({stage}) within {LOAD_SECONDS + self.seconds} s"
            return [*done, {"stage": "note", "text": text}]
        last = (stderr.decode(errors="replace").strip().splitlines() or [""])[-1]
        message = f"the worker exited with status {status} ({stage}): {last}"
        error = {"type": "died", "message": message.rstrip(": "), "place": None}
        return [*done, {"stage": "died", "error": error}]


def is_open(fd):
    """Return whether a descriptor is open."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def preparation():
    """Return what spawn tells a child before it loads anything."""
    data = spawn.get_preparation_data("dlfix")
    data["authkey"] = bytes(process.current_process().authkey)
    data.pop("log_to_stderr", None)
    return data


def child(config):
    """Be the worker: import the main module, load the parts, do the first piece of work."""
    with open(config["job"], "rb") as file:
        job = pickle.load(file)
    report = Report(job["result"])

    def say(stage, **data):
        report.write("child", stage=stage, **data)

    say("begin", text="importing the main module")
    process.current_process()._inheriting = True
    try:
        job["preparation"]["authkey"] = process.AuthenticationString(job["preparation"]["authkey"])
        spawn.prepare(job["preparation"])
        say("begin", text="loading")
        loaded = load_parts(job, say)
    except BaseException as error:
        say("main", error=error_data(error))
        loaded = None
    finally:
        del process.current_process()._inheriting
    if loaded is not None:
        work(job, loaded, say)
    say("end")
    os._exit(0)


def load_parts(job, say):
    """Load all parts in one piece, as a worker does; else say which of them fails."""
    try:
        loaded = load(job["whole"])
    except Exception as error:
        fails = [fails_to_load(label, path, say) for label, path in job["parts"]]
        if not any(fails):
            say("load", part=job["parts"][0][0], error=error_data(error))
        return None
    for label, obj in loaded.items():
        for text in differences(job["outlines"][label], outline(obj, label)):
            say("differs", text=text)
    return loaded


def load(path):
    """Load what the parent pickled."""
    with open(path, "rb") as file:
        return pickle.load(file)


def fails_to_load(label, path, say):
    """Say if a part cannot be loaded, and tell it."""
    try:
        load(path)
    except Exception as error:
        say("load", part=label, error=error_data(error))
        return True
    return False


def work(job, loaded, say):
    """Do what the worker would do first; what it makes must be able to go back."""
    kind = job.get("work")
    if kind is None:
        return
    say("begin", text="working")
    timer = threading.Timer(TASK_SECONDS, too_slow, [say])
    timer.daemon = True
    timer.start()
    with contextlib.suppress(Failed):
        if kind == "fetch":
            fetch(job, loaded, say)
        else:
            give_back(call(job, loaded, say), say)


class Failed(Exception):
    """The work failed and that was said."""


def too_slow(say):
    """End a worker whose first piece of work takes long: that proves nothing."""
    say(
        "note",
        text=f"the first task of the worker took longer than {TASK_SECONDS} s; the probe "
        "did not wait for it",
    )
    say("end")
    os._exit(0)


def attempt(stage, say, function, *args, **kwargs):
    """Call, and say what was raised; the end of an iterable dataset is no failure."""
    try:
        return function(*args, **kwargs)
    except StopIteration:
        raise Failed from None
    except BaseException as error:
        say(stage, error=error_data(error))
        raise Failed from error


def fetch(job, loaded, say):
    """Fetch the first batch, send it back, and hold it beside another worker's."""
    before = random_states(loaded)
    fetcher = fetcher_of(0, job, loaded, say)
    batch = attempt("fetch", say, fetcher.fetch, job["index"])
    give_back(batch, say)
    drawn = {p: state for p, state in random_states(loaded).items() if before.get(p) != state}
    if job["workers"] > 1:
        compare_streams(job, fetcher, batch, say)
        if drawn:
            compare_draws(job, drawn, say)


def compare_streams(job, fetcher, batch, say):
    """Say if another worker yields the same samples of an iterable dataset, and not since all are alike."""
    if job["dataset_kind"] != ITERABLE:
        return
    try:
        following = digest(fetcher.fetch(job["index"]))
        other = digest(fetch_as_another(job, load(job["whole"])))
    except Exception:  # one of them has no more: that proves nothing
        return
    if other == digest(batch) != following:
        error = {"type": "", "message": SAME_STREAM, "place": None}
        say("stream", part="loader.dataset", error=error)


ITERABLE = 1  # of torch's _DatasetKind
SAME_STREAM = "all workers yield the same samples: the stream is not split among them"


def fetch_as_another(job, loaded):
    """Fetch the first batch in the place of the second worker; raise Failed."""
    fetcher = fetcher_of(1, job, loaded, say_nothing)
    return attempt("fetch", say_nothing, fetcher.fetch, job["index"])


def say_nothing(*args, **kwargs):
    """Say nothing."""


def fetcher_of(number, job, loaded, say):
    """Return what fetches in a worker, made as torch's worker loop makes it."""
    import torch
    from torch.utils.data.dataloader import _DatasetKind

    torch.set_num_threads(1)
    dataset, collate = loaded["loader.dataset"], loaded["loader.collate_fn"]
    be_worker(number, dataset, job["workers"])
    if "loader.worker_init_fn" in loaded:
        attempt("init", say, loaded["loader.worker_init_fn"], number)
    create, given = _DatasetKind.create_fetcher, (job["auto"], collate, job["drop_last"])
    return attempt("fetch", say, create, job["dataset_kind"], dataset, *given)


def be_worker(number, dataset, workers):
    """Make `get_worker_info()` tell what it tells in a worker."""
    from torch.utils.data import _utils

    facts = {"id": number, "num_workers": workers, "seed": number, "dataset": dataset}
    with contextlib.suppress(Exception):  # another torch: it tells None then
        _utils.worker._worker_info = _utils.worker.WorkerInfo(**facts)


def randoms(loaded):
    """Yield the random generators that hang from a dataset, with their paths."""
    for node in below(loaded["loader.dataset"], "loader.dataset"):
        source = bound_self(node.obj) or node.obj  # of `self.draw = random.random`
        if type_name(source) in RANDOM:
            yield node.path(), source


RANDOM = ("random.Random", "numpy.random._generator.Generator", "numpy.random.mtrand.RandomState")


def random_states(loaded):
    """Return the type and the state of all random generators of a dataset."""
    return {path: (type_name(source), pickle.dumps(source)) for path, source in randoms(loaded)}


def compare_draws(job, drawn, say):
    """Say which generators another worker leaves in the same state, and not since each sample seeds them."""
    again = states_of_another(job)
    moved = states_of_another(job, draws=1)
    for path, state in drawn.items():
        if again.get(path) == state != moved.get(path):
            error = {"type": "", "message": SAME_DRAWS, "place": None}
            say("alike", part=path, type=state[0], error=error)


def states_of_another(job, draws=0):
    """Return the states of all generators in a second worker, that has drawn some numbers before."""
    loaded = load(job["whole"])
    for _, source in list(randoms(loaded)) * draws:
        source.random()
    fetch_as_another(job, loaded)
    return random_states(loaded)


SAME_DRAWS = "all workers draw the same random numbers from their copies of the generator"


def call(job, loaded, say):
    """Run the initializer and the first task of a pool."""
    values = {label: loaded.get(label) for label in loaded}
    if "pool.initializer" in values:
        attempt("init", say, values["pool.initializer"], *values.get("pool.initargs", ()))
    args, kwargs = values.get("task.args", ()), values.get("task.kwargs", {})
    try:
        return values["task.func"](*args, **kwargs)
    except Exception as error:
        return error


def give_back(result, say):
    """Pickle a result and load it again, as the way back does."""
    raised = isinstance(result, BaseException)
    try:
        with Sending():
            sink = io.BytesIO()
            ForkingPickler(sink).dump(result)
    except Exception as error:
        for culprit in find_culprits(result, "result", error)[:5]:
            say("return", part=culprit["path"], error=culprit["error"])
        return
    if not raised:
        return
    try:
        pickle.loads(sink.getvalue())
    except Exception as error:
        data = error_data(error)
        data["place"] = code_place(type(result)) or raised_at(result)
        say("return", part=type_name(result), error=data)


# ---------------------------------------------------------------- the boundaries


class Watch:
    """Stands at each boundary of the running program."""

    def __init__(self, probe, go_on):
        self.probe = probe
        self.go_on = go_on
        self.loaders = []  # all that were made and have workers
        self.idle = []  # and the first of those that have none
        self.at_idle = False  # whether the program was stopped at one of these
        self.examined = set()
        self.met = 0
        self.stops = 0
        self.go_on_inside = False  # within a pool's own starting of its workers

    @contextlib.contextmanager
    def inside(self):
        """Let everything pass that starts within."""
        before, self.go_on_inside = self.go_on_inside, True
        try:
            yield
        finally:
            self.go_on_inside = before

    def stop(self):
        """End the program here; one that swallows it again and again is ended for good."""
        self.met += 1
        if self.go_on:
            return
        self.stops += 1
        if self.stops > 3 or threading.current_thread() is not threading.main_thread():
            self.finish()
            self.probe.report.write("end", how="stopped")
            os._exit(0)
        raise Stop

    def finish(self):
        """Examine the loaders that were made and not yet started."""
        if self.go_on:
            return
        self.take(self.loaders)
        if self.at_idle or not self.met:
            self.take(self.idle)

    def take(self, loaders):
        """Examine those of some loaders that were not yet."""
        for loader in loaders:
            if id(loader) not in self.examined:
                self.met += 1
                self.loader(loader, loader.__dict__.get("_dlfix_place"))

    def loader(self, loader, place=None):
        """Examine a loader as its workers would start, and as they would start once more."""
        first = id(loader) not in self.examined
        self.examined.add(id(loader))
        boundary = loader_boundary(loader, place)
        if not first:
            self.probe.examine(boundary, when="next epoch")
            return
        fine = self.probe.examine(boundary)
        if fine and not getattr(loader, "persistent_workers", False) and boundary.draw():
            self.probe.examine(boundary, when="next epoch")


MOST_IDLE = 20  # loaders without workers that are kept to be examined


def loader_boundary(loader, place=None):
    """Return a loader's boundary: what is pickled, and what its first worker does first."""
    optional = {"collate_fn": loader.collate_fn, "worker_init_fn": loader.worker_init_fn}
    parts = [("loader.dataset", loader.dataset)]
    parts += [("loader." + k, v) for k, v in optional.items() if v is not None]
    workers = loader.num_workers or 1
    job = {
        "work": "fetch",
        "dataset_kind": loader._dataset_kind,
        "auto": loader._auto_collation,
        "drop_last": loader.drop_last,
    }
    kind = type(loader).__name__
    draw = functools.partial(draw_indices, loader, [])
    ctx = getattr(loader, "multiprocessing_context", None)
    method = method_of(ctx, own=ctx is not None)
    boundary = Boundary(kind, parts, place, workers, method, job, draw)
    boundary.loader = id(loader)
    boundary.forced = loader.num_workers == 0
    return boundary


ASKED = []  # the start methods that the program has set


def method_of(ctx, own=False):
    """Return the start method that is asked for by a context, else by the program, else "default".

    The default context is known from one that the program made where it is its `own`.
    """
    default = context._default_context
    if own or ctx not in (None, default, default._actual_context):
        return ctx._name
    return (ASKED and ASKED[-1]) or "default"


def draw_indices(loader, kept):
    """Return the first batch's indices, drawn in the parent as torch draws them: once."""
    if not kept:
        try:
            kept.append(next(iter(loader._index_sampler)))
        except Exception:
            return None
    return kept


def process_parts(started):
    """Return what crosses with a process."""
    target, args = started._target, started._args
    if getattr(target, "__module__", "") == "torch.multiprocessing.spawn" and len(args) >= 3:
        return [("spawn.fn", args[0])] + [(f"spawn.args[{i}]", a) for i, a in enumerate(args[2])]
    parts = [] if target is None else [("process.target", target)]
    parts += [(f"process.args[{i}]", a) for i, a in enumerate(args)]
    parts += [(f"process.kwargs[{k!r}]", v) for k, v in started._kwargs.items()]
    if type(started).__module__.partition(".")[0] not in ("multiprocessing", "torch"):
        parts.append(("type(process)", type(started)))
        own = {k: v for k, v in vars(started).items() if k not in PROCESS_STATE}
        parts += [("process." + k, v) for k, v in own.items()]
    return parts


def worker_loop_parts(started):
    """Return what crosses with a worker of a loader that has an iterator of its own."""
    if getattr(started._target, "__name__", "") != "_worker_loop":
        return []
    names = list(inspect.signature(started._target).parameters)
    given = dict(zip(names, started._args), **started._kwargs)
    labels = {"dataset": "dataset", "collate_fn": "collate_fn", "init_fn": "worker_init_fn"}
    parts = [("loader." + label, given.get(name)) for name, label in labels.items()]
    return [part for part in parts if part[1] is not None]


PROCESS_STATE = set(vars(process.BaseProcess())) | {"_start_method"}


def task_boundary(pool, func, args, kwargs):
    """Return the boundary of a task that a worker of a pool or executor would run."""
    parts = []
    if pool._initializer is not None:
        parts = [("pool.initializer", pool._initializer), ("pool.initargs", tuple(pool._initargs))]
    parts += [("task.func", func), ("task.args", tuple(args))]
    parts += [("task.kwargs", kwargs)] if kwargs else []
    is_executor = hasattr(pool, "_mp_context")
    kind = "ProcessPoolExecutor" if is_executor else "Pool"
    method = method_of(pool._mp_context if is_executor else pool._ctx)
    workers = pool._max_workers if is_executor else pool._processes
    return Boundary(kind, parts, call_place(), workers or 1, method, {"work": "call"})


def first_of(iterable):
    """Return an iterable with all its items, and a list of the first; what has no end is no matter."""
    if isinstance(iterable, (list, tuple, range)):
        return iterable, list(iterable[:1])
    rest = iter(iterable)
    first = list(itertools.islice(rest, 1))
    return itertools.chain(first, rest), first


# ---------------------------------------------------------------- standing at the boundaries


def watch_processes(watch):
    """Stand at `Process.start`."""
    start = process.BaseProcess.start

    @functools.wraps(start)
    def stopped(self):
        module = getattr(self._target, "__module__", "") or ""
        if module.startswith("multiprocessing.") or watch.go_on_inside:
            return start(self)
        own = worker_loop_parts(self)
        if own:  # of a loader with an iterator of its own
            watch.examined.update(id(each) for each in watch.loaders if each.dataset is own[0][1])
        kind, parts = ("DataLoader", own) if own else ("Process", process_parts(self))
        method = self._start_method or method_of(None)
        watch.probe.examine(Boundary(kind, parts, call_place(), 1, method))
        watch.stop()
        return start(self)

    process.BaseProcess.start = stopped


def watch_pools(watch):
    """Stand at the methods of `multiprocessing.Pool` that send tasks; start none of its workers."""
    from multiprocessing import pool

    real = pool.Pool.__init__

    @functools.wraps(real)
    def init(self, processes=None, initializer=None, initargs=(), maxtasks=None, context=None):
        if watch.go_on or isinstance(self, pool.ThreadPool):
            with watch.inside():
                real(self, processes, initializer, initargs, maxtasks, context)
            return
        self._state, self._pool, self._processes = pool.CLOSE, [], processes or os.cpu_count()
        self._initializer, self._initargs = initializer, initargs
        self._ctx = context

    pool.Pool.__init__ = init
    for name in ("_check_running", "close", "join", "terminate"):
        setattr(pool.Pool, name, unless_dead(getattr(pool.Pool, name)))
    for name in ("apply", "apply_async"):
        setattr(pool.Pool, name, sends_call(watch, getattr(pool.Pool, name)))
    for name in ("map", "map_async", "imap", "imap_unordered", "starmap", "starmap_async"):
        setattr(pool.Pool, name, sends_items(watch, getattr(pool.Pool, name), "star" in name))


def unless_dead(method):
    """Return a method that does nothing for a pool whose workers were never started."""

    @functools.wraps(method)
    def call(self):
        return method(self) if hasattr(self, "_worker_handler") else None

    return call


def pool_task(watch, pool, func, args, kwargs):
    """Examine a pool's task."""
    from multiprocessing.pool import ThreadPool

    if isinstance(pool, ThreadPool) or watch.go_on_inside:
        return
    watch.probe.examine(task_boundary(pool, func, args, kwargs))
    watch.stop()


def sends_call(watch, method):
    """Wrap `Pool.apply` and the like."""

    @functools.wraps(method)
    def call(self, func, args=(), kwds=None, *rest, **named):
        pool_task(watch, self, func, args, kwds or {})
        with watch.inside():
            return method(self, func, args, kwds or {}, *rest, **named)

    return call


def sends_items(watch, method, star):
    """Wrap `Pool.map` and the like."""

    @functools.wraps(method)
    def call(self, func, iterable, *rest, **named):
        items, first = first_of(iterable)
        pool_task(watch, self, func, first[0] if star and first else first, {})
        with watch.inside():
            return method(self, func, items, *rest, **named)

    return call


def watch_executors(watch):
    """Stand at `ProcessPoolExecutor.submit` and `.map`."""
    from concurrent.futures import ProcessPoolExecutor as Executor

    submit, map_ = Executor.submit, Executor.map

    def look(self, func, args, kwargs):
        watch.probe.examine(task_boundary(self, func, args, kwargs))
        watch.stop()

    @functools.wraps(submit)
    def submitted(self, fn, *args, **kwargs):
        if not watch.go_on_inside:
            look(self, fn, args, kwargs)
        with watch.inside():
            return submit(self, fn, *args, **kwargs)

    @functools.wraps(map_)
    def mapped(self, fn, *iterables, **named):
        pairs = [first_of(iterable) for iterable in iterables]
        look(self, fn, [item for _, first in pairs for item in first], {})
        with watch.inside():
            return map_(self, fn, *(items for items, _ in pairs), **named)

    Executor.submit, Executor.map = submitted, mapped


def watch_loaders(watch, module):
    """Stand where `torch.utils.data.DataLoader` starts its workers."""
    loader_class = module.DataLoader
    real, init = loader_class._get_iterator, loader_class.__init__

    @functools.wraps(init)
    def made(self, *args, **kwargs):
        init(self, *args, **kwargs)
        kept = watch.loaders if self.num_workers > 0 else watch.idle
        if self.num_workers > 0 or len(kept) < MOST_IDLE:
            self.__dict__["_dlfix_place"] = call_place()
            kept.append(self)

    @functools.wraps(real)
    def iterate(self):
        watch.at_idle = self.num_workers == 0
        watch.loader(self, call_place())
        watch.stop()
        return without_workers(self, real)

    loader_class.__init__, loader_class._get_iterator = made, iterate


def without_workers(loader, real):
    """Return a loader's iterator in this process, as with no workers."""
    saved = loader.num_workers, loader.timeout
    loader.num_workers, loader.timeout = 0, 0
    try:
        return real(loader)
    finally:
        loader.num_workers, loader.timeout = saved


def when_imported(name, function):
    """Call `function(module)` once the module is imported, or now."""
    if name in sys.modules:
        function(sys.modules[name])
        return
    sys.meta_path.insert(0, Finder(name, function))


class Finder(importlib.abc.MetaPathFinder):
    """Finds a module as the others do, and has a function called once it ran."""

    def __init__(self, name, function):
        self.name = name
        self.function = function

    def find_spec(self, name, path=None, target=None):
        """Return the module's own spec, its loader wrapped."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            self.function(module)

        spec.loader.exec_module = exec_module
        return spec


# ---------------------------------------------------------------- fetching for real


class Run:
    """Fetches the first batch of the first loader under one start method, for real."""

    def __init__(self, report, method):
        self.report = report
        self.method = method  # "none" for no workers
        self.inside = False  # a loader of ours starts its workers
        self.loaders = []

    def take(self, loaders):
        """Fetch from the first of some loaders."""
        for loader in loaders:
            next(iter(loader))

    def watch_processes(self):
        """Stand at `Process.start`: what a process of its own would do is never run."""
        start = process.BaseProcess.start

        @functools.wraps(start)
        def started(process):
            kind = "" if self.inside else starter(process)
            if kind:
                self.report.write("other", kind=kind, place=call_place())
            if kind == "Process":
                raise Stop
            return start(process)

        process.BaseProcess.start = started

    def watch(self, module):
        """Stand at the loader's iteration."""
        loader_class = module.DataLoader
        real = loader_class._get_iterator

        @functools.wraps(real)
        def iterate(loader):
            if self.inside:
                return real(loader)
            self.inside = True
            self.fetch(loader, real)
            raise Stop

        loader_class._get_iterator = iterate

    def fetch(self, loader, real):
        """Fetch the first batch and report it."""
        kind, forced = type(loader).__name__, loader.num_workers == 0
        self.report.write("boundary", number=1, kind=kind, place=call_place(), forced=forced)
        seed_all()
        start = time.perf_counter()
        try:
            batch = next(self._iterator(loader, real))
        except Exception as error:
            self.report.write("fetched", ok=False, error=error_data(error))
            return
        took = round(time.perf_counter() - start, 3)
        self.report.write(
            "fetched", ok=True, batch=summary(batch), digest=digest(batch), seconds=took
        )

    def _iterator(self, loader, real):
        if self.method == "none":
            return without_workers(loader, real)
        force_workers(loader)
        loader.multiprocessing_context = self.method
        return real(loader)


def force_workers(loader):
    """Give a loader that has no workers one, as its argument `num_workers=1` would."""
    if loader.num_workers == 0:
        loader.num_workers = 1
        loader.prefetch_factor = loader.prefetch_factor or 2  # torch's default with workers


def starter(started):
    """Return what starts a process: a `Pool`, an executor, the program itself, or a helper ("")."""
    if "PoolWorker" in started.name:
        return "Pool"
    module = getattr(started._target, "__module__", "") or ""
    if module == "concurrent.futures.process":
        return "ProcessPoolExecutor"
    return "" if module.startswith("multiprocessing.") else "Process"


def seed_all():
    """Seed what a program draws from, so that runs can be compared."""
    import random

    random.seed(0)
    for name, seed in (
        ("numpy", lambda m: m.random.seed(0)),
        ("torch", lambda m: m.manual_seed(0)),
    ):
        if name in sys.modules:
            seed(sys.modules[name])


def summary(batch):
    """Return a batch's shape in a few words."""
    if hasattr(batch, "shape") and hasattr(batch, "dtype"):
        return "{}[{}]".format(type(batch).__name__, ", ".join(map(str, batch.shape)))
    if isinstance(batch, dict):
        return "{{{}}}".format(", ".join(f"{k}: {summary(v)}" for k, v in list(batch.items())[:6]))
    if isinstance(batch, (list, tuple)):
        more = ", ..." if len(batch) > 4 else ""
        return "[{}{}]".format(", ".join(summary(v) for v in batch[:4]), more)
    return type(batch).__name__


def digest(batch):
    """Return a hash of a batch's values."""
    import hashlib

    found = hashlib.sha1()
    for piece in pieces(batch):
        found.update(piece)
    return found.hexdigest()


def pieces(value):
    """Yield a batch's values as bytes."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        value = value.detach().cpu()
        value = value.float().numpy() if "bfloat16" in str(value.dtype) else value.numpy()
    if hasattr(value, "tobytes"):
        yield value.tobytes()
    elif isinstance(value, dict):
        for key in value:
            yield repr(key).encode()
            yield from pieces(value[key])
    elif isinstance(value, (list, tuple)):
        yield b"("
        for item in value:
            yield from pieces(item)
    else:
        yield (repr(value) if isinstance(value, ATOMS) else type_name(value)).encode()


# ---------------------------------------------------------------- running the program


def run_script(path, args):
    """Run a script as `python path args` would."""
    path = os.path.abspath(path)
    sys.argv = [path, *args]
    sys.path.insert(0, os.path.dirname(path))
    main_module = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    main_module.__dict__.update(__file__=path, __builtins__=__builtins__, __loader__=loader)
    sys.modules["__main__"] = main_module
    code = loader.source_to_code(loader.get_data(path), path)
    exec(code, main_module.__dict__)


def run_factory(target, args, watch):
    """Call `package.module:factory` and take its loaders; return what it gave if it has none."""
    name, _, attributes = target.partition(":")
    sys.argv = [name, *args]
    sys.path.insert(0, os.getcwd())
    sys.modules["__main__"] = types.ModuleType("__main__")
    made = importlib.import_module(name)
    watch.loaders.clear()  # those that the module made besides
    for attribute in attributes.split("."):
        made = getattr(made, attribute)
    if isinstance(made, type) or (callable(made) and not hasattr(made, "__getitem__")):
        made = made(*args)
    loaders = loaders_in(made) or list(watch.loaders)
    watch.take(loaders)
    return "" if loaders else type_name(made)


def loaders_in(made):
    """Return the loaders in what a factory returned; bare datasets get one each."""
    data = sys.modules.get("torch.utils.data")
    if data is None:
        return []
    values = list(made.values()) if isinstance(made, dict) else [made]
    values = list(made) if isinstance(made, (list, tuple)) else values
    loaders = [value for value in values if isinstance(value, data.DataLoader)]
    datasets = [value for value in values if isinstance(value, data.Dataset)]
    return loaders or [data.DataLoader(dataset, num_workers=1) for dataset in datasets]


def run_target(config, watch):
    """Run what was asked for; return how it ended, as data."""
    made = ""
    try:
        if config["factory"]:
            made = run_factory(config["target"], config["args"], watch)
        else:
            run_script(config["target"], config["args"])
    except Stop:
        return {"how": "stopped"}
    except SystemExit as error:
        return {"how": "exit", "status": str(error.code if error.code is not None else 0)}
    except BaseException as error:
        return {"how": "raised", "error": error_data(error)}
    return {"how": "finished", "made": made}


def main(path):
    """Run the mode that the JSON file at `path` asks for."""
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    if config["mode"] == "child":
        child(config)
        return
    report = Report(config["result"])
    report.write("start", python=sys.version.split()[0], executable=sys.executable)
    if config["mode"] == "run":
        run_once(config, report)
        return
    prefer_spawn()
    watch = Watch(Probe(report), config["go_on"])
    watch_processes(watch)
    watch_pools(watch)
    watch_executors(watch)
    when_imported("torch.utils.data.dataloader", functools.partial(watch_loaders, watch))
    end = run_target(config, watch)
    if not config["factory"]:
        watch.finish()
    started = bool(watch.stops or (watch.go_on and watch.met))
    report.write("end", started=started, torch=has_torch(), **end)


def run_once(config, report):
    """Fetch the first batch under one start method."""
    run = Run(report, config["method"])
    if config["method"] != "none":
        multiprocessing.set_start_method(config["method"], force=True)
        multiprocessing.set_start_method = lambda *args, **kwargs: None
        context.DefaultContext.set_start_method = lambda *args, **kwargs: None
    run.watch_processes()
    when_imported("torch.utils.data.dataloader", run.watch)
    end = run_target(config, run)
    report.write("end", torch=has_torch(), **end)


def prefer_spawn():
    """Make spawn the default where the program does not ask for another method."""
    context._default_context._default_context = context._concrete_contexts["spawn"]
    real = multiprocessing.set_start_method

    @functools.wraps(real)
    def set_start_method(method, force=False):
        real(method, force)
        ASKED.append(method)

    multiprocessing.set_start_method = set_start_method


def has_torch():
    """Return whether this interpreter has torch."""
    return "torch" in sys.modules or importlib.util.find_spec("torch") is not None


# ---------------------------------------------------------------- for use in a running test


def examine(loader: object) -> "list[dict[str, typing.Any]]":
    """Return the culprits of a loader, a dataset or a container of them; nothing is started."""
    report = Report(None)
    probe = Probe(report, load=False)
    loaders = [loader] if hasattr(loader, "_index_sampler") else loaders_in(loader)
    if not loaders:
        raise TypeError(f"expected a DataLoader or a dataset, got {type_name(loader)}")
    for each in loaders:
        probe.examine(loader_boundary(each))
    return [row for row in report.rows if row["event"] == "culprit"]


def sentence(culprit: "dict[str, typing.Any]") -> str:
    """Return one line about a culprit."""
    place = culprit["place"]
    where = " ({}:{})".format(place["file"], place["line"]) if place else ""
    error = culprit["error"]
    return "{}{} cannot be sent to a worker: {}: {}".format(
        culprit["path"],
        where,
        error["type"],
        error["message"],
    )
