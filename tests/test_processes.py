import os
import subprocess

import pytest

from dlfix import processes


def test_results_come_in_the_order_of_the_items():
    assert list(processes.each(len, ["a" * n for n in range(30)], 3, lost=-1)) == list(range(30))


def test_a_process_that_dies_loses_its_own_items_only():
    items = [1] * 4 + [9] * 4 + [2] * 4  # os._exit(9) ends a child
    results = list(processes.each(os._exit, items, 2, lost=None))
    assert results == [None] * 12
    assert list(processes.each(abs, items, 2, lost=None)) == items


def test_an_exception_of_the_function_is_raised_in_the_parent():
    with pytest.raises(ValueError, match="invalid literal"):
        list(processes.each(int, ["1", "x"], 2, lost=0))


def test_no_process_is_left_when_the_results_are_not_wanted(monkeypatch):
    started = []
    real = subprocess.Popen
    monkeypatch.setattr(
        "dlfix.processes.subprocess.Popen",
        lambda *args, **options: started.append(real(*args, **options)) or started[-1],
    )
    results = processes.each(abs, list(range(100)), 2, lost=0)
    assert next(results) == 0
    results.close()
    assert len(started) == 2
    assert all(child.poll() is not None for child in started)
