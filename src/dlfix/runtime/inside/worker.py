"""What the spawned child does: it loads what the parent pickled, and does the first piece of work."""

import contextlib
import io
import os
import pickle
import threading
from multiprocessing import process, spawn
from multiprocessing.reduction import ForkingPickler

from .batches import digest
from .contents import below, differences, outline
from .culprits import find_culprits
from .objects import bound_self
from .pickling import Sending
from .places import code_place, error_data, raised_at, type_name
from .report import Report

TASK_SECONDS = 20


def run_child(config):
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
