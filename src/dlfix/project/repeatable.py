"""Whether a statement may run once more, in each worker, and set its names to the same values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.import_time import ImportTime, Unit
from dlfix.project.set_order import uses_of_order
from dlfix.project.syntax import FUNCTIONS, LOG_METHODS, dotted

# What gives something else, or does something to the world, each time it is called.
ONCE = (
    "print", "input", "hash", "exec", "eval", "breakpoint", "exit", "quit",
    "random", "secrets", "uuid", "time", "numpy.random", "tempfile", "subprocess", "shutil", "socket",
    "datetime.datetime.now", "datetime.datetime.today", "datetime.date.today", "sys.exit",
    "os.system", "os.makedirs", "os.mkdir", "os.remove", "os.unlink", "os.rename", "os.rmdir",
    "os.urandom", "os.getpid", "os.fork", "os.kill", "os._exit", "threading", "multiprocessing",
    "concurrent", "asyncio", "sqlite3", "signal", "atexit", "requests", "urllib", "httpx",
    "torch.rand", "torch.randn", "torch.randint", "torch.randperm", "torch.normal",
    "torch.bernoulli", "torch.multinomial", "torch.nn", "torch.optim", "torch.manual_seed",
    "torch.seed", "torch.save", "torch.distributed", "torch.multiprocessing", "torch.utils.data",
    "torch.cuda.set_device", "torch.cuda.init", "torch.Generator", "wandb", "mlflow", "tqdm", "numpy.save",
)  # fmt: skip
# What is as good the second time, though its module is among those.
_PLAIN = ("multiprocessing.cpu_count", "torch.multiprocessing.cpu_count", "time.strptime")
# What computes with what it is given, but for functions that draw random numbers.
_COMPUTES = "torch.nn.functional."
_DRAWS = ("dropout", "gumbel", "rrelu", "fractional")
ONCE_METHODS = frozenset(
    [
        "write",
        "writelines",
        "start",
        "fit",
        "train",
        "backward",
        "step",
        "cuda",
        "save",
        "shuffle",
        "sample",
        "random",
        "randint",
        "randn",
        "rand",
        "choice",
        "to_csv",
        "mkdir",
        "unlink",
        "touch",
        "commit",
        "execute",
        "write_text",
        "write_bytes",
        "run",
        "submit",
        "set_start_method",
    ]
)
# What gives the same numbers each time, where it is made from a number that is written there.
_SEEDED = frozenset(["random.Random", "numpy.random.default_rng", "numpy.random.RandomState"])
# What sets up a library, and has to be set up in a worker as well.
SETTINGS = ("os.environ", "os.putenv", "sys.path", "sys.setrecursionlimit", "warnings", "logging")
SETTING_METHODS = (
    "set", "disable", "enable", "filterwarnings", "simplefilter", "use", "basicConfig", "seterr",
    "register", "ignore",
)  # fmt: skip
# What is registered for the process that runs the script: its end, its signals.
OF_ONE_PROCESS = ("atexit.", "signal.")
NO_SETTINGS = ("seed", "set_start_method", "set_device", "set_trace", "set_printoptions")


def once_in(module: ImportTime, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Say what in a function must not run again in a worker; empty where nothing does."""
    return next((why for s in function.body for why in _once(module, s, frozenset())), "")


def once(module: ImportTime, unit: Unit) -> str | None:
    """Say what in a unit must not run again in a worker; None where nothing does."""
    return next((why for s in unit.statements for why in _once(module, s, frozenset())), None)


def sets_up_a_library(module: ImportTime, statement: ast.stmt) -> bool:
    """Return whether a statement sets something in a library, as workers need it too."""
    if isinstance(statement, ast.If):
        inner = [*statement.body, *statement.orelse]
        return all(sets_up_a_library(module, s) for s in inner)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = module.full_name(statement.value.func)
        method = name.rpartition(".")[2]
        definition = module.definitions.get(name)
        if isinstance(definition, ast.FunctionDef):
            return _only_sets_up(module, definition)
        if name.startswith(OF_ONE_PROCESS) or any(word in method for word in NO_SETTINGS):
            return False
        if name.startswith("logging.") and (
            method in (*LOG_METHODS, "shutdown") or _begins_anew(statement.value)
        ):
            return False
        return sets_by_name(module, name)
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return all(
            isinstance(t, (ast.Attribute, ast.Subscript)) and _of_import(module, t) for t in targets
        ) and not any(_once(module, statement, frozenset()))
    return False


def sets_by_name(module: ImportTime, name: str) -> bool:
    """Return whether a callee, by its full name, sets something in a library."""
    head, method = name.partition(".")[0], name.rpartition(".")[2]
    imported = head in {full.partition(".")[0] for full in module.imports.values()}
    return name.startswith(SETTINGS) or (imported and method.startswith(SETTING_METHODS))


def _only_sets_up(module: ImportTime, function: ast.FunctionDef) -> bool:
    """Return whether a function does nothing but set up a library, with texts that it makes itself."""
    statements = [*_flat(function.body)]
    calls = [each for each in statements if isinstance(each, ast.Expr) and not _is_text(each)]
    others = [each for each in statements if not isinstance(each, ast.Expr)]
    return (
        bool(calls)
        and not function.decorator_list
        and all(sets_up_a_library(module, each) for each in calls)
        and all(_gives_names_values(each) for each in others)
    )


def _flat(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, those of the branches in the place of an `if`."""
    for each in statements:
        if isinstance(each, ast.If):
            yield from _flat([*each.body, *each.orelse])
        else:
            yield each


def _is_text(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Constant)


def _gives_names_values(statement: ast.stmt) -> bool:
    """Return whether a statement does nothing but give names a value, without a call."""
    match statement:
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            targets = [target]
        case _:
            return False
    return all(isinstance(each, ast.Name) for each in targets) and not any(
        isinstance(each, ast.Call) for each in ast.walk(statement)
    )


def _begins_anew(call: ast.Call) -> bool:
    """Return whether a call empties a file that the parent logs to: `filemode="w"`."""
    constants = (each for each in ast.walk(call) if isinstance(each, ast.Constant))
    return any(each.value in ("w", "wt", "w+") for each in constants)


def _of_import(module: ImportTime, target: ast.expr) -> bool:
    while isinstance(target, ast.Subscript):
        target = target.value
    return dotted(target).partition(".")[0] in module.imports


def _once(module: ImportTime, node: ast.AST, seen: frozenset[str]) -> Iterator[str]:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return
    if node in uses_of_order(module.tree):
        yield "goes by the order of a set, which is another in each process"
    if isinstance(node, ast.Call):
        yield from _once_call(module, node, seen)
    if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
        yield f"awaits or yields (line {node.lineno})"
    for child in ast.iter_child_nodes(node):
        yield from _once(module, child, seen)


def _once_call(module: ImportTime, call: ast.Call, seen: frozenset[str]) -> Iterator[str]:
    name = module.full_name(call.func)
    if name == "open" and _writes(call):
        yield "opens a file for writing"
    elif (
        name in _PLAIN
        or (name.startswith(_COMPUTES) and not any(word in name for word in _DRAWS))
        or _is_seeded(module, call)
        or _draws_from_seeded(module, call)
        or (name.startswith("os.") and _may_be_there(call))
    ):
        pass
    elif any(name == bad or name.startswith(f"{bad}.") for bad in ONCE) or (
        isinstance(call.func, ast.Attribute) and call.func.attr in ONCE_METHODS
    ):
        yield f"calls `{ast.unparse(call.func)}`"
    definition = module.definitions.get(name)
    if isinstance(definition, FUNCTIONS) and name not in seen:
        for statement in definition.body:
            for why in _once(module, statement, seen | {name}):
                yield f"calls `{name}`, which {why}"
    elif module.outside(call).once:
        yield f"calls `{ast.unparse(call.func)}`, which {module.outside(call).once}"


def seeded(module: ImportTime) -> frozenset[str]:
    """Return the module-level names of generators that are made from a number, and of nothing else."""
    given: dict[str, list[ast.AST]] = {}
    for unit in module.units:
        for statement in unit.statements:
            for node in ast.walk(statement):
                for name in _bound_by(node):
                    given.setdefault(name, []).append(getattr(node, "value", node))
    return frozenset(
        name for name, values in given.items() if all(_is_seeded(module, each) for each in values)
    )


def _bound_by(node: ast.AST) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        if isinstance(target, ast.expr):
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _is_seeded(module: ImportTime, call: ast.AST) -> bool:
    """Return whether a call makes a generator of random numbers from a number: `np.random.default_rng(0)`."""
    if not isinstance(call, ast.Call) or module.full_name(call.func) not in _SEEDED:
        return False
    given = [*call.args, *(each.value for each in call.keywords)]
    return bool(given) and all(_is_number(module, each) for each in given)


def _is_number(module: ImportTime, given: ast.expr) -> bool:
    """Return whether an argument is a number, also by the name of a constant of the module."""
    if isinstance(given, ast.Constant):
        return given.value is not None
    return isinstance(given, ast.Name) and given.id.isupper()


def _draws_from_seeded(module: ImportTime, call: ast.Call) -> bool:
    """Return whether a call draws from a generator that the same function, or the module, makes from a number."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name)) if any(
            _is_seeded(module, each) for each in module.assigned.get(name, ())
        ):
            given = _assigned(module, call, name)
            if given is None:
                return name in seeded(module)
            return bool(given) and all(_is_seeded(module, each) for each in given)
    return False


def _assigned(module: ImportTime, node: ast.AST, name: str) -> list[ast.expr] | None:
    """Return what the function around a node gives a name; None outside of functions."""
    for definition in module.definitions.values():
        inside = [*ast.walk(definition)] if isinstance(definition, FUNCTIONS) else []
        if any(each is node for each in inside):
            return [
                each.value
                for each in inside
                if isinstance(each, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == name for t in each.targets)
            ]
    return None


def _may_be_there(call: ast.Call) -> bool:
    """Return whether a folder is made only if it is not there yet."""
    return any(
        each.arg == "exist_ok" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in call.keywords
    )


def _writes(call: ast.Call) -> bool:
    mode: ast.expr | None = call.args[1] if len(call.args) > 1 else None
    mode = next((k.value for k in call.keywords if k.arg == "mode"), mode)
    if mode is None:
        return False
    return not (isinstance(mode, ast.Constant) and set(str(mode.value)) <= set("rbtU"))
