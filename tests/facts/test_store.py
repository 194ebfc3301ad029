"""Facts on disk: kept, bounded, and never trusted."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlfix.caches import default_directory
from dlfix.facts.build import facts_of_text
from dlfix.facts.model import FileFacts
from dlfix.facts.store import Store

TEXT = (
    "import a.b as c\n'doc'\nx = f(1, -2.5, 3j, b'\\xff', '\\ud800', None, ..., True, 10**9, "
    f"{'9' * 40}, 1e999, y=z)\nclass D(E):\n    def m(self): self.q = 1\n"
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


@pytest.fixture
def facts() -> FileFacts:
    return facts_of_text(TEXT)


def columns(facts: FileFacts) -> list[object]:
    return [getattr(facts, name) for name in FileFacts.__dataclass_fields__]


def entry(store: Store) -> Path:
    assert store.directory is not None
    (path,) = (p for p in store.directory.rglob("*") if p.is_file())
    return path


def test_what_was_put_is_got_back_whole(store: Store, facts: FileFacts) -> None:
    store.put(facts)
    found = store.get(facts.digest)
    assert found is not None
    assert repr(columns(found)) == repr(columns(facts))
    assert store.summary(facts.digest) == facts.summary


def test_what_was_not_put_is_missing(store: Store, facts: FileFacts) -> None:
    assert store.get(facts.digest) is None
    assert store.summary(facts.digest) is None


def test_a_store_without_a_folder_is_empty(facts: FileFacts) -> None:
    store = Store(None)
    store.put(facts)
    store.trim()
    store.clear()
    assert store.get(facts.digest) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_a_damaged_entry_is_missing_and_removed(
    store: Store, facts: FileFacts, data: st.DataObject
) -> None:
    store.put(facts)
    path = entry(store)
    whole = bytearray(path.read_bytes())
    kind = data.draw(st.sampled_from(["cut", "flip", "noise"]))
    place = data.draw(st.integers(0, len(whole) - 1))
    if kind == "cut":
        del whole[place:]
    elif kind == "flip":
        whole[place] ^= 1 << data.draw(st.integers(0, 7))
    else:
        whole[place:] = data.draw(st.binary(max_size=200))
    path.write_bytes(bytes(whole))
    found = store.get(facts.digest)
    assert found is None or columns(found)[3:] == columns(facts)[3:]


def test_an_entry_under_another_name_is_not_taken(store: Store, facts: FileFacts) -> None:
    store.put(facts)
    other = facts_of_text("other = 1")
    path = entry(store)
    target = path.parent.parent / other.digest[:2] / other.digest
    target.parent.mkdir(exist_ok=True)
    path.rename(target)
    assert store.get(other.digest) is None
    assert not target.exists()


@pytest.mark.skipif(
    sys.platform == "win32" or (hasattr(os, "geteuid") and os.geteuid() == 0),
    reason="needs a user whom rights bind",
)
def test_a_store_that_cannot_be_written_is_only_read(store: Store, facts: FileFacts) -> None:
    assert store.directory is not None
    store.directory.mkdir()
    store.directory.chmod(0o500)
    store.put(facts)
    assert store.get(facts.digest) is None


def test_a_store_whose_folder_is_a_file_is_empty(tmp_path: Path, facts: FileFacts) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    store.put(facts)
    assert store.get(facts.digest) is None


def test_a_full_disk_leaves_nothing_behind(
    store: Store, facts: FileFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    store.put(facts)
    assert store.directory is not None
    assert not [p for p in store.directory.rglob("*") if p.is_file()]


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=1)
    several = [facts_of_text(f"x{i} = 1") for i in range(4)]
    for facts in several:
        store.put(facts)
    for age, facts in enumerate(several):
        path = next(p for p in tmp_path.rglob(facts.digest))
        os.utime(path, (1_000 - age, 1_000 - age))
    size = path.stat().st_size
    store.limit = 2 * size + size // 2
    store.trim()
    assert [store.get(facts.digest) is not None for facts in several] == [True, True, False, False]


def test_what_a_killed_writer_left_is_removed_after_a_day(store: Store, facts: FileFacts) -> None:
    store.put(facts)
    left = entry(store).with_name(f".{'0' * 32}.1.1")
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    store.trim()
    assert not left.exists()
    assert store.get(facts.digest) is not None


def test_other_files_in_the_folder_are_left_alone(store: Store, facts: FileFacts) -> None:
    store.put(facts)
    assert store.directory is not None
    mine = store.directory / "notes.txt"
    mine.write_text("mine")
    store.clear()
    assert mine.exists()
    assert store.get(facts.digest) is None


def _write(folder: str, texts: list[str]) -> None:
    store = Store(Path(folder))
    for text in texts:
        facts = facts_of_text(text)
        store.put(facts)
        assert store.get(facts.digest) is not None


def test_two_processes_write_the_same_entries(tmp_path: Path) -> None:
    texts = [f"x{i} = {i}" for i in range(20)]
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(tmp_path), texts)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    store = Store(tmp_path)
    assert all(store.get(facts_of_text(text).digest) is not None for text in texts)


def test_the_users_cache_folder_is_that_of_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "dlfix"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_directory() == tmp_path / ".cache" / "dlfix"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert default_directory() is None
