"""Loaders that send to each worker what torch's send, when torch's send it."""

import functools
import multiprocessing
import pickle
import queue
import traceback
from dataclasses import dataclass

import torch

AHEAD = 2


class Dataset:
    def __getitem__(self, index):
        raise NotImplementedError


class IterableDataset(Dataset):
    def __iter__(self):
        raise NotImplementedError


@dataclass
class WorkerInfo:
    id: int
    num_workers: int
    seed: int
    dataset: object


_info = None


def get_worker_info():
    return _info


def default_collate(samples):
    first = samples[0]
    if isinstance(first, (int, float, torch.Tensor)):
        return torch.tensor(samples)
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        return [default_collate(column) for column in zip(*samples, strict=False)]
    return list(samples)


def _first_alone(samples):
    return samples[0]


class DataLoader:
    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
        multiprocessing_context=None, generator=None, *, prefetch_factor=None,
        persistent_workers=False,
    ):  # fmt: skip
        if multiprocessing_context is not None and not num_workers:
            raise ValueError("multiprocessing_context can only be used with num_workers > 0")
        if persistent_workers and not num_workers:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn or (default_collate if batch_size else _first_alone)
        self.worker_init_fn = worker_init_fn
        self.context = (
            multiprocessing.get_context(multiprocessing_context)
            if isinstance(multiprocessing_context, str)
            else multiprocessing_context or multiprocessing
        )
        self.persistent_workers = persistent_workers
        self._kept = None

    @property
    def iterable(self):
        return isinstance(self.dataset, IterableDataset)

    def __len__(self):
        return -(-len(self.dataset) // self.batch_size)

    def batches(self):
        """Yield the indices of each batch; the length is asked when the first is needed."""
        order = self.sampler if self.sampler is not None else range(len(self.dataset))
        batch = []
        for index in order:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch:
            yield batch

    def __iter__(self):
        if not self.num_workers:
            return _alone(self)
        if not self.persistent_workers:
            return iter(_MultiProcessingDataLoaderIter(self))
        self._kept = self._kept or _MultiProcessingDataLoaderIter(self)
        return iter(self._kept)


def _alone(loader):
    if loader.iterable:
        yield from _collated(loader)
        return
    for batch in loader.batches():
        yield loader.collate_fn([loader.dataset[index] for index in batch])


def _collated(loader, dataset=None):
    yield from _batched(loader.dataset, loader.batch_size, loader.collate_fn)


def _batched(dataset, size, collate):
    batch = []
    for sample in dataset:
        batch.append(sample)
        if len(batch) == size:
            yield collate(batch)
            batch = []
    if batch:
        yield collate(batch)


class _MultiProcessingDataLoaderIter:
    def __init__(self, loader):
        self.loader = loader
        self.results = loader.context.Queue()
        self.tasks, self.workers = [], []
        for number in range(loader.num_workers):
            tasks = loader.context.Queue()
            tasks.cancel_join_thread()
            worker = loader.context.Process(
                target=_work,
                args=(
                    loader.iterable, loader.dataset, tasks, self.results, loader.collate_fn,
                    loader.batch_size, number, loader.worker_init_fn, loader.num_workers,
                ),
            )  # fmt: skip
            worker.daemon = True
            worker.start()
            self.tasks.append(tasks)
            self.workers.append(worker)

    def _try_get_data(self, timeout=5.0):
        while True:
            try:
                number, worker, data = self.results.get(timeout=timeout)
            except queue.Empty:
                if not all(worker.is_alive() for worker in self.workers):
                    raise RuntimeError("DataLoader worker exited unexpectedly") from None
                continue
            data = pickle.loads(data)
            if isinstance(data, _Failure):
                raise RuntimeError(f"Caught in DataLoader worker process {worker}.\n{data.text}")
            return number, worker, data

    def __iter__(self):
        try:
            yield from self._stream() if self.loader.iterable else self._map()
        finally:
            if not self.loader.persistent_workers:
                self._stop()

    def _map(self):
        count = len(self.workers)
        waiting, sent, wanted = {}, 0, 0
        batches = self.loader.batches()
        for _ in range(AHEAD * count):
            sent += self._send(batches, sent)
        while wanted < sent:
            while wanted not in waiting:
                number, _, data = self._try_get_data()
                waiting[number] = data
            yield waiting.pop(wanted)
            wanted += 1
            sent += self._send(batches, sent)

    def _send(self, batches, sent):
        batch = next(batches, None)
        if batch is None:
            return 0
        self.tasks[sent % len(self.workers)].put((sent, batch))
        return 1

    def _stream(self):
        """Take one batch of each worker in turn, until all have come to an end."""
        count = len(self.workers)
        for tasks in self.tasks:
            tasks.put((0, None))
        done, waiting, turn = set(), {}, dict.fromkeys(range(count), 0)
        at = 0
        while len(done) < count:
            worker = at % count
            at += 1
            if worker in done:
                continue
            key = (worker, turn[worker])
            while key not in waiting:
                number, other, data = self._try_get_data()
                waiting[other, number] = data
            data = waiting.pop(key)
            turn[worker] += 1
            if isinstance(data, _End):
                done.add(worker)
            else:
                yield data

    def _stop(self):
        for tasks in self.tasks:
            tasks.put(None)
        for worker in self.workers:
            worker.join(5)
            if worker.is_alive():
                worker.terminate()
                worker.join()


class _End:
    pass


@dataclass
class _Failure:
    text: str


def _work(iterable, dataset, tasks, results, collate, size, number, init, count):
    global _info
    _info = WorkerInfo(number, count, number, dataset)
    broken = None
    try:
        if init is not None:
            init(number)
    except Exception:
        broken = _Failure(traceback.format_exc())
    while (task := tasks.get()) is not None:
        at, batch = task
        if broken is not None:
            _answer(results, at, number, lambda: broken)
        elif iterable:
            _stream(dataset, results, collate, size, number)
        else:
            _answer(results, at, number, functools.partial(_fetch, dataset, collate, batch))


def _fetch(dataset, collate, batch):
    return collate([dataset[index] for index in batch])


def _stream(dataset, results, collate, size, number):
    batches = _batched(dataset, size, collate)
    at = 0
    while True:
        data = _answer(results, at, number, lambda: next(batches, _End()))
        at += 1
        if isinstance(data, (_End, _Failure)):
            return


def _answer(results, at, number, make):
    try:
        data = make()
        sent = pickle.dumps(data)
    except Exception:
        data = _Failure(traceback.format_exc())
        sent = pickle.dumps(data)
    results.put((at, number, sent))
    return data
