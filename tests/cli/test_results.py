"""A second run answers from what the first one printed, as long as nothing it looked at changed."""

import json
import os
import threading
import tracemalloc

import pytest

from dlfix import results
from dlfix.project.lazily import Each
from dlfix.session import Session
from dlfix.source import seen
from tests.cli.test_check import write

OLD = 1_600_000_000


@pytest.fixture
def readings(monkeypatch):
    """The paths that were read and analysed, run by run."""
    found = []
    opened = Session.open

    def counted(paths, settings):
        found.append(paths)
        return opened(paths, settings)

    monkeypatch.setattr(Session, "open", counted)
    return found


def aged(path):
    os.utime(path, (OLD, OLD))
    return path


def entries():
    folder = os.path.join(os.environ["XDG_CACHE_HOME"], "dlfix", "results-1")
    return [os.path.join(folder, name) for name in os.listdir(folder)]


FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")


@pytest.mark.parametrize("asked", [
    *(("check", "--output-format", each) for each in FORMATS),
    ("check", "--statistics"), ("check", "--exit-zero"), ("apply", "--diff"),
])  # fmt: skip
def test_a_second_run_prints_the_same_without_reading(dlfix, readings, asked):
    write(dlfix.folder, "a.py", "x = bad\ny = 'é'\n")
    first, second = dlfix(*asked), dlfix(*asked)
    assert len(readings) == 1
    assert first.stdout
    assert (second.exit_code, second.stdout, second.stderr) == (
        first.exit_code, first.stdout, first.stderr,
    )  # fmt: skip


def edit(folder):
    write(folder, "a.py", "x = bad\nz = bad\n")


def edit_within_a_moment(folder):
    """Same length, same times: only the content tells."""
    before = os.stat(folder / "a.py")
    with open(folder / "a.py", "r+b") as file:
        file.write(b"y")
    os.utime(folder / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(folder):
    other = write(folder, "other", "y = bad\n")
    before = os.stat(folder / "a.py")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, folder / "a.py")


@pytest.mark.parametrize("change", [
    edit, edit_within_a_moment, replace,
    lambda folder: write(folder, "b.py", "x = bad\n"),
    lambda folder: write(folder, "pkg/inner/b.py", ""),
    lambda folder: write(folder, "pkg/dlfix.toml", "ignore = ['DLF']\n"),
    lambda folder: write(folder, "dlfix.toml", "ignore = ['DLF']\n"),
    lambda folder: write(folder, ".gitignore", "a.py\n"),
    lambda folder: (folder / "pkg" / "c.py").unlink(),
    lambda folder: (folder / "pkg" / "c.py").rename(folder / "pkg" / "d.py"),
    lambda folder: (folder / "link.py").symlink_to(folder / "a.py"),
])  # fmt: skip
def test_what_changed_is_read_again(dlfix, readings, change):
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "pkg/c.py", "x = bad\n")
    dlfix("check")
    change(dlfix.folder)
    again, fresh = dlfix("check"), dlfix("check", "--no-cache")
    assert len(readings) == 3
    assert again.stdout == fresh.stdout


def test_what_does_not_count_leaves_a_result_in_force(dlfix, readings):
    aged(write(dlfix.folder, "a.py", "x = bad\n"))
    dlfix("check")
    write(dlfix.folder, "notes.txt", "x")
    write(dlfix.folder, "__pycache__/a.pyc", "x")
    dlfix("check")
    assert len(readings) == 1


@pytest.mark.parametrize(
    "other", [("--exit-zero",), ("--ignore", "DLF101"), ("--quiet",), ("--isolated",), ("a.py",)]
)
def test_another_question_has_a_result_of_its_own(dlfix, readings, other):
    write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("check")
    dlfix("check", *other)
    assert len(readings) == 2


def test_a_catalogue_that_changed_is_read_again(dlfix, readings):
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", "extend-catalog = ['own.toml']\n")
    write(dlfix.folder, "own.toml", "")
    dlfix("check")
    write(dlfix.folder, "own.toml", "wrong")
    assert "own.toml" in dlfix("check").stderr


@pytest.mark.parametrize("spoil", [
    lambda data: b"", lambda data: data[:-3], lambda data: b"x" * 4096,
    lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
])  # fmt: skip
def test_a_spoiled_entry_counts_as_missing(dlfix, readings, spoil):
    write(dlfix.folder, "a.py", "x = bad\n")
    first = dlfix("check")
    for path in entries():
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(spoil(data))
    second = dlfix("check")
    assert len(readings) == 2
    assert (second.exit_code, second.stdout) == (first.exit_code, first.stdout)


def test_a_store_that_is_no_folder_is_an_empty_one(dlfix, readings):
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "full", "")
    first = dlfix("check", "--cache-dir", "full")
    second = dlfix("check", "--cache-dir", "full")
    assert len(readings) == 2
    assert (second.exit_code, second.stdout, second.stderr) == (1, first.stdout, "")


def test_runs_at_once_do_not_spoil_each_other(tmp_path):
    from dlfix.results import Kept

    def work():
        kept = Kept(tmp_path / "one")
        for _ in range(20):
            kept.keep([("out", "x" * 5000)], 1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Kept(tmp_path / "one").tell() == 1
    assert os.listdir(tmp_path) == ["one"]


def test_no_cache_neither_uses_nor_keeps_a_result(dlfix, readings):
    write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("check", "--no-cache")
    dlfix("check")
    dlfix("check", "--no-cache")
    dlfix("apply", "--diff")
    dlfix("apply", "--diff", "--no-cache")
    assert len(readings) == 5


def test_the_folder_can_be_chosen_and_cleared(dlfix, readings):
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", "cache-dir = '.kept'\n")
    dlfix("check")
    dlfix("apply", "--diff", "--cache-dir", "other")
    assert list((dlfix.folder / ".kept").glob("results-*/*"))
    assert list((dlfix.folder / "other").glob("results-*/*"))
    assert dlfix("cache", "clear").exit_code == 0
    assert not list((dlfix.folder / ".kept").glob("results-*/*"))
    dlfix("check")
    assert len(readings) == 3


@pytest.mark.parametrize("place", ["..", "../other", "{outside}", "link/deep", "a\\u0000b"])
def test_a_configuration_cannot_have_results_kept_outside_its_folder(
    dlfix, tmp_path_factory, place
):
    outside = tmp_path_factory.mktemp("outside")
    (dlfix.folder / "link").symlink_to(outside)
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", f'cache-dir = "{place.format(outside=outside)}"\n')
    done = dlfix("check")
    assert done.exit_code == 2
    assert "`cache-dir` must be inside the folder of the configuration file" in done.stderr
    assert not list(outside.iterdir())


def test_a_link_in_the_folder_leads_nothing_out_of_it(dlfix, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    theirs = outside / ("0" * 32)
    theirs.write_bytes(b"x")
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", "cache-dir = 'kept'\n")
    (dlfix.folder / "kept").mkdir()
    (dlfix.folder / "kept" / "results-1").symlink_to(outside)
    assert dlfix("check").exit_code == 1
    assert dlfix("cache", "clear").exit_code == 0
    assert [*outside.iterdir()] == [theirs]


@pytest.fixture
def kept(dlfix):
    """The one entry in a folder that the configuration names."""
    aged(write(dlfix.folder, "a.py", "x = bad\n"))
    aged(write(dlfix.folder, "dlfix.toml", "cache-dir = 'kept'\n"))
    (dlfix.folder / "kept" / "results-1").mkdir(parents=True)
    dlfix("check")
    (entry,) = (dlfix.folder / "kept" / "results-1").iterdir()
    return entry


def test_an_entry_of_another_user_counts_as_missing(dlfix, kept, readings, tmp_path, monkeypatch):
    dlfix("check")
    assert readings == []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    dlfix("check")
    assert len(readings) == 1


def test_without_a_secret_nothing_is_kept_where_a_checkout_says(dlfix, readings, monkeypatch):
    monkeypatch.setattr(results, "_secret", lambda: b"")
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", "cache-dir = 'kept'\n")
    dlfix("check")
    assert not (dlfix.folder / "kept").exists()
    (dlfix.folder / "named" / "results-1").mkdir(parents=True)
    dlfix("check", "--cache-dir", "named")
    dlfix("check", "--cache-dir", "named")
    assert len(readings) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("odd", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_an_entry_that_is_no_file_counts_as_missing(dlfix, kept, readings, odd):
    kept.unlink()
    odd(kept)
    assert dlfix("check").exit_code == 1
    assert len(readings) == 1


def test_clearing_touches_nothing_of_anybody_elses(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", "cache-dir = '.'\n")
    dlfix("check")
    mine = [write(dlfix.folder, "results-1/run.csv", "1"), write(dlfix.folder, "facts-1/ab/x", "1")]
    dlfix("cache", "clear")
    assert all(path.exists() for path in mine)
    assert [path.name for path in (dlfix.folder / "results-1").iterdir()] == ["run.csv"]


def test_a_report_and_a_pipe_are_not_kept(dlfix, readings):
    write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("check", "--report", "page.html")
    (dlfix.folder / "page.html").unlink()
    dlfix("check", "--report", "page.html")
    assert (dlfix.folder / "page.html").exists()
    assert "bad" in dlfix("check", "-", input="x = bad\n").stdout


def test_an_entry_is_written_piece_by_piece(tmp_path):
    size = 1_000_000
    texts = Each(range(20), lambda number: str(number) * size)
    tracemalloc.start()
    results.save(tmp_path / "kept" / "entry", {"seen": seen.Seen().as_data(), "texts": texts})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * size
    entry = results.load(tmp_path / "kept" / "entry")
    assert entry is not None
    assert entry["texts"] == dict(texts)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"a": {}, "b": {"é": {"d": {"e": [1, "\ud800"]}}, "x": []}},
        {"a": [{"b": None}], "c": "{"},
    ],
)
def test_pieces_are_the_whole(entry):
    assert "".join(results._parts(entry)) == json.dumps(entry, separators=(",", ":"))
