import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import settings


def read_returns(n, seed=5):
    return np.random.default_rng(seed).integers(-90, 90, n)


def chunks(values):
    for start in range(0, len(values), settings.CHUNK):
        yield values[start : start + settings.CHUNK]


def extract(values, power, workers, start_method):
    def moments(part):
        clipped = np.clip(part, settings.FLOOR, settings.CLIP)
        return int((clipped**power).sum()), int((clipped == settings.CLIP).sum())

    parts = list(chunks(values))
    if workers == 0:
        return [moments(part) for part in parts]
    context = multiprocessing.get_context(start_method)
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        return list(pool.map(moments, parts))
