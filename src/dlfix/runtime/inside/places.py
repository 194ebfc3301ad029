"""Where things are: whose code a file is, and which line made an object."""

import ast
import functools
import inspect
import os
import sys
import sysconfig
import textwrap
import traceback
import types

_PLACES = sysconfig.get_paths()
LIBRARY = tuple(
    {os.path.realpath(_PLACES[k]) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
)


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


def own_place(obj):
    """Return where the user's code wrote a function or class, or None."""
    place = code_place(obj)
    return place if place and is_user_file(place["file"]) else None


def is_user_class(cls):
    """Return whether a class is defined in the user's own code."""
    module = sys.modules.get(cls.__module__)
    if cls.__module__ == "builtins" or module is None:
        return False
    return is_user_file(getattr(module, "__file__", None) or "")
