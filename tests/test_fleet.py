"""Many repositories on a local Ray."""

from __future__ import annotations

import json
import os
import signal

import pytest

from dlfix.fleet import FleetError, Repository, examine, line, read_manifest

LOADER = (
    "from torch.utils.data import DataLoader\n\n\n"
    "def make(rows):\n    return DataLoader(rows, num_workers=2, collate_fn=lambda b: b[{}])\n"
)
COUNT = 24


def test_a_manifest_names_folders_and_addresses(tmp_path):
    manifest = tmp_path / "fleet.txt"
    manifest.write_text("# ours\n\na/birds\n  b/birds  \nhttps://example.org/x/cats.git\n")
    assert read_manifest(manifest) == [
        Repository("birds", str(tmp_path / "a/birds")),
        Repository("birds-2", str(tmp_path / "b/birds")),
        Repository("cats", "https://example.org/x/cats.git"),
    ]


def test_no_two_repositories_have_one_name(tmp_path):
    manifest = tmp_path / "fleet.txt"
    manifest.write_text("a/birds\nb/birds\nc/birds-2\nd/birds\n")
    names = [one.name for one in read_manifest(manifest)]
    assert names == ["birds", "birds-2", "birds-2-2", "birds-3"]


def test_an_empty_manifest_is_an_error(tmp_path):
    manifest = tmp_path / "fleet.txt"
    manifest.write_text("# nothing\n")
    with pytest.raises(FleetError, match="lists no repositories"):
        read_manifest(manifest)


def test_a_repository_is_examined_and_stays_as_it_is(tmp_path):
    (tmp_path / "a.py").write_text(LOADER.format(0))
    before = os.getcwd()
    result = examine(Repository("one", str(tmp_path)))
    (row,) = result.findings
    assert (row["repository"], row["code"], row["path"], row["row"]) == ("one", "DLF101", "a.py", 5)
    assert row["fix"] == "safe"
    assert result.fixes == 1
    assert b"+++ b/a.py" in result.patch
    assert (tmp_path / "a.py").read_text() == LOADER.format(0)
    assert os.getcwd() == before


def test_a_file_that_cannot_be_read_is_named_on_the_line_of_its_repository(tmp_path):
    (tmp_path / "a.py").write_text(LOADER.format(0))
    (tmp_path / "b.py").write_text("def x(:\n")
    result = examine(Repository("one", str(tmp_path)))
    assert result.status == "checked"
    assert line(result).startswith("one: 2 files, 1 finding, 1 fix in the patch, ")
    assert line(result).endswith("b.py:1: does not parse: invalid syntax")


def test_what_is_no_folder_fails_by_itself(tmp_path):
    result = examine(Repository("gone", str(tmp_path / "gone")))
    assert (result.status, result.files) == ("failed", 0)
    assert "is not a folder" in result.error


def killed_once(repository, unsafe=None):
    """Examine a repository in a worker that is killed at the first try, if it says so."""
    from pathlib import Path

    marker = Path(repository.source, "kill-me")
    if marker.exists():
        marker.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return examine(repository, unsafe)


def test_after_ctrl_c_the_results_so_far_are_there(tmp_path):
    pytest.importorskip("ray", reason="requires Ray: pip install 'dlfix[fleet]'")
    from dlfix import fleet

    for number in range(3):
        (tmp_path / f"r{number}").mkdir()
    repositories = [Repository(f"r{number}", str(tmp_path / f"r{number}")) for number in range(3)]

    def interrupted(result):
        raise KeyboardInterrupt

    results = fleet.run(repositories, say=interrupted)
    assert [one.repository for one in results] == repositories
    assert [one.error for one in results].count("stopped") == 2


def test_dozens_of_repositories_with_a_broken_one_and_a_killed_worker(tmp_path):
    pytest.importorskip("ray", reason="requires Ray: pip install 'dlfix[fleet]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    from dlfix import fleet

    for number in range(COUNT):
        folder = tmp_path / f"r{number:02}"
        folder.mkdir()
        (folder / "a.py").write_text(LOADER.format(number) if number % 2 else "x = 1\n")
    (tmp_path / "r05" / "kill-me").touch()
    manifest = tmp_path / "fleet.txt"
    manifest.write_text(
        "".join(f"r{number:02}\n" for number in range(COUNT + 1))
    )  # one is not there
    repositories = fleet.read_manifest(manifest)
    results = fleet.run(repositories, task=killed_once)
    fleet.write(results, tmp_path / "out")

    assert not (tmp_path / "r05" / "kill-me").exists()
    rows = parquet.read_table(tmp_path / "out" / "repositories.parquet").to_pylist()
    assert [row["repository"] for row in rows] == [one.name for one in repositories]
    assert [row["repository"] for row in rows if row["status"] == "failed"] == ["r24"]
    found = parquet.read_table(tmp_path / "out" / "findings.parquet").to_pylist()
    odd = [f"r{number:02}" for number in range(1, COUNT, 2)]
    assert [row["repository"] for row in found] == odd
    log = json.loads((tmp_path / "out" / "fleet.sarif").read_text())
    assert len(log["runs"]) == COUNT
    assert sum(len(run["results"]) for run in log["runs"]) == len(odd)
    patches = sorted(path.stem for path in (tmp_path / "out" / "patches").iterdir())
    assert patches == odd
