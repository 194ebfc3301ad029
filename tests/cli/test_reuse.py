"""A run after an edit prints what a first run would, and works out again only what the edit may change."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dlfix import checking, parts, results, session
from dlfix.project import module, record
from dlfix.project.project import Project
from tests.editor.test_edits import FILES, edited

UNSEEN = ("tools.py", "found = []", "found = [1, 2]")
SEEN = ("registry.py", "return MADE.get(name)", "return lambda worker: worker")


class Tree:
    """A project on disk that is checked again and again."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder / "project"
        self.cache = folder / "cache"
        self.capsys = capsys
        self.worked_out = 0
        self.parsed: list[str] = []
        self.folder.mkdir()
        self.write({**{name: text.lstrip() for name, text in FILES.items()}, "pyproject.toml": ""})

    def write(self, texts: dict[str, str]) -> None:
        """Write some files."""
        for name, text in texts.items():
            (self.folder / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        """Change one file."""
        text = (self.folder / name).read_text()
        assert old in text
        self.write({name: text.replace(old, new, 1)})

    def check(self, **more: object) -> tuple[int, str, str]:
        """Return what a check prints, and count what it does."""
        self.worked_out, self.parsed = 0, []
        status = checking.check(paths=[self.folder], cache_dir=str(self.cache), **more)  # type: ignore[arg-type]
        return (status, *self.capsys.readouterr())

    def cold(self, **more: object) -> tuple[int, str, str]:
        """Return what a check prints that has no cache."""
        before = self.worked_out, self.parsed
        found = self.check(no_cache=True, **more)
        self.worked_out, self.parsed = before
        return found

    def is_as_cold(self) -> bool:
        """Check, and return whether nothing else is printed than without a cache."""
        return self.check() == self.cold()

    @property
    def asked(self) -> Path:
        """The entry with what was asked."""
        (found,) = (
            path
            for path in (self.cache / results.FOLDER).iterdir()
            if "asked" in (results.load(path) or ())
        )
        return found


@pytest.fixture
def tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tree:
    tree = Tree(tmp_path, capsys)
    worked_out, parse = parts._worked_out, module._parse

    def working(*args: object, **more: object) -> object:
        tree.worked_out += 1
        return worked_out(*args, **more)  # type: ignore[arg-type]

    def parsing(source: object) -> object:
        tree.parsed.append(source.path.name)  # type: ignore[attr-defined]
        return parse(source)  # type: ignore[arg-type]

    monkeypatch.setattr(parts, "FEW", 1)
    monkeypatch.setattr(parts, "_worked_out", working)
    monkeypatch.setattr(module, "_parse", parsing)
    monkeypatch.chdir(tmp_path)
    return tree


def test_an_edit_that_nothing_looked_at_parses_only_its_file(tree: Tree) -> None:
    assert "DLF" in tree.check()[1]
    assert tree.worked_out == 1
    tree.edit(*UNSEEN)
    assert tree.is_as_cold()
    assert (tree.worked_out, {*tree.parsed}) == (0, {"tools.py"})


def test_edits_one_after_another_are_compared_with_the_last(tree: Tree) -> None:
    tree.check()
    for edit in (
        UNSEEN,
        ("registry.py", "total += value", "total -= value"),
        UNSEEN[:1] + UNSEEN[:0:-1],
    ):
        tree.edit(*edit)
        assert tree.is_as_cold()
        assert tree.worked_out == 0


@pytest.mark.parametrize("output", ["json", "sarif"])
def test_formats_with_edits_take_an_answer_that_has_no_fixes(tree: Tree, output: str) -> None:
    tree.write({"clips.py": FILES["clips.py"].lstrip().replace("sqlite3.connect(path)", "None")})
    more = {"output_format": output, "select": ["DLF2"]}
    tree.check(**more)
    tree.edit(*UNSEEN)
    assert tree.check(**more) == tree.cold(**more)
    assert tree.worked_out == 0


@pytest.mark.parametrize("output", ["json", "sarif"])
def test_formats_with_edits_work_out_the_fixes_again(tree: Tree, output: str) -> None:
    first = tree.check(output_format=output)
    assert "insertedContent" in first[1] or '"edits": [{' in first[1].replace("\n", "").replace(
        "  ", ""
    )
    tree.edit(*UNSEEN)
    assert tree.check(output_format=output) == tree.cold(output_format=output)
    assert tree.worked_out == 1
    tree.edit("tools.py", "found = [1, 2]", "found = [3]")
    assert tree.is_as_cold()  # as text, which shows no edits
    assert tree.worked_out == 0


def test_an_edit_that_something_looked_at_is_worked_out_again(tree: Tree) -> None:
    first = tree.check()
    tree.edit(*SEEN)
    assert tree.is_as_cold()
    assert tree.worked_out == 1
    assert tree.check() != first


def test_a_file_that_is_written_again_as_it_was_is_no_edit(tree: Tree) -> None:
    tree.check()
    text = (tree.folder / "registry.py").read_text()
    (tree.folder / "registry.py").unlink()
    tree.write({"registry.py": text})
    assert tree.is_as_cold()
    assert tree.worked_out == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: (tree.folder / "registry.py").unlink(),
        lambda tree: tree.write({"torch.py": "class DataLoader: pass\n"}),
        lambda tree: tree.write({"more.py": "from clips import Clips\n\n\nclass More(Clips):\n    pass\n"}),
        lambda tree: tree.write({"dlfix.toml": 'ignore = ["DLF101"]\n'}),
        lambda tree: tree.edit("clips.py", "class Frames(Clips)", "class Frames"),
        lambda tree: tree.edit("tools.py", "        return self\n", "        return self\n\nSTATE = lambda: 0\n"),
        lambda tree: tree.edit("main.py", "first.limit = 3", "first.limit = 3  # noqa"),
        lambda tree: tree.edit("main.py", "lambda x: x * 2)", "lambda x: x * 2)  # noqa"),
    ],
)  # fmt: skip
def test_what_is_no_edit_within_a_function_is_as_cold(tree: Tree, change) -> None:  # type: ignore[no-untyped-def]
    tree.check()
    change(tree)
    assert tree.is_as_cold()


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_print_what_a_first_run_prints(tree: Tree, seed: int) -> None:
    tree.check()
    chance, again = random.Random(seed), 0
    for _ in range(12):
        name = chance.choice(sorted(FILES))
        tree.write({name: edited((tree.folder / name).read_text(), chance)})
        assert tree.is_as_cold()
        again += tree.worked_out
    assert again > 0


@pytest.mark.parametrize("name", ["spare.py", "registry.py"])
def test_without_what_was_asked_another_answer_is_given(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    taken = record.taken

    def forgetful(project: Project) -> record.Data:
        data = taken(project)
        files = {**data["files"]}
        for asked in files.values():
            if asked["module"] is not None:
                asked["module"] |= {"tables": [], "kinds": []}
        return {**data, "files": files, "words": []}

    monkeypatch.setattr(record, "taken", forgetful)
    tree.check()
    edits = {
        "spare.py": ("return [path]", "return data.DataLoader([lambda: 0], num_workers=2)"),
        "registry.py": ("total = 0", "MADE['seeds'] = lambda worker: worker"),
    }
    tree.edit(name, *edits[name])
    assert not tree.is_as_cold()


def test_what_was_asked_of_another_reading_does_not_count(tree: Tree) -> None:
    tree.check()
    entry = results.load(tree.asked)
    assert entry is not None
    results.save(tree.asked, {**entry, "number": "another"})
    tree.edit(*UNSEEN)
    assert tree.is_as_cold()
    assert tree.worked_out == 1


def test_damage_to_what_was_asked_is_no_error(tree: Tree) -> None:
    tree.check()
    tree.asked.write_bytes(b"damaged")
    tree.edit(*UNSEEN)
    assert tree.is_as_cold()
    assert tree.worked_out == 1


@pytest.mark.parametrize("name", ["os:system", "dlfix.nowhere:f", "dlfix.project.scan:nothing"])
def test_only_questions_of_dlfix_are_asked(tree: Tree, name: str) -> None:
    project = Project([tree.folder / "tools.py"])
    project.mentions("found")
    taken = record.taken(project)
    data = json.loads(json.dumps({**taken, "files": {**taken["files"]}}))
    path = tree.folder / "tools.py"
    data["files"][str(path)]["answers"] = [[name, [["true"]]]]
    assert record.restored(data, [path], {}, [path]) is None


def test_an_edit_that_changes_which_files_are_parsed_for_syntax_is_worked_out(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write({"zz.py": "def broken(:\n"})
    sizes = [path.stat().st_size for path in sorted(tree.folder.glob("*.py"))]
    for where in (session, parts.reuse):
        monkeypatch.setattr(where, "SYNTAX_BUDGET", sum(sizes) + 10)
    assert "zz.py" in tree.check()[2]
    tree.edit("tools.py", "found = []", "found = [1, 2, 3, 4, 5, 6, 7, 8]")
    assert tree.is_as_cold()
    assert tree.worked_out == 1
