"""`make audit` tells holes from a look-up that failed."""

import subprocess

import pytest

from tests.release import audit


@pytest.mark.parametrize(
    ("status", "table", "expected"),
    [(0, "", 0), (1, "Name   Version ID\njinja2 2.0     PYSEC-1\n", 1), (1, "", 2)],
    ids=["nothing is known", "holes", "no look-up"],
)
def test_a_look_up_that_failed_is_no_result(status, table, expected, monkeypatch, capfd):
    done = subprocess.CompletedProcess([], status, stdout=table)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert audit.main() == expected
    said = capfd.readouterr()
    assert said.out.endswith(table)
    assert ("Not audited" in said.err) == (expected == 2)


def test_what_dlfix_needs_is_named_with_its_version():
    assert any(one.startswith("libcst==") for one in audit.pinned())
