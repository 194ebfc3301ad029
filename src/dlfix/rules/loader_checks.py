"""What `DataLoader.__init__` and its setters refuse: one row a branch of torch 2.13's source.

A row reads some options, by name, and says whether torch raises for them. An option is a Python
value, or a `Thing` where it is an object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

START_METHODS = ("fork", "spawn", "forkserver")
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


@dataclass(frozen=True)
class Thing:
    """An option's value that is an object, never None: its text, and what it is taken to be."""

    text: str
    kind: str = ""  # "iterable", "datapipe", "context", "other", or "" where it is not known

    def __str__(self) -> str:
        return self.text


Option = object  # a constant's value, or a Thing

DEFAULTS: Mapping[str, Option] = {
    "batch_size": 1, "shuffle": None, "sampler": None, "batch_sampler": None, "num_workers": 0,
    "collate_fn": None, "pin_memory": False, "drop_last": False, "timeout": 0,
    "worker_init_fn": None, "multiprocessing_context": None, "generator": None,
    "prefetch_factor": None, "persistent_workers": False, "pin_memory_device": "", "in_order": True,
}  # fmt: skip


@dataclass(frozen=True)
class Check:
    """One branch of the constructor: the options it reads, when it raises, and what it says.

    `culprit` is the option to name; `drop` are the options whose removal fixes the call. `rule` is
    empty, and `why` says why, for a branch that no reading of the program can decide.
    """

    rule: str
    says: str  # the message of a finding
    sentence: str  # torch's, with the options it prints in braces
    reads: tuple[str, ...]
    fails: Callable[..., bool]
    drop: tuple[str, ...] = ()
    kind: str = "ValueError"
    why: str = ""

    @property
    def culprit(self) -> str:
        """The option that is wrong."""
        return self.reads[0]

    def message(self, options: Mapping[str, Option]) -> str:
        """Return the message of a finding with these options."""
        return self.says.format_map({name: str(value) for name, value in options.items()})

    def error(self, options: Mapping[str, Option]) -> str:
        """Return the error that torch raises for these options."""
        said = self.sentence.format_map({name: str(value) for name, value in options.items()})
        return f"{self.kind}: {said}"


def _number(value: Option) -> bool:
    return isinstance(value, (int, float))


def _positive(value: Option) -> bool:
    return isinstance(value, (int, float)) and value > 0


def _negative(value: Option) -> bool:
    return isinstance(value, (int, float)) and value < 0


def _zero(value: Option) -> bool:
    return _number(value) and value == 0


def _iterable(dataset: Option) -> bool:
    return isinstance(dataset, Thing) and dataset.kind == "iterable"


def _stream(dataset: Option) -> bool:
    return isinstance(dataset, Thing) and dataset.kind in ("iterable", "datapipe")


def _true(value: Option) -> bool:
    """Return whether a value counts as true; objects here are samplers and such, which may be empty."""
    return not isinstance(value, Thing) and bool(value)


def _shuffles(shuffle: Option) -> bool:
    return not isinstance(shuffle, Thing) and shuffle not in (False, None)


def _no_positive_integer(size: Option) -> bool:
    if isinstance(size, Thing) or size is None:
        return False
    return not isinstance(size, int) or isinstance(size, bool) or size <= 0


def _no_context(context: Option) -> bool:
    if isinstance(context, Thing):
        return context.kind == "other"
    return context is not None and not isinstance(context, str)


_BATCHING = (
    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
)

CHECKS = (
    Check(
        "DLF404",
        "`num_workers` must not be negative",
        "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.",
        ("num_workers",),
        _negative,
    ),
    Check(
        "DLF404",
        "`timeout` must not be negative",
        "timeout option should be non-negative",
        ("timeout",),
        _negative,
    ),
    Check(
        "DLF401",
        "`prefetch_factor` requires `num_workers > 0`",
        "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to"
        " enable multiprocessing, otherwise set prefetch_factor to None.",
        ("prefetch_factor", "num_workers"),
        lambda factor, workers: factor is not None and _zero(workers),
        drop=("prefetch_factor",),
    ),
    Check(
        "DLF404",
        "`prefetch_factor` must not be negative",
        "prefetch_factor option should be non-negative",
        ("prefetch_factor", "num_workers"),
        lambda factor, workers: _negative(factor) and _positive(workers),
    ),
    Check(
        "DLF401",
        "`persistent_workers` requires `num_workers > 0`",
        "persistent_workers option needs num_workers > 0",
        ("persistent_workers", "num_workers"),
        lambda persistent, workers: _true(persistent) and _zero(workers),
        drop=("persistent_workers",),
    ),
    Check(
        "DLF403",
        "`shuffle` cannot be used with an iterable dataset",
        "DataLoader with IterableDataset: expected unspecified shuffle option, but got"
        " shuffle={shuffle}",
        ("shuffle", "dataset"),
        lambda shuffle, dataset: _iterable(dataset) and _shuffles(shuffle),
        drop=("shuffle",),
    ),
    Check(
        "DLF403",
        "`sampler` cannot be used with an iterable dataset",
        "DataLoader with IterableDataset: expected unspecified sampler option, but got"
        " sampler={sampler}",
        ("sampler", "dataset"),
        lambda sampler, dataset: _stream(dataset) and sampler is not None,
        drop=("sampler",),
    ),
    Check(
        "DLF403",
        "`batch_sampler` cannot be used with an iterable dataset",
        "DataLoader with IterableDataset: expected unspecified batch_sampler option, but got"
        " batch_sampler={batch_sampler}",
        ("batch_sampler", "dataset", "sampler"),
        lambda batches, dataset, sampler: (
            _stream(dataset) and batches is not None and sampler is None
        ),
        drop=("batch_sampler",),
    ),
    Check(
        "DLF402",
        "`shuffle` cannot be used together with `sampler`",
        "sampler option is mutually exclusive with shuffle",
        ("shuffle", "sampler", "dataset"),
        lambda shuffle, sampler, dataset: (
            sampler is not None and _true(shuffle) and not _stream(dataset)
        ),
        drop=("shuffle",),
    ),
    Check(
        "DLF402",
        "`batch_sampler` cannot be used together with `batch_size`, `shuffle`, `sampler` or `drop_last`",
        _BATCHING,
        ("batch_sampler", "batch_size", "shuffle", "sampler", "drop_last", "dataset"),
        lambda batches, size, shuffle, sampler, drop_last, dataset: (
            batches is not None
            and not _stream(dataset)
            and (size != 1 or _true(shuffle) or sampler is not None or _true(drop_last))
            and not (sampler is not None and _true(shuffle))
        ),
        drop=("batch_size", "shuffle", "drop_last"),
    ),
    Check(
        "DLF402",
        "`drop_last` cannot be used with `batch_size=None`",
        "batch_size=None option disables auto-batching and is mutually exclusive with drop_last",
        ("drop_last", "batch_size", "batch_sampler"),
        lambda drop_last, size, batches: _true(drop_last) and size is None and batches is None,
        drop=("drop_last",),
    ),
    Check(
        "DLF404",
        "`multiprocessing_context={multiprocessing_context!r}` is not a start method",
        "multiprocessing_context option should specify a valid start method in"
        " {valid_start_methods}, but got multiprocessing_context={multiprocessing_context!r}",
        ("multiprocessing_context", "num_workers"),
        lambda context, workers: (
            isinstance(context, str) and context not in START_METHODS and _positive(workers)
        ),
    ),
    Check(
        "DLF404",
        "`multiprocessing_context` must be a start method or a context",
        "multiprocessing_context option should be a valid context object or a string specifying the"
        " start method, but got multiprocessing_context={multiprocessing_context}",
        ("multiprocessing_context", "num_workers"),
        lambda context, workers: _no_context(context) and _positive(workers),
        kind="TypeError",
    ),
    Check(
        "DLF401",
        "`multiprocessing_context` requires `num_workers > 0`",
        "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but"
        " got num_workers={num_workers}",
        ("multiprocessing_context", "num_workers"),
        lambda context, workers: context is not None and _zero(workers),
        drop=("multiprocessing_context",),
    ),
    Check(
        "DLF404",
        "`{attribute}` cannot be set after the loader is created",
        "{attribute} attribute should not be set after DataLoader is initialized",
        ("attribute",),
        lambda attribute: attribute in FIXED,
    ),
    Check(
        "",
        "the loader creates {num_worker_created} worker processes",
        "This DataLoader will create {num_worker_created} worker processes in total.",
        ("num_workers",),
        lambda workers: False,
        kind="UserWarning",
        why="the maximum depends on the number of CPUs",
    ),
)


def _not_compared(option: str, what: str, kind: type) -> Check:
    """Return the check of an option that the constructor compares with 0, whatever it is."""
    return Check(
        "DLF404",
        f"`{option}` must be {what}",
        f"'<' not supported between instances of '{kind.__name__}' and 'int'",
        (option, "num_workers"),
        lambda value, workers: (
            type(value) is kind and (option != "prefetch_factor" or _positive(workers))
        ),
        kind="TypeError",
    )


# Raised by what the constructor, or the first `iter()`, calls.
FURTHER = (
    _not_compared("num_workers", "an integer", str),
    _not_compared("num_workers", "an integer", type(None)),
    _not_compared("timeout", "a number", str),
    _not_compared("timeout", "a number", type(None)),
    _not_compared("prefetch_factor", "an integer", str),
    Check(
        "DLF404",
        "`num_workers` must be an integer",
        "'float' object cannot be interpreted as an integer",
        ("num_workers",),
        lambda workers: isinstance(workers, float) and workers > 0,
        kind="TypeError",
    ),
    Check(
        "DLF404",
        "`prefetch_factor` must be an integer",
        "'float' object cannot be interpreted as an integer",
        ("prefetch_factor", "num_workers"),
        lambda factor, workers: isinstance(factor, float) and factor > 0 and _positive(workers),
        kind="TypeError",
    ),
    Check(
        "DLF404",
        "`batch_size` must be a positive integer",
        "batch_size should be a positive integer value, but got batch_size={batch_size}",
        ("batch_size", "batch_sampler"),
        lambda size, batches: batches is None and _no_positive_integer(size),
    ),
    Check(
        "DLF404",
        "`drop_last` must be a boolean",
        "drop_last should be a boolean value, but got drop_last={drop_last}",
        ("drop_last", "batch_size", "batch_sampler"),
        lambda drop_last, size, batches: (
            batches is None
            and size is not None
            and not _no_positive_integer(size)
            and not isinstance(drop_last, (bool, Thing))
        ),
    ),
    Check(
        "DLF404",
        "`prefetch_factor` must be greater than 0",
        "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter",
        ("prefetch_factor", "num_workers"),
        lambda factor, workers: _zero(factor) and _positive(workers),
        kind="AssertionError",
    ),
    Check(
        "DLF401",
        "`timeout` requires `num_workers > 0`",
        "_SingleProcessDataLoaderIter requires timeout == 0",
        ("timeout", "num_workers"),
        lambda timeout, workers: _positive(timeout) and _zero(workers),
        drop=("timeout",),
        kind="AssertionError",
    ),
)
