"""Every message of the table, as it was seen."""

from __future__ import annotations

import re

import pytest

from dlfix.runtime.messages import meanings, table

ROWS = table().messages

SEEN = {
    "AttributeError: Can't get local object '<lambda>.<locals>.<lambda>'": "DLF101",
    "AttributeError: Can't pickle local object 'HybridReader.__init__.<locals>.<lambda>'": "DLF101",
    "_pickle.PicklingError: Can't pickle local object <function main.<locals>.<lambda> at 0x7f>": "DLF101",
    "AttributeError: Can't get local object '_mklocal.<locals>.inner'": "DLF102",
    "AttributeError: Can't pickle local object 'get_dataset.<locals>.Dataset'": "DLF103",
    "_pickle.PicklingError: Can't pickle local object <class 'main.<locals>.Clips'>": "DLF103",
    "AttributeError: Can't get local object 'boolean_dispatch.<locals>.fn'": "DLF104",
    "_pickle.PicklingError: Can't pickle local object <function boolean_dispatch.<locals>.fn at 0x7>": "DLF104",
    "AttributeError: Can't get local object 'WeakSet.__init__.<locals>._remove'": "DLF206",
    "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f>: it's not found as __main__.<lambda>": "DLF105",
    "_pickle.PicklingError: Can't pickle <class 'transforms.Standardize'>: it's not the same object as transforms.Standardize": "DLF105",
    "_pickle.PicklingError: Can't pickle <ufunc 'abs (vectorized)'>: attribute lookup abs (vectorized) on __main__ failed": "DLF105",
    "_pickle.PicklingError: Can't pickle <class 'botocore.client.S3'>: attribute lookup S3 on botocore.client failed": "DLF201",
    "TypeError: cannot pickle '_thread.lock' object": "DLF204",
    "TypeError: cannot pickle '_thread.RLock' object": "DLF204",
    "TypeError: can't pickle _thread.lock objects": "DLF204",
    "TypeError: cannot pickle '_queue.SimpleQueue' object": "DLF204",
    "TypeError: cannot pickle 'generator' object": "DLF206",
    "TypeError: cannot pickle 'module' object": "DLF206",
    "TypeError: cannot pickle 'dict_keys' object": "DLF206",
    "TypeError: cannot pickle memoryview objects": "DLF206",
    "TypeError: cannot pickle code objects": "DLF206",
    "TypeError: cannot pickle 'MulBackward0' object": "DLF206",
    "TypeError: cannot pickle 'torch._C.ScriptMethod' object": "DLF206",
    "TypeError: cannot pickle 'Environment' object": "DLF201",
    "TypeError: cannot pickle 'BufferedReader' instances": "DLF201",
    "TypeError: cannot pickle '_io.TextIOWrapper' object": "DLF201",
    "TypeError: cannot pickle 'cv2.VideoCapture' object": "DLF201",
    "TypeError: cannot pickle 'DuckDBPyConnection' object": "DLF201",
    "TypeError: self._db,self.options cannot be converted to a Python object for pickling": "DLF201",
    "RuntimeError: SynchronizedArray objects should only be shared between processes through inheritance": "DLF204",
    "AttributeError: Can't get attribute 'Clips' on <module '__main__' (built-in)>": "DLF106",
    "RuntimeError: DataLoader worker (pid 42) exited unexpectedly with exit code 1. Details are lost due to multiprocessing.": "",
    "AttributeError: Can't get attribute 'Row' on <module 'models' from 'models.py'>": "DLF105",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pattern.pattern[:50])
def test_a_row_knows_its_example_and_no_row_before_it_does(row):
    assert row.pattern.search(row.example)
    first = meanings(row.example)[0]
    assert first.rank >= row.rank
    assert first.text in row.example


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pattern.pattern[:50])
def test_the_sentences_are_two_and_their_words_are_filled_in(row):
    for meaning in meanings(row.example):
        assert meaning.happened[-1] in ".:!?" or meaning.happened.count("killed")
        assert meaning.why.endswith(".")
        assert not re.search(r"\{\w*\}|``|  ", meaning.happened + meaning.why)


@pytest.mark.parametrize(("text", "code"), SEEN.items())
def test_a_text_that_was_seen_belongs_to_its_rule(text, code):
    assert meanings(text)[0].code == code


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'lr'",
        "ModuleNotFoundError: No module named 'torch'",
        "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
        "ValueError: too many values to unpack",
        "RuntimeError: CUDA out of memory.",
        "I use pickle to store a DataLoader's samples, and it works well.",
        'raise RuntimeError(f"DataLoader worker (pid(s) {pids_str}) exited unexpectedly")',
    ],
)
def test_other_texts_mean_nothing(text):
    assert meanings(text) == []
