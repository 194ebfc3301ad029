import functools

from torch.utils.data import IterableDataset, get_worker_info


class Pipeline(IterableDataset):
    def __init__(self, source, *stages):
        self.source, self.stages = source, list(stages)

    def then(self, *stages):
        return type(self)(self.source, *self.stages, *stages)

    def __iter__(self):
        worker = get_worker_info()
        items = iter(self.source)
        if worker is not None:
            items = (item for item in items if item % worker.num_workers == worker.id)
        for stage in self.stages:
            items = stage(items)
        return items


def _stage(items, *, wanted):
    return (item for item in items if wanted(item))


def select(wanted):
    return functools.partial(_stage, wanted=wanted)


def _pair(item, *, separator):
    return f"{item}{separator}{item + 1}"


def pairs(**options):
    separator = {"separator": "-", **options}["separator"]

    return mapped(functools.partial(_pair, separator=separator))


def _mapped_stage(items, *, function):
    for item in items:
        yield function(item)


def mapped(function):
    return functools.partial(_mapped_stage, function=function)
