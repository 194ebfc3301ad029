"""Imports a module of a repository with made-up libraries, makes its classes, and sends them.

    python replay_stubs.py TREE FILE [CLASS ...]

Prints `REPLAY` and JSON: whether the import works, and of each class whether it can be made, whether
another process receives it, and which attributes it has here and there.
"""

import importlib
import importlib.abc
import importlib.machinery
import inspect
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import types

# Always made up: what they open must exist, and must not pickle.
RESOURCES = {"h5py", "lmdb", "cv2", "openslide", "netCDF4", "boto3", "av", "decord", "pyvips"}
NOT_MADE_UP = {*sys.stdlib_module_names, "org", "java", "msvcrt"}
SECONDS = 10  # for making an instance
Process = subprocess.Popen


class Meta(type):
    """Classes that have whatever is asked of them."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Made

    def __iter__(cls):
        return iter(())


class Made(metaclass=Meta):
    """An object that can be used in any way, and is nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __class_getitem__(cls, item):
        return cls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Made()

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]  # as a decorator
        return Made()

    def __getitem__(self, key):
        return Made()

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 1

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __int__(self):
        return 1

    __index__ = __int__

    def __float__(self):
        return 1.0

    def __contains__(self, item):
        return False

    def __fspath__(self):
        return "made-up"

    def __hash__(self):
        return 0

    def __eq__(self, other):
        return isinstance(other, Made)

    def _same(self, *others):
        return Made()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _same
    __floordiv__ = __mod__ = __or__ = __ror__ = __and__ = __matmul__ = __neg__ = __pow__ = _same
    __lt__ = __gt__ = __le__ = __ge__ = lambda self, other: False


class Open(Made):
    """What a resource's library gives: it cannot be pickled."""

    def __call__(self, *args, **kwargs):
        return Open()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Open()

    def __getitem__(self, key):
        return Open()

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle an open resource")


class Library(types.ModuleType):
    """A module with everything in it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        top = self.__name__.partition(".")[0]
        return Open() if top in RESOURCES else type(name, (Made,), {"__module__": self.__name__})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes up the modules of some libraries, or of all that nothing else finds."""

    def __init__(self, only=None):
        self.only = only

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in self.only if self.only else top not in NOT_MADE_UP and top[0] != "_":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Library(spec.name)

    def exec_module(self, module):
        module.__path__ = []
        module.__version__ = "99.0"


def fence():
    """Let the repository's code reach nothing beyond its process."""

    def refused(*args, **kwargs):
        raise OSError("not here")

    socket.socket.connect = socket.create_connection = os.system = refused
    subprocess.Popen = type("Refused", (Process,), {"__init__": refused, "__del__": lambda _: None})


def load(tree, file):
    """Import a file as a module of its package, and as one beside its script."""
    sys.path[:0] = [os.path.join(tree, os.path.dirname(file)), tree]
    parts = file.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    name = ".".join(parts) if all(part.isidentifier() for part in parts) else parts[-1]
    try:
        return importlib.import_module(name)
    except Exception:
        return importlib.import_module(parts[-1])


def value_of(parameter):
    """Make an argument up."""
    name = parameter.name.lower()
    if any(word in name for word in ("path", "file", "root", "dir", "folder")):
        return "made-up"
    if any(word in name for word in ("num", "size", "len", "seed", "count", "idx", "index")):
        return 1
    return Made()


def make(cls):
    """Make an instance with made-up arguments; what may be None is made up where it must be."""
    try:
        return cls(*arguments(cls, required=True))
    except Exception:
        return cls(*arguments(cls, required=False))


def arguments(cls, *, required):
    """Make arguments up: those that are required, or all that have no better default than None."""
    positional = [
        parameter
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    none = (inspect.Parameter.empty,) if required else (inspect.Parameter.empty, None)
    return [
        value_of(one) if one.default in none else one.default
        for one in positional
        if not required or one.default in none
    ]


def names_of(one):
    """Name an instance's attributes, those of properties included."""
    return sorted({*vars(one), *(name for name in dir(type(one)) if not name.startswith("__"))})


def send(one, tree, file):
    """Pickle an instance, and let a fresh process unpickle it."""
    with open("sent.pickle", "wb") as out:
        pickle.dump(one, out)
    command = [sys.executable, os.path.abspath(__file__), tree, file, "--receive", "sent.pickle"]
    subprocess.Popen, fenced = Process, subprocess.Popen
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    finally:
        subprocess.Popen = fenced
    answers = [line for line in done.stdout.splitlines() if line.startswith("REPLAY ")]
    if not answers:
        raise RuntimeError(done.stderr.strip().splitlines()[-1][-200:])
    return json.loads(answers[-1].removeprefix("REPLAY "))


def _give_up(number, frame):
    raise TimeoutError("made-up arguments keep it busy")


def tried(module, name, tree, file):
    """Say what becomes of a class."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(SECONDS)
    try:
        one = make(getattr(module, name))
    except BaseException as error:
        return {"made": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.alarm(0)
    answer = {"made": "ok", "names": names_of(one)}
    try:
        answer["arrived"] = send(one, tree, file)
        answer["sent"] = "ok"
    except BaseException as error:
        answer["sent"] = f"{type(error).__name__}: {error}"[:200]
    return answer


def main():
    """Import, make and send."""
    tree, file, *classes = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")  # a class given 1 as its file closes standard output
    sys.argv = [file]
    sys.meta_path.insert(0, Finder(RESOURCES))
    sys.meta_path.append(Finder())
    fence()
    answer = {"import": "ok", "classes": {}}
    try:
        module = load(tree, file)
    except BaseException as error:
        answer["import"] = f"{type(error).__name__}: {error}"[:200]
        print("REPLAY", json.dumps(answer), file=out, flush=True)
        os._exit(0)
    if classes[:1] == ["--receive"]:
        with open(classes[1], "rb") as sent:
            print("REPLAY", json.dumps(names_of(pickle.load(sent))), file=out, flush=True)
        os._exit(0)
    for name in classes:
        if hasattr(module, name):
            answer["classes"][name] = tried(module, name, tree, file)
    print("REPLAY", json.dumps(answer), file=out, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
