"""Runs the program up to its boundaries, as the JSON file that was passed asks for."""

import functools
import importlib
import importlib.machinery
import importlib.util
import json
import multiprocessing
import os
import sys
import types
import typing
from multiprocessing import context

from .boundaries import loader_boundary
from .fetching import Run
from .places import error_data, type_name
from .probe import Probe
from .report import Report
from .watch import (
    Stop,
    Watch,
    prefer_spawn,
    watch_executors,
    watch_loaders,
    watch_pools,
    watch_processes,
    when_imported,
)
from .worker import run_child


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
        run_child(config)
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


def has_torch():
    """Return whether this interpreter has torch."""
    return "torch" in sys.modules or importlib.util.find_spec("torch") is not None


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
