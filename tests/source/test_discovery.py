import os
import subprocess

import pytest

from dlfix.source.discovery import MissingPath, discover


def make(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(folder, *paths, **options):
    result = discover(paths or (folder,), **options)
    return [path.relative_to(folder).as_posix() for path in result.files]


def test_python_files_and_notebooks_are_found_in_order(tmp_path):
    make(tmp_path, "b.py", "a/z.py", "a/n.ipynb", "c.txt", "a.pyc", "w.pyw")
    assert found(tmp_path) == ["a/n.ipynb", "a/z.py", "b.py", "w.pyw"]


def test_a_file_that_is_named_is_taken_whatever_it_is_called(tmp_path):
    make(tmp_path, "script")
    assert found(tmp_path, tmp_path / "script") == ["script"]


def test_each_file_is_there_once(tmp_path):
    make(tmp_path, "a.py")
    assert found(tmp_path, tmp_path, tmp_path / "a.py") == ["a.py"]


def test_virtual_environments_and_caches_are_left_out(tmp_path):
    make(tmp_path, ".venv/a.py", "node_modules/a.py", "x/__pycache__/a.py", "build/a.py", "x/b.py")
    assert found(tmp_path) == ["x/b.py"]


def test_what_is_excluded_can_still_be_named(tmp_path):
    make(tmp_path, ".venv/lib/site-packages/torch/a.py")
    assert len(found(tmp_path, tmp_path / ".venv/lib/site-packages/torch")) == 1


def test_gitignore_is_heeded_with_nested_files_and_negation(tmp_path):
    make(tmp_path, "out/a.py", "keep/b.py", "keep/gen_c.py", "keep/gen_d.py", "e.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\ngen_*.py\n")
    (tmp_path / "keep/.gitignore").write_text("!gen_d.py\n")
    assert found(tmp_path) == ["e.py", "keep/b.py", "keep/gen_d.py"]
    assert "out/a.py" in found(tmp_path, gitignore=False)


def test_gitignore_above_the_folder_is_heeded(tmp_path):
    make(tmp_path, "src/a.py", "src/gen.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/src/gen.py\n")
    assert found(tmp_path, tmp_path / "src") == ["src/a.py"]


@pytest.mark.parametrize(
    "patterns",
    [
        "b/d\n*g/\nx/*\n!x/k.py\n# a.py\n",
        "*\n!*/\n!*.*\n",
        "*\n!b/\n!*.py\n",
        "*\n!*/\nb/\n!*.py\n",
        "*\n!*/\n",
    ],
)
def test_what_git_ignores_is_what_is_left_out(tmp_path, patterns):
    names = ["a.py", "b/c.py", "b/d/e.py", "f g/h.py", "i/b/d/j.py", "x/y.py", "x/k.py"]
    make(tmp_path, *names)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text(patterns)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.py"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    assert sorted(found(tmp_path)) == sorted(name for name in listed if name)


def test_a_link_out_of_the_tree_is_not_followed(tmp_path):
    make(tmp_path, "in/a.py", "out/b.py", "out/c.py")
    (tmp_path / "in/folder").symlink_to(tmp_path / "out")
    (tmp_path / "in/file.py").symlink_to(tmp_path / "out/b.py")
    assert found(tmp_path, tmp_path / "in") == ["in/a.py"]


def test_a_link_within_the_tree_is_the_same_file(tmp_path):
    make(tmp_path, "a.py")
    (tmp_path / "b.py").symlink_to("a.py")
    assert found(tmp_path) == ["a.py"]


def test_a_loop_of_links_ends(tmp_path):
    make(tmp_path, "a/b.py")
    (tmp_path / "a/again").symlink_to(tmp_path)
    assert found(tmp_path) == ["a/b.py"]


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(MissingPath, match="no such file or directory"):
        discover((tmp_path / "nowhere",))


def test_a_link_to_nothing_and_a_pipe_are_named(tmp_path):
    (tmp_path / "a.py").symlink_to("nowhere.py")
    os.mkfifo(tmp_path / "b.py")
    result = discover((tmp_path / "a.py", tmp_path / "b.py"))
    assert [error.reason for error in result.errors] == [
        "a broken symbolic link", "not a regular file",
    ]  # fmt: skip


def test_a_folder_without_python_gives_nothing(tmp_path):
    make(tmp_path, "a.txt")
    assert found(tmp_path) == []
