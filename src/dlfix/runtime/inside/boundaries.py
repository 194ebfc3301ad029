"""The calls that send objects to other processes: what each sends."""

import functools
import inspect
import itertools
from multiprocessing import context, process

from .places import call_place
from .probe import Boundary


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
