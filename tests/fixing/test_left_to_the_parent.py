"""A file that the parent writes and no worker uses leaves the state, also where a thread of the parent writes it."""

import pytest

import dlfix

PROGRAM = """
import threading
from torch.utils.data import DataLoader, Dataset

class Replay(Dataset):
    def __init__(self, path):
        self.rows = []
        self.log = {start}

    def setup(self, path):
        {later}

    def record(self, row):
        self.rows.append(row)
        self.log.write(str(row))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        {read}
        return self.rows[index]

def collect(replay):
    for row in range(8):
        replay.record(row)

def prepare(number):
    {in_worker}

def main(path):
    replay = Replay(path)
    replay.setup(path)
    {run}
    DataLoader(replay, num_workers=2, worker_init_fn=prepare)

if __name__ == "__main__":
    main("log.txt")
"""
OPEN = "open(path, 'w')"
THREAD = "threading.Thread(target=collect, args=(replay,)).start()"
IN_WORKER = "threading.Thread(target=collect, args=(Replay('b'),)).start()"
WRITTEN = "self.log.write('x')"


def fixed(**parts):
    given = {"start": OPEN, "later": "pass", "read": "pass", "in_worker": "pass", "run": "pass"}
    return dlfix.fix_text(PROGRAM.format(**given | parts), isolated=True).text


@pytest.mark.parametrize(
    ("parts", "is_left"),
    [
        ({"run": "collect(replay)"}, True),
        ({"run": THREAD}, True),
        ({"run": THREAD, "in_worker": IN_WORKER}, False),
        ({"run": THREAD, "read": WRITTEN}, False),
        ({"run": "atexit.register(collect, replay)"}, False),
    ],
    ids=["a call", "a thread", "a thread of a worker", "read in a worker", "handed on"],
)
def test_what_the_constructor_opens(parts, is_left):
    made = fixed(**parts)
    assert ('state.pop("log", None)  # only the parent process uses it' in made) == is_left
    assert is_left == ("__getstate__" in made)


@pytest.mark.parametrize("run", ["collect(replay)", THREAD])
def test_what_a_method_opens_is_none_in_a_worker(run):
    made = fixed(start="None", later=f"self.log = {OPEN}", run=run)
    assert 'state["log"] = None  # only the parent process uses it' in made
    assert "by_pid" not in made


def test_what_a_method_opens_and_a_worker_asks_for_is_kept_by_process():
    made = fixed(start="None", later=f"self.log = {OPEN}", read=f"if self.log: {WRITTEN}")
    assert "only the parent" not in made


STARTED = """
import multiprocessing

import cv2

class Clip:
    def __init__(self, path):
        self.stream = cv2.VideoCapture(path)
        self.queue = multiprocessing.Queue()

    def start(self):
        multiprocessing.Process(target=self.update).start()
        return self

    def update(self):
        self.queue.put({read})

    def size(self):
        return self.stream.get(3)

def main(path):
    clip = Clip(path).start()
    print(clip.size())

if __name__ == "__main__":
    main("clip.mp4")
"""


@pytest.mark.parametrize(("read", "is_left"), [("1", True), ("self.size()", False)])
def test_the_object_may_be_what_a_method_of_it_returns(read, is_left):
    made = dlfix.fix_text(STARTED.format(read=read), isolated=True).text
    assert ('state.pop("stream", None)  # only the parent process uses it' in made) == is_left
