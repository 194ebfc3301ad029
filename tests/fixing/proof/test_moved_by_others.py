"""A stream that the caller passes stands where the caller has read to: a new one does not."""

import textwrap

import pytest

from tests.fixing.proof.pairs import HEAD, opened, worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, file):
        self.file = file

    def __getitem__(self, index):
        {reads}

{program}
"""
AFTER = """
class Rows(Dataset):
    def __init__(self, file):
        self._file_by_pid = {{os.getpid(): file}}
        self._file_name = file.name

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = open(self._file_name, "rb")
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {{}}
        return state

    def __getitem__(self, index):
        {reads}

{program}
"""
NEXT = "return self.file.read(4)"
MAIN = """
def skip(stream):
    stream.readline()

def opened(path):
    stream = open(path, "rb")
    {inside}
    return stream

def main(path):
    {made}
    rows = Rows(stream)
    {after}
    return DataLoader(rows, num_workers=2)
"""
OPEN = "stream = open(path, 'rb')"
CALLERS = {
    "opens it only": ({"made": OPEN}, False),
    "asks for its name": ({"made": OPEN + "; print(stream.name)"}, False),
    "closes it in the end": ({"made": OPEN, "after": "list(rows); stream.close()"}, False),
    "reads a header": ({"made": OPEN + "; stream.readline()"}, True),
    "passes it to what reads": ({"made": OPEN + "; skip(stream)"}, True),
    "reads on": ({"made": OPEN, "after": "stream.readline()"}, True),
    "passes it to two": ({"made": OPEN, "after": "other = Rows(stream)"}, True),
    "gets it from a function": ({"made": "stream = opened(path)"}, False),
    "gets it from a function that reads": (
        {"made": "stream = opened(path)", "inside": "stream.readline()"},
        True,
    ),
    "opens a table": ({"made": "stream = h5py.File(path, 'r'); list(stream)"}, False),
}


def moved(reads: str, **parts: str) -> bool:
    """Return whether the caller counts as one that may have moved the stream."""
    program = MAIN.format(**{"inside": "pass", "after": "pass", **parts})
    before, after = (each.format(reads=reads, program=program) for each in (BEFORE, AFTER))
    return any("the caller may have moved" in reason for reason in worse(before, after))


@pytest.mark.parametrize(("parts", "counts"), CALLERS.values(), ids=CALLERS)
def test_a_caller_moves_what_it_passes(parts, counts):
    assert moved(NEXT, **parts) is counts


def test_a_place_of_its_own_before_each_read_makes_no_difference():
    assert not moved(f"self.file.seek(index); {NEXT}", made=f"{OPEN}; stream.readline()")


SOUND = """
import soundfile

def main(path):
    stream = soundfile.SoundFile(path)
    {before}
    return DataLoader(Rows(stream), num_workers=2)
"""
FRAMES = """
self.file.seek(index)
        return self.file.read(4)

    def __len__(self):
        return self.file.{length}
"""


@pytest.mark.parametrize(
    ("before", "length", "counts"),
    [
        ("print(stream.frames)", "frames", False),
        ("print(stream.samplerate, stream.subtype)", "channels", False),
        ("print(stream.read(3))", "frames", False),  # each read of a worker goes to its place first
        ("print(stream.frames)", "tell()", False),
        ("print(stream.read(3))", "tell()", True),
        ("print(stream.tell())", "tell()", True),
    ],
)
def test_what_tells_of_a_stream_does_not_move_it(before, length, counts):
    reads = FRAMES.format(length=length).strip()
    parts = {"reads": reads, "program": SOUND.format(before=before)}
    reasons = worse(BEFORE.format(**parts), AFTER.format(**parts))
    assert any("the caller may have moved" in reason for reason in reasons) is counts


def test_the_line_is_that_of_the_evidence():
    parts = {"reads": NEXT, "program": SOUND.format(before="stream.read(3)")}
    after = AFTER.format(**parts)
    [reason] = [each for each in worse(BEFORE.format(**parts), after) if "the caller" in each]
    row = int(reason.partition("main.py:")[2].partition(")")[0])
    assert (HEAD + textwrap.dedent(after)).splitlines()[row - 1].strip() == "stream.read(3)"


TAKES = """
def take(self, count):
    return [self.file.readline() for _ in range(count)]

def __len__(self):
    return os.fstat(self.file.fileno()).st_size

def __iter__(self):
    {first}
    yield from map(str, self.file)
"""
PARENTS = {
    "takes lines": ("rows.take(2)", "pass", True),
    "hands it to what takes lines": ("head(rows)", "pass", True),
    "goes through it": ("next(iter(rows))", "pass", True),
    "asks for its length": ("len(rows)", "pass", False),
    "takes lines, and each pass begins at the start": ("rows.take(2)", "self.file.seek(0)", False),
}


@pytest.mark.parametrize(("does", "first", "counts"), PARENTS.values(), ids=PARENTS)
def test_the_parent_moves_a_stream_by_a_method_of_its_object(does, first, counts):
    program = (
        "def head(rows):\n    return rows.take(1)\n\n"
        f"def main(path):\n    rows = Rows(path)\n    {does}\n    return DataLoader(rows, num_workers=2)\n"
    )
    reasons = opened(
        init="self.path = path\nself.file = open(path, 'rb')",
        opener="return open(self.path, 'rb')",
        body=TAKES.format(first=first),
        program=program,
    )
    assert counts == any("the parent moves the position of `file`" in each for each in reasons)
