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


def select(wanted):
    def stage(items):
        return (item for item in items if wanted(item))

    return stage


def pairs(**options):
    separator = {"separator": "-", **options}["separator"]

    def pair(item):
        return f"{item}{separator}{item + 1}"

    return mapped(pair)


def mapped(function):
    def stage(items):
        for item in items:
            yield function(item)

    return stage
