"""What hangs from an attribute that only the parent uses is not sent: the object that has the attribute leaves it out."""

import pytest

import dlfix

PROGRAM = """
import queue
import threading
import torch
from torch.utils.data import DataLoader, Dataset

class Writer{bases}:
    def __init__(self, path):
        {start}
        self.path = path
        self.queue = queue.Queue()

    def run(self):
        while (item := self.queue.get()) is not None:
            print(item)

    def add(self, item):
        self.queue.put(item)

class Engine:
    def __init__(self, dataset):
        self.seed = 3
        self.writer = Writer("log.txt")
        self.loader = DataLoader(dataset, num_workers=2, worker_init_fn=self.init_worker)

    def init_worker(self, number):
        torch.manual_seed(self.seed + number)
        {in_worker}

    def run(self):
        for batch in self.loader:
            self.writer.add(batch)

def main(dataset):
    Engine(dataset).run()
"""
LEFT = 'state.pop("writer", None)  # only the parent process uses it'
LOGGED = """
import logging.handlers
import queue
from torch.utils.data import DataLoader, Dataset

class Logger:
    def __init__(self, name):
        self.queue = queue.Queue(1000)
        self.handler = logging.handlers.QueueHandler(self.queue)
        self.log = logging.getLogger(name)
        self.log.addHandler(self.handler)

    def flush(self, handlers):
        for each in handlers:
            each.flush(self.handler)

    def info(self, text):
        self.log.info(text)

class Files(Dataset):
    def __init__(self, names):
        self.names = names
        self._logger = Logger("files")
        self._logger.info("made")

    def __getitem__(self, index):
        return self.names[index]

class Audio(Files):
    def __init__(self, names):
        super().__init__(names)
        self._logger.info("audio")

    def __getitem__(self, index):
        {read}
        return super().__getitem__(index)

loader = DataLoader(Audio(["a"]), num_workers=2)
"""


def fixed(text):
    return dlfix.fix_text(text, isolated=True)


@pytest.mark.parametrize(
    ("bases", "start"),
    [("", "pass"), ("(threading.Thread)", "super().__init__(daemon=True)")],
    ids=["an object", "a thread"],
)
def test_a_queue_of_what_the_parent_alone_uses(bases, start):
    text = PROGRAM.format(bases=bases, start=start, in_worker="pass")
    assert LEFT in fixed(text).text


def test_a_queue_of_what_a_worker_uses_does_not_leave_the_state():
    text = PROGRAM.format(bases="", start="pass", in_worker="self.writer.add(number)")
    assert fixed(text).text == text


def test_a_logger_that_only_constructors_use():
    made = fixed(LOGGED.format(read="pass")).text
    assert made.count("__getstate__") == 1
    assert 'state.pop("_logger", None)  # only the parent process uses it' in made


def test_a_logger_that_a_subclass_uses_in_a_worker():
    text = LOGGED.format(read="self._logger.info(str(index))")
    assert fixed(text).text == text
