"""What an edit costs: what nothing looked at is not read again, and no answer is another for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlfix.editor.readings import Buffers, Reader, Reading
from dlfix.project.bodies import Body, Named
from dlfix.project.project import Project
from dlfix.reach import analysis

FILES = {
    "main.py": """
from torch.utils.data import DataLoader

import registry
from clips import Clips, Frames
from tools import collate, scale as resize


def unused(path):
    text = open(path).read()
    return text


def loaders(path, workers):
    first = Clips(path, transform=lambda x: x * 2)
    second = Frames(path, resize)
    first.limit = 3
    yield DataLoader(first, num_workers=workers, collate_fn=collate)
    yield DataLoader(second, num_workers=2, worker_init_fn=registry.made("seeds"))


if __name__ == "__main__":
    for loader in loaders("data", 2):
        print(len(loader))
""",
    "clips.py": """
import sqlite3

from torch.utils.data import Dataset

from tools import *


class Clips(Dataset):
    def __init__(self, path, transform=None):
        self.path = path
        self.transform = transform
        self.table = sqlite3.connect(path)

    def __len__(self):
        return 10

    def describe(self):
        text = "clips of " + self.path
        return text

    def __getitem__(self, index):
        return self.transform(index)


class Frames(Clips):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        self.names = [name for name in path]

    def show(self):
        for name in self.names:
            print(name)
""",
    "tools.py": """
import threading

LOCK = threading.Lock()
STATE = None


def collate(batch):
    return batch


def scale(x):
    return x


def report(items):
    found = []
    for item in items:
        found.append(item)
    return found


class Timer:
    def __init__(self):
        self.laps = []

    def lap(self, name):
        self.laps.append(name)
        return self
""",
    "registry.py": """
from tools import scale

MADE = {}


def register(name, function):
    MADE[name] = function
    return function


def made(name):
    return MADE.get(name)


def seeds(worker):
    return worker


def apart(values):
    total = 0
    for value in values:
        total += value
    return total


register("seeds", seeds)
""",
    "spare.py": """
import torch.utils.data as data


def spare(path):
    return [path]
""",
}
NAMES = (
    "collate", "scale", "resize", "Clips", "Frames", "transform", "path", "self", "MADE", "STATE", "LOCK",
    "register", "seeds", "x", "text", "found", "items", "name", "total", "laps", "table", "Timer", "limit",
)  # fmt: skip
LINES = (
    "{0} = {1}", "self.{0} = lambda x: x", "return {0}", "return lambda x: {0}", "{0}.{1} = {2}",
    "from tools import {0}", "import registry as {0}", "global {0}", "{0}({1}, {2})", "setattr({0}, '{1}', {2})",
    "registry.MADE['{0}'] = lambda x: {1}", "class {0}({1}): pass", "def {0}({1}): return {2}", "# {0}", "",
    "{0} = open({1})", "from torch.utils.data import DataLoader; DataLoader({0}, num_workers=2)", "'''{0}",
    "yield {0}", "del {0}.{1}", "@{0}", "for {0} in {1}: {2}", "x = 1  # {0}", "with {0} as {1}: pass",
    "{0}: int = {1}", "if __name__ == '__main__': {0}()", "{0} = []", "print({0})",
)  # fmt: skip


class Editing:
    """A project that is edited; what it reads again is counted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts = {folder / name: text.lstrip() for name, text in FILES.items()}
        for path, text in self.texts.items():
            path.write_text(text)
        (folder / "pyproject.toml").write_text("")
        self.folder = folder
        self.reader = Reader()
        self.analyses = 0
        made = analysis.Analysis.__init__

        def counting(*args: object, **more: object) -> None:
            self.analyses += 1
            made(*args, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(analysis.Analysis, "__init__", counting)

    def read(self) -> Reading:
        """Read the texts as the server would."""
        return self.reader.read(Buffers(dict(self.texts)))

    def fresh(self) -> Reading:
        """Read them as a new server would."""
        before = self.analyses
        reading = Reader().read(Buffers(dict(self.texts)))
        self.analyses = before
        return reading

    def replace(self, name: str, old: str, new: str) -> None:
        """Edit one file."""
        path = self.folder / name
        assert old in self.texts[path]
        self.texts[path] = self.texts[path].replace(old, new, 1)

    def costs(self, name: str, old: str, new: str) -> int:
        """Return how many analyses an edit takes; its findings must be those of a new server."""
        return self.cost_together((name, old, new))

    def cost_together(self, *edits: tuple[str, str, str]) -> int:
        """Return how many analyses some edits take that come at once."""
        self.read()
        for edit in edits:
            self.replace(*edit)
        before = self.analyses
        found = told(self.read())
        spent = self.analyses - before
        assert found == told(self.fresh())
        return spent


@pytest.fixture
def editing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editing:
    return Editing(tmp_path, monkeypatch)


def told(reading: Reading) -> list[object]:
    """Return all that a client can be told."""
    entries = reading.view.entries
    return [
        (each.code, each.message, each.error, each.spot, each.trace, each.also, each.refused, each.edits)
        for each in entries
    ]  # fmt: skip


def edited(text: str, chance: random.Random) -> str:
    """Return a text with one line put in, changed, taken out or moved."""
    lines = text.split("\n")
    row = chance.randrange(len(lines))
    margin = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
    line = margin + chance.choice(LINES).format(*chance.choices(NAMES, k=3))
    kind = chance.randrange(6)
    if kind == 0:
        del lines[row]
    elif kind == 1:
        lines[row] = line
    elif kind == 2:
        old, new = chance.choices(NAMES, k=2)
        lines[row] = lines[row].replace(old, new)
    else:
        lines.insert(row + chance.randrange(2), line)
    return "\n".join(lines)


def edits(folder: Path, seed: int, places: int = 1) -> Iterator[dict[Path, str]]:
    """Yield texts of the project, each an edit of a file away from the one before; some edits are taken back."""
    chance = random.Random(seed)
    start = {folder / name: text.lstrip() for name, text in FILES.items()}
    texts = dict(start)
    while True:
        path = chance.choice(sorted(texts))
        for _ in range(places):
            texts = {**texts, path: edited(texts[path], chance)}
        if chance.random() < 0.25:
            texts = dict(start)
        yield texts


def differing(editing: Editing, seed: int, count: int, places: int = 1) -> int | None:
    """Return the number of the first edit after which a new server finds something else."""
    editing.read()
    for number, texts in zip(range(count), edits(editing.folder, seed, places), strict=False):
        editing.texts = texts
        if told(editing.read()) != told(editing.fresh()):
            return number
    return None


@pytest.mark.parametrize("seed", range(2))
def test_random_edits_give_what_a_new_server_finds(editing: Editing, seed: int) -> None:
    assert differing(editing, seed, 10) is None


def test_random_edits_in_several_places_give_what_a_new_server_finds(editing: Editing) -> None:
    assert differing(editing, 11, 10, places=4) is None


def test_some_random_edits_take_no_analysis(editing: Editing) -> None:
    editing.read()
    free = 0
    for _, texts in zip(range(25), edits(editing.folder, 7), strict=False):
        before, editing.texts = editing.analyses, texts
        editing.read()
        free += editing.analyses == before
    assert free > 3


@pytest.mark.parametrize(
    ("owner", "door", "blind", "name", "old", "new"),
    [
        (Body, "seen", property(lambda _: False, lambda *_: None), "registry.py", "MADE.get(name)", "lambda w: w"),
        (Named, "asked", property(lambda _: set(), lambda *_: None), "registry.py", "total = 0", "MADE['seeds'] = lambda w: w"),
        (Project, "_is_alike", lambda *_: True, "spare.py", "return [path]", "return data.DataLoader([lambda: 0], num_workers=2)"),
    ],
)  # fmt: skip
def test_a_door_that_records_nothing_gives_another_answer(
    editing: Editing, monkeypatch: pytest.MonkeyPatch, owner: type, door: str, blind: object,
    name: str, old: str, new: str,
) -> None:  # fmt: skip
    assert editing.costs(name, old, new) > 0
    editing.replace(name, new, old)
    monkeypatch.setattr(owner, door, blind, raising=False)
    editing.reader = Reader()
    with pytest.raises(AssertionError):
        editing.costs(name, old, new)


def test_an_edit_in_a_function_that_nothing_leads_to_takes_no_analysis(editing: Editing) -> None:
    assert editing.costs("tools.py", "found = []", "found = [1, 2]") == 0


def test_a_line_more_below_all_that_is_shown_takes_no_analysis(editing: Editing) -> None:
    assert editing.costs("registry.py", "    total = 0\n", "    total = 0\n    more = 1\n") == 0


def test_a_comment_between_functions_takes_no_analysis(editing: Editing) -> None:
    assert editing.costs("registry.py", "\ndef apart", "\n# apart from the rest\ndef apart") == 0


def test_who_goes_through_all_nodes_has_seen_every_body(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text("def one():\n    return 1\n")
    module = Project([path]).module(path)
    (body,) = module.bodies.of.values()
    assert not body.seen
    assert len([*module.parents]) > 1
    assert body.seen


def test_a_comment_behind_code_that_is_followed_takes_no_analysis(editing: Editing) -> None:
    assert (
        editing.costs("registry.py", "return MADE.get(name)", "return MADE.get(name)  # or not")
        == 0
    )


def test_what_a_class_stores_is_read_again(editing: Editing) -> None:
    assert (
        editing.costs("clips.py", "            print(name)", "            self.transform = name")
        > 0
    )


def test_a_summary_of_a_function_outlives_an_edit_in_another(editing: Editing) -> None:
    assert editing.costs("registry.py", "total += value", "total -= value") == 0
    assert editing.costs("registry.py", "return MADE.get(name)", "return lambda w: w") > 0


def test_what_is_edited_in_turn_takes_no_analysis(editing: Editing) -> None:
    assert editing.costs("tools.py", "found = []", "found = [1]") == 0
    assert editing.costs("registry.py", "total += value", "total -= value") == 0
    assert editing.costs("tools.py", "found = [1]", "found = [2]") == 0


def test_edits_in_several_functions_at_once_take_no_analysis(editing: Editing) -> None:
    append = ("tools.py", "laps.append(name)", "laps.append([name])\n        more = 3")
    add = ("registry.py", "total += value", "total -= value")
    assert (
        editing.cost_together(("tools.py", "found = []", "found = [1]\n    more = 2"), append, add)
        == 0
    )


def test_of_edits_at_once_one_that_is_followed_is_read_again(editing: Editing) -> None:
    add = ("registry.py", "total += value", "total -= value")
    follow = ("registry.py", "return MADE.get(name)", "return lambda worker: worker")
    assert editing.cost_together(add, follow) > 0


def test_a_line_above_what_is_shown_and_one_less_below_are_two_edits(editing: Editing) -> None:
    above = (
        "main.py",
        "    text = open(path).read()\n",
        "    text = open(path).read()\n    more = 1\n",
    )
    below = ("main.py", "    print(path)\n", "")
    editing.texts[editing.folder / "main.py"] += (
        "\n\ndef show(path):\n    print(path)\n    return path\n"
    )
    assert editing.cost_together(above, below) > 0


def test_a_function_that_is_called_is_read_again(editing: Editing) -> None:
    assert editing.costs("registry.py", "return MADE.get(name)", "return lambda w: w") > 0


def test_a_name_that_was_asked_for_is_read_again(editing: Editing) -> None:
    assert editing.costs("registry.py", "    total = 0\n", "    register('seeds', open)\n") > 0


def test_a_new_parameter_is_read_again(editing: Editing) -> None:
    assert editing.costs("tools.py", "def report(items)", "def report(items, more)") > 0


def test_a_comment_that_suppresses_is_read_again(editing: Editing) -> None:
    assert editing.costs("tools.py", "found = []", "found = []  # dlfix: ignore") > 0


def test_a_comment_of_another_tool_that_suppresses_is_read_again(editing: Editing) -> None:
    assert editing.costs("main.py", "lambda x: x * 2)", "lambda x: x * 2)  # noqa") > 0


def test_a_comment_that_suppresses_elsewhere_in_the_file_takes_no_analysis(
    editing: Editing,
) -> None:
    editing.replace(
        "tools.py", "    found = []", "    # dlfix: ignore-file[DLF404]\n    found = []"
    )
    assert editing.costs("tools.py", "found.append(item)", "found.append([item])") == 0


def test_a_file_that_comes_or_goes_is_read_again(editing: Editing) -> None:
    editing.read()
    path = editing.folder / "main.py"
    text = editing.texts.pop(path)
    path.unlink()
    editing.reader.forget_files()
    assert told(editing.read()) == told(editing.fresh())
    path.write_text(text)
    editing.texts[path] = text
    editing.reader.forget_files()
    assert told(editing.read()) == told(editing.fresh())


def test_a_file_that_changes_on_disk_alone_is_looked_at(editing: Editing) -> None:
    path = editing.folder / "registry.py"
    text = editing.texts.pop(path)
    editing.read()
    path.write_text(text.replace("return MADE.get(name)", "return lambda worker: worker"))
    before = editing.analyses
    found = told(editing.read())
    assert editing.analyses > before
    assert found == told(editing.fresh())
