"""What is released is the same whoever builds it, and holds what dlfix needs."""

import hashlib
import os
import tarfile
import zipfile

import pytest

from tests.release.packages import ROOT, build, copied

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    return build(copied(folder / "sources"), folder / "out")


def hashes(paths):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def test_a_build_elsewhere_at_another_time_gives_the_same_bytes(built, tmp_path):
    before = os.umask(0o077)
    try:
        sources = copied(tmp_path / "another" / "place")
    finally:
        os.umask(before)
    for path in sources.rglob("*"):
        os.utime(path, (1, 1))
    assert hashes(build(sources, tmp_path / "out")) == hashes(built)


def test_the_sdist_gives_the_wheel(built, tmp_path):
    sdist, wheel = sorted(built, key=lambda path: path.suffix)
    with tarfile.open(sdist) as archive:
        archive.extractall(
            tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {})
        )
    (sources,) = tmp_path.iterdir()
    again = {path.name: path for path in build(sources, tmp_path / "out")}
    assert hashes([again[wheel.name]]) == hashes([wheel])


def test_the_sdist_holds_the_sources_and_nothing_else(tmp_path):
    sources = copied(tmp_path / "sources")
    for stray in ("editors/vscode/src/extension.ts", "tests/codemods/test_a.py", "docs/README.md"):
        (sources / stray).parent.mkdir(parents=True, exist_ok=True)
        (sources / stray).write_text("")
    (sdist,) = (one for one in build(sources, tmp_path / "out") if one.suffix == ".gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.partition("/")[0] for name in names} == {
        "src", "codemods", "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", "PKG-INFO",
    }  # fmt: skip


def test_the_wheel_holds_every_file_of_the_sources(built):
    (wheel,) = (path for path in built if path.suffix == ".whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in (ROOT / "src", ROOT / "codemods"):
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert path.relative_to(folder).as_posix() in names
    assert not [name for name in names if name.startswith(("tests", "golden"))]
