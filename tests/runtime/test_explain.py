"""Explaining pasted tracebacks and logs."""

from __future__ import annotations

import json
import re
import textwrap

import pytest

from dlfix.runtime import commands
from dlfix.runtime.explain import command, exceptions, explain
from dlfix.runtime.messages import meanings, table

PARENT = """\
Traceback (most recent call last):
  File "/home/me/proj/train.py", line 88, in <module>
    main()
  File "/home/me/proj/train.py", line 70, in main
    for batch in loader:
  File "/opt/venv/lib/python3.{minor}/site-packages/torch/utils/data/dataloader.py", line 494, in __iter__
    return self._get_iterator()
  File "/usr/lib/python3.{minor}/multiprocessing/process.py", line 121, in start
    self._popen = self._Popen(self)
  File "/usr/lib/python3.{minor}/multiprocessing/reduction.py", line 60, in dump
    ForkingPickler(file, protocol).dump(obj)
{error}
"""

WORKER = """\
Traceback (most recent call last):
  File "train.py", line 31, in <module>
    for x in loader:
  File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 733, in __next__
    data = self._next_data()
KeyError: Caught KeyError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 349, in _worker_loop
    data = fetcher.fetch(index)
  File "/home/me/proj/data/clips.py", line 14, in __getitem__
    return SETTINGS["scale"] * self.items[i]
KeyError: 'scale'
"""

EXITED = """\
Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "/usr/lib/python3.11/multiprocessing/spawn.py", line 122, in spawn_main
    exitcode = _main(fd, parent_sentinel)
  File "/usr/lib/python3.11/multiprocessing/spawn.py", line 132, in _main
    self = reduction.pickle.load(from_parent)
AttributeError: Can't get attribute 'ChatDataset' on <module '__mp_main__' from '/home/me/proj/train.py'>
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 1133, in _try_get_data
    data = self._data_queue.get(timeout=timeout)
_queue.Empty

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/me/proj/train.py", line 38, in <module>
    for batch in loader:
RuntimeError: DataLoader worker (pid(s) 4242, 4243) exited unexpectedly
"""

GUARD = """\
Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "/usr/lib/python3.12/multiprocessing/spawn.py", line 122, in spawn_main
    exitcode = _main(fd, parent_sentinel)
  File "/home/me/proj/main.py", line 39, in <module>
    for x in loader:
  File "/usr/lib/python3.12/multiprocessing/spawn.py", line 164, in get_preparation_data
    _check_not_importing_main()
RuntimeError:
        An attempt has been made to start a new process before the
        current process has finished its bootstrapping phase.

        This probably means that you are not using fork to start your
        child processes and you have forgotten to use the proper idiom
        in the main module:
"""

BY_VERSION = {
    9: "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'",
    12: "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'",
    13: "AttributeError: Can't get local object 'main.<locals>.<lambda>'",
    14: "_pickle.PicklingError: Can't pickle local object <function main.<locals>.<lambda> at 0x7f1c>\n"
    "when serializing dict item 'transform'\n"
    "when serializing __main__.Clips state\n"
    "when serializing tuple item 1",
}


def parent(error: str, minor: int = 11) -> str:
    return PARENT.format(error=error, minor=minor)


@pytest.mark.parametrize(("minor", "error"), BY_VERSION.items())
def test_a_lambda_is_explained_on_every_python(minor, error):
    found = explain(parent(error, minor))
    assert found.code == "DLF101"
    assert "lambda defined in `main`" in found.happened
    assert (found.line, found.line_is) == ("/home/me/proj/train.py:70", "boundary")
    assert found.command == "dlfix apply --select DLF101 /home/me/proj/train.py"


RAISED = [row for row in table().messages if re.match(r"[\w.]+:", row.example)]


@pytest.mark.parametrize("row", RAISED, ids=lambda row: row.pattern.pattern[:40])
def test_every_message_is_explained_at_the_end_of_a_traceback(row):
    found = explain(parent(row.example))
    best = meanings(row.example)[0]
    assert (found.happened, found.code) == (best.happened, best.code)
    assert found.line == "/home/me/proj/train.py:70"
    assert found.message.split()[0] == row.example.split()[0]


def test_the_notes_of_python_3_14_tell_where_the_culprit_hangs():
    found = explain(parent(BY_VERSION[14], 14))
    assert found.path == "[1].transform"


def test_the_line_of_the_lambda_is_found_where_the_source_is_at_hand(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "from torch.utils.data import DataLoader\n\n\ndef main():\n    fn = lambda b: b[0]\n"
        "    for x in DataLoader([1], collate_fn=fn, num_workers=1):\n        print(x)\n"
    )
    text = parent(BY_VERSION[9]).replace("/home/me/proj/train.py", str(script))
    found = explain(text)
    assert (found.line, found.line_is) == (f"{script}:5", "culprit")


def test_an_exception_in_a_worker_is_explained_by_its_original_traceback():
    found = explain(WORKER)
    assert "KeyError: 'scale'" in found.happened
    assert found.line == "/home/me/proj/data/clips.py:14"
    assert found.code == "DLF303"


def test_an_ordinary_bug_in_a_worker_is_not_called_one_of_pickling():
    text = WORKER.replace("KeyError: 'scale'", "ValueError: bad clip").replace(
        "Caught KeyError", "Caught ValueError"
    )
    found = explain(text)
    assert "ValueError: bad clip" in found.happened
    assert found.code == ""
    assert found.line == "/home/me/proj/data/clips.py:14"


def test_the_worker_s_own_traceback_explains_why_it_exited():
    found = explain(EXITED)
    assert found.code == "DLF302"
    assert "ChatDataset" in found.happened
    assert found.line == "/home/me/proj/train.py:38"


def test_a_result_that_cannot_come_back_is_explained_before_the_broken_pool():
    text = (
        "concurrent.futures.process._RemoteTraceback: \n'''\nTraceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/multiprocessing/connection.py", line 251, in recv\n'
        "TypeError: DecodeError.__init__() missing 1 required positional argument: 'code'\n'''\n\n"
        "Traceback (most recent call last):\n"
        '  File "/home/me/proj/main.py", line 28, in collect\n    rows.append(f.result())\n'
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated "
        "abruptly while the future was running or pending.\n"
    )
    found = explain(text)
    assert found.code == "DLF209"
    assert "`DecodeError`" in found.happened
    assert found.line == "/home/me/proj/main.py:28"


def test_a_worker_that_exited_without_a_word_is_sent_to_the_probe():
    text = EXITED[EXITED.index("The above") :]
    found = explain(text)
    assert found.code == ""
    assert found.command == "dlfix probe /home/me/proj/train.py"


def test_a_missing_guard_is_explained_at_the_line_that_starts_workers():
    found = explain(GUARD)
    assert (found.code, found.line) == ("DLF301", "/home/me/proj/main.py:39")
    assert found.command == "dlfix apply --select DLF301 /home/me/proj/main.py"


def test_the_parent_s_error_comes_before_the_end_of_file_it_causes():
    text = parent("TypeError: cannot pickle 'sqlite3.Connection' object") + textwrap.dedent(
        """\
        Traceback (most recent call last):
          File "<string>", line 1, in <module>
          File "C:\\Python\\Lib\\multiprocessing\\spawn.py", line 116, in spawn_main
            exitcode = _main(fd, parent_sentinel)
        EOFError: Ran out of input
        """
    )
    found = explain(text)
    assert found.code == "DLF201"
    assert "sqlite3.Connection" in found.happened


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank0]: ",
        "(worker pid=12) ",
        "train-1  | ",
        "\x1b[31m",
        "2026-01-01 10:00:00 ",
        "2026-01-01T10:00:00.123Z [rank1]: ",
        "2026-01-01 10:00:00,123 - train - ERROR - ",
        "tests (3.12)\tRun tests\t2026-01-01T10:00:00.1234567Z ",
        "0: ",
        "> ",
        "        ",
    ],
)
def test_prefixes_and_colours_of_logs_are_seen_through(prefix):
    text = "\r\n".join(
        prefix + line for line in parent("TypeError: h5py objects cannot be pickled").split("\n")
    )
    found = explain(text)
    assert found.code == "DLF201"
    assert found.line == "/home/me/proj/train.py:70"


def test_times_that_go_on_from_line_to_line_are_seen_through():
    lines = parent("TypeError: h5py objects cannot be pickled").split("\n")
    text = "\n".join(f"10:00:{i:02}.{i * 37:04} ERROR - {line}" for i, line in enumerate(lines))
    found = explain(text)
    assert (found.code, found.line) == ("DLF201", "/home/me/proj/train.py:70")
    assert found.message == "TypeError: h5py objects cannot be pickled"


def test_a_log_of_json_is_read():
    text = json.dumps(
        {"log": parent("TypeError: h5py objects cannot be pickled"), "stream": "stderr"}
    )
    found = explain(text)
    assert (found.code, found.line) == ("DLF201", "/home/me/proj/train.py:70")


def test_the_colours_of_python_3_13_are_seen_through():
    text = """\
Traceback (most recent call last):
  File \x1b[35m"/home/me/proj/train.py"\x1b[0m, line \x1b[35m70\x1b[0m, in \x1b[35m<module>\x1b[0m
    \x1b[31mmain\x1b[0m\x1b[1;31m()\x1b[0m
    \x1b[31m~~~~\x1b[0m\x1b[1;31m^^\x1b[0m
\x1b[1;35mAttributeError\x1b[0m: \x1b[35mCan't get local object 'main.<locals>.<lambda>'\x1b[0m
"""
    found = explain(text)
    assert (found.code, found.line) == ("DLF101", "/home/me/proj/train.py:70")
    assert found.message == "AttributeError: Can't get local object 'main.<locals>.<lambda>'"


@pytest.mark.parametrize("folder", [r"C:\Python312\Lib", r"D:\Anaconda3\envs\pt\lib"])
def test_paths_of_windows_are_read_and_those_of_its_libraries_known(folder):
    text = f"""\
Traceback (most recent call last):
  File "C:\\Users\\me\\my project\\train.py", line 70, in <module>
    for batch in loader:
  File "{folder}\\site-packages\\torch\\utils\\data\\dataloader.py", line 440, in __iter__
    return self._get_iterator()
  File "{folder}\\multiprocessing\\reduction.py", line 60, in dump
    ForkingPickler(file, protocol).dump(obj)
TypeError: cannot pickle 'Environment' object
"""
    found = explain(text)
    assert found.line == "C:\\Users\\me\\my project\\train.py:70"
    assert found.command.endswith('"C:\\Users\\me\\my project\\train.py"')


CELLS = {
    "of now": """\
AttributeError                            Traceback (most recent call last)
Cell In[3], line 2
      1 loader = DataLoader(data, num_workers=2)
----> 2 for batch in loader:

File ~/pt/lib/python3.12/multiprocessing/reduction.py:60, in dump(obj, file, protocol)
---> 60     ForkingPickler(file, protocol).dump(obj)
""",
    "of before": """\
AttributeError                            Traceback (most recent call last)
<ipython-input-3-5cbd16a61c14> in <module>
      1 loader = DataLoader(data, num_workers=2)
----> 2 for batch in loader:

~/pt/lib/python3.7/multiprocessing/reduction.py in dump(obj, file, protocol)
---> 60     ForkingPickler(file, protocol).dump(obj)

""",
    "of a file": """\
AttributeError                            Traceback (most recent call last)
/tmp/ipykernel_42/123456.py in <cell line: 4>()
----> 2 for batch in loader:
""",
}


@pytest.mark.parametrize("text", CELLS.values(), ids=CELLS)
def test_cells_of_notebooks_are_named_and_never_taken_for_files(text):
    found = explain(text + "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'\n")
    assert found.line.endswith(":2")
    assert found.line.startswith(("Cell In[3]", "<ipython-input-3", "/tmp/ipykernel_42"))
    assert "ell In" not in found.command
    assert "<ipython" not in found.command
    assert "ipykernel" not in found.command


def test_the_line_of_a_test_is_found_in_pytest_s_long_style():
    text = """\
    def test_loader():
>       next(iter(DataLoader(ds, num_workers=1)))

tests/test_x.py:12:
_ _ _ _ _ _ _ _ _ _ _ _ _ _
/usr/lib/python3.11/multiprocessing/reduction.py:60: in dump
    ForkingPickler(file, protocol).dump(obj)
E   TypeError: cannot pickle 'generator' object

/usr/lib/python3.11/multiprocessing/reduction.py:60: TypeError
=========================== short test summary info ============================
FAILED tests/test_x.py::test_loader - TypeError: cannot pickle 'generator' object
"""
    found = explain(text)
    assert (found.code, found.line) == ("DLF206", "tests/test_x.py:12")


def test_an_error_of_a_process_that_spawn_started_is_explained_by_that_process():
    text = """\
Traceback (most recent call last):
  File "/home/me/proj/train.py", line 90, in <module>
    mp.spawn(work, nprocs=2)
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 0 terminated with the following error:
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 90, in _wrap
    fn(i, *args)
  File "/home/me/proj/train.py", line 41, in work
    for batch in loader:
TypeError: cannot pickle 'Environment' object
"""
    found = explain(text)
    assert (found.code, found.line) == ("DLF201", "/home/me/proj/train.py:41")


@pytest.mark.parametrize(
    ("signal", "word"),
    [
        ("Bus error. It is possible that", "shared memory"),
        ("Killed.", "memory runs out"),
        ("Segmentation fault.", "crashed"),
    ],
)
def test_what_killed_a_worker_is_told_by_the_signal(signal, word):
    found = explain(
        'Traceback (most recent call last):\n  File "train.py", line 7, in <module>\n'
        f"RuntimeError: DataLoader worker (pid 42) is killed by signal: {signal}\n"
    )
    assert word in found.happened + found.why
    assert (found.line, found.line_is) == ("train.py:7", "boundary")


def test_an_error_of_loading_is_not_told_as_one_of_pickling():
    text = """\
Traceback (most recent call last):
  File "/usr/lib/python3.13/multiprocessing/spawn.py", line 136, in _main
    self = reduction.pickle.load(from_parent)
ModuleNotFoundError: No module named 'sets_of_ours'
"""
    found = explain(text)
    assert "raised while an object was unpickled in the worker" in found.happened
    assert (
        "Unpickling imports the object's modules and runs `__setstate__` in a process without the state that the parent set up; `dlfix probe` unpickles the object in such a process and names it."
        in found.why
    )


def test_an_unknown_error_is_told_by_where_it_was_raised():
    found = explain(parent("mylib.StateError: the shelf is open"))
    assert found.happened == (
        "`mylib.StateError: the shelf is open` was raised while an object was pickled for the worker."
    )
    assert found.command == "dlfix probe /home/me/proj/train.py"


def test_an_unknown_error_raised_elsewhere_is_not_ours():
    text = parent("mylib.StateError: the shelf is open").replace("reduction.py", "shelf.py")
    assert explain(text) is None


STYLES = {
    "IPython": """\
AttributeError                            Traceback (most recent call last)
File ~/proj/train.py:70, in main()
     69 loader = DataLoader(data, collate_fn=lambda b: b)
---> 70 for batch in loader:
File /opt/venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py:494, in DataLoader.__iter__(self)
AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
""",
    "a notebook": """\
AttributeError                            Traceback (most recent call last)
Cell In[3], line 70
---> 70 for batch in loader:
File /opt/venv/lib/python3.12/multiprocessing/reduction.py:60, in dump(obj, file, protocol)
AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
""",
    "pytest": """\
    def main():
>       for batch in loader:

train.py:70:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _
train.py:70: in main
    for batch in loader:
/opt/venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py:494: in __iter__
E       AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
""",
    "rich": """\
╭───────────────────── Traceback (most recent call last) ─────────────────────╮
│ /home/me/proj/train.py:70 in main                                            │
│ /opt/venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py:494 in __iter__ │
╰──────────────────────────────────────────────────────────────────────────────╯
AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
""",
    "loguru": """\
2026-03-01 10:00:00.123 | ERROR    | __main__:<module>:70 - An error has been caught
Traceback (most recent call last):

> File "/home/me/proj/train.py", line 70, in main
    for batch in loader:
                 \u2514 <torch.utils.data.dataloader.DataLoader object at 0x7f>

AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
""",
    "an exception group": """\
  | Traceback (most recent call last):
  |   File "/home/me/proj/train.py", line 70, in main
  |     for batch in loader:
  | AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
""",
}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_tracebacks_of_every_style_are_read(text):
    found = explain(text)
    assert found.code == "DLF101"
    assert found.line.endswith(":70")
    assert "site-packages" not in found.line


def test_a_text_without_the_error_says_nothing():
    assert explain("Epoch 1: loss 0.3\nEpoch 2: loss 0.2\n") is None
    assert explain("") is None


def test_frames_belong_to_the_exception_below_them():
    (first, second) = [r for r in exceptions(WORKER) if "KeyError" in r.text]
    assert [f.row for f in first.frames if f.is_users] == [31]
    assert [f.row for f in second.frames if f.is_users] == [14]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("DLF101", "dlfix apply --select DLF101 a.py"),
        ("DLF303", "dlfix apply --unsafe-fixes --select DLF303 a.py"),
        ("DLF207", "dlfix check --select DLF207 a.py"),
        ("", "dlfix probe a.py"),
    ],
)
def test_the_command_is_the_one_that_helps(code, expected):
    assert command(code, "a.py:3") == expected


# ---------------------------------------------------------------- articles, pasted as they stand


def test_an_article_about_an_attribute_error_is_explained_by_the_error_it_quotes():
    text = (
        "Why is a DataLoader worker process encountering an AttributeError?\n\nWhen `num_workers` is "
        "greater than 0, it throws a 'can't pickle _sqlite3.Connection object' error or a downstream "
        "`AttributeError` when it later tries to access the cursor."
    )
    found = explain(text)
    assert found.code == "DLF201"
    assert "sqlite3.Connection" in found.happened


def test_an_article_about_a_key_error_is_about_copies():
    found = explain(
        "title: Why is a KeyError occurring in my DataLoader worker process?\nThe cause ..."
    )
    assert "KeyError" in found.happened
    assert "its own copy" in found.why
    assert found.command == "dlfix check ."


def test_an_article_about_a_runtime_error_asks_for_the_worker_s_traceback():
    found = explain("What caused the RuntimeError in DataLoader worker process 3?\n")
    assert "worker process 3" in found.happened
    assert "Original Traceback" in found.why


def test_a_cut_off_quote_is_still_read():
    text = parent("AttributeError: Can't pickle local object 'boolean_dispatch.<locals>.fn")
    found = explain(text)
    assert found.code == "DLF104"
    assert "adaptive_max_pool2d" in found.happened


# ---------------------------------------------------------------- names found in the sources at hand


def project(folder, **files):
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (folder / "train.py").write_text("from data import sets\n\nfor x in sets.loader:\n    pass\n")
    return folder / "train.py"


def found_in(folder, error, **files):
    script = project(folder, **files)
    text = parent(error).replace("/home/me/proj/train.py", str(script))
    found = explain(text)
    return found.line.replace(str(folder) + "/", ""), found.line_is


def test_a_line_below_the_working_folder_is_told_from_there(tmp_path):
    script = project(tmp_path)
    text = parent("TypeError: h5py objects cannot be pickled").replace(
        "/home/me/proj/train.py", str(script)
    )
    found = explain(text, folder=tmp_path)
    assert found.line == "train.py:70"
    assert found.command == "dlfix apply --select DLF201 train.py"


def test_a_local_function_is_found_in_another_file_of_the_program(tmp_path):
    error = "AttributeError: Can't pickle local object 'make.<locals>.collate'"
    sets = "def collate(b):\n    return b\n\n\ndef make():\n    def collate(b):\n        return b\n"
    assert found_in(tmp_path, error, data__sets=sets) == ("data/sets.py:6", "culprit")


def test_a_lambda_of_a_module_is_found_in_that_module_only(tmp_path):
    error = (
        "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f>: "
        "attribute lookup <lambda> on data.sets failed"
    )
    files = {"data__a": "f = lambda x: x\n", "data__sets": "import a\n\ng = lambda x: x\n"}
    assert found_in(tmp_path, error, **files) == ("data/sets.py:3", "culprit")


def test_a_named_tuple_is_found_where_its_name_is_given(tmp_path):
    error = "_pickle.PicklingError: Can't pickle <class 'data.sets.Point'>: attribute lookup Point on data.sets failed"
    sets = "from collections import namedtuple\n\nP = namedtuple('Point', 'x y')\n"
    assert found_in(tmp_path, error, data__sets=sets) == ("data/sets.py:3", "culprit")


def test_several_lambdas_that_fit_are_all_named(tmp_path):
    error = "AttributeError: Can't pickle local object 'make.<locals>.<lambda>'"
    sets = "def make():\n    a = lambda: 1\n    return a, lambda: 2\n"
    assert found_in(tmp_path, error, data__sets=sets) == ("data/sets.py:2, 3", "one of")


def test_a_name_that_is_nowhere_leaves_the_line_that_sent_it(tmp_path):
    error = "AttributeError: Can't pickle local object 'gone.<locals>.collate'"
    line, line_is = found_in(tmp_path, error, data__sets="def make():\n    pass\n")
    assert (line, line_is) == ("train.py:70", "boundary")


def test_the_python_blocks_of_an_article_are_read_too(capsys):
    text = """\
Why is a DataLoader worker process encountering an AttributeError?

It throws a 'can't pickle _sqlite3.Connection object' error:

```python
import sqlite3
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.connection = sqlite3.connect(path)

    def __getitem__(self, i):
        return self.connection.execute("SELECT 1").fetchone()

def main():
    for row in DataLoader(Rows("x"), num_workers=2):
        print(row)
```
"""
    assert commands.explain_text(text) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "line block1.py:6" in told
    assert "block1.py:6 DLF201" in told
    assert "run dlfix apply --select DLF201 . " in told


def test_a_file_that_an_article_only_speaks_of_is_not_looked_for():
    assert explain("the cause is a TypeError: cannot pickle 'module' object in train.py").line == ""


# Bounds: counted, not timed


def test_a_long_line_is_read_at_both_ends_and_that_is_said(capsys):
    from dlfix.runtime.commands import explain_text
    from dlfix.runtime.explain import LONGEST, clean, left_out

    text = "a." * 50_000 + ": x\n" + "TypeError: cannot pickle 'sqlite3.Connection' object\n"
    assert max(map(len, clean(text).split("\n"))) <= LONGEST + 5
    assert f"longer than {LONGEST:,} characters" in left_out(text)
    assert explain_text(text) == 0
    assert "characters were shortened" in capsys.readouterr().err


def test_of_a_long_log_the_end_is_read_and_that_is_said(monkeypatch):
    from dlfix.runtime import explain

    monkeypatch.setattr(explain, "MOST", 1 << 20)
    text = "x" * 100 + "\n"
    assert explain.left_out(text * 20_000) == "only the last 1 MB of the text were read"
    assert len(explain.clean(text * 20_000)) <= 1 << 20


def test_frames_of_a_log_without_end_are_bounded():
    from dlfix.runtime.explain import MOST_FRAMES, exceptions

    log = "".join(f'  File "a.py", line {i}, in f\nValueError: x\n\n' for i in range(1000))
    assert max(len(raised.frames) for raised in exceptions(log)) == MOST_FRAMES


def test_a_text_of_which_all_is_read_has_nothing_left_out():
    from dlfix.runtime.explain import left_out

    assert left_out("TypeError: x\n") == ""
