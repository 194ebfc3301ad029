"""What forked workers of a pool inherited is pickled with every task once a function takes it as an argument."""

import pytest

import dlfix

PROGRAM = """
import argparse
import collections
import glob
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool, Process

{above}

if __name__ == "__main__":
    args = argparse.ArgumentParser().parse_args()
    paths = [path for path in glob.glob("*") if path]
    value = {value}

    def work(x):
        return x, value

    {use}
"""
IMAP = "Pool(2).imap(work, range(9))"


def _found(tmp_path, value, use=IMAP, above=""):
    (tmp_path / "main.py").write_text(PROGRAM.format(value=value, use=use, above=above))
    [finding] = [f for f in dlfix.check([tmp_path], isolated=True) if f.code == "DLF302"]
    return finding


@pytest.mark.parametrize(
    "value",
    [
        *("3", "args", "args.count", "args.count + 1", "args.mode == 'a'"),
        *("os.path.join('a', 'b')", "('a', 2)", "[1, 2]", "{'a': 1}", "len(paths)"),
    ],
)
def test_numbers_texts_and_arguments_are_sent(tmp_path, value) -> None:
    found = _found(tmp_path, value)
    assert found.fix is not None
    assert found.fix.safe


@pytest.mark.parametrize("value", ["paths", "list(paths)", "{p: 1 for p in paths}", "[0] * 10**6"])
@pytest.mark.parametrize(
    "use", [IMAP, "Pool(2).apply_async(work, (1,))", "ProcessPoolExecutor(2).submit(work, 1)"]
)
def test_what_may_be_large_is_sent_with_unsafe_fixes_alone(tmp_path, value, use) -> None:
    found = _found(tmp_path, value, use)
    assert found.fix is not None
    assert not found.fix.safe


@pytest.mark.parametrize("use", ["Process(target=work, args=(1,)).start()", "Pool(2, work, (1,))"])
def test_what_is_sent_once_for_each_process_may_be_large(tmp_path, use) -> None:
    found = _found(tmp_path, "paths", use)
    assert found.fix is not None
    assert found.fix.safe


LOOKED_UP = [
    "__getattr__ = dict.__getitem__",
    "__getattr__ = dict.get",
    "__getattr__ = lambda self, name: self[name]",
    "def __getattr__(self, name): return self[name]",
    "def __getattr__(self, name): return self.get(name)",
    "def __getattr__(self, name): return None",
]


@pytest.mark.parametrize("hook", LOOKED_UP)
def test_objects_that_raise_another_error_for_getstate_are_refused(tmp_path, hook) -> None:
    found = _found(tmp_path, "Options(a=1)", above=f"class Options(dict):\n    {hook}\n")
    assert found.fix is None
    assert "cannot be pickled before Python 3.11" in found.refused


@pytest.mark.parametrize("hook", LOOKED_UP)
@pytest.mark.parametrize("has", ["state", "python"])
def test_they_are_not_where_pickle_does_not_ask(tmp_path, hook, has) -> None:
    own = "    def __getstate__(self): return None\n" if has == "state" else ""
    if has == "python":
        (tmp_path / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.11"\n')
    found = _found(tmp_path, "Options(a=1)", above=f"class Options(dict):\n    {hook}\n{own}")
    assert "Python 3.11" not in (found.refused or "")


def test_one_that_handles_the_error_is_not(tmp_path) -> None:
    hook = "def __getattr__(self, name):\n        try:\n            return self[name]\n"
    hook += "        except KeyError:\n            raise AttributeError(name)"
    found = _found(tmp_path, "Options(a=1)", above=f"class Options(dict):\n    {hook}\n")
    assert not found.refused
