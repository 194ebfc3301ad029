"""The proof accepts every golden: a proof that refuses what is right is none."""

import pytest

from dlfix.fixing.proof import regressions
from dlfix.project.project import Project
from dlfix.source.text import read
from tests.golden.cases import all_cases

CASES = [case for case in all_cases() if not case.stays]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_golden_is_accepted(case):
    files = sorted(case.before.rglob("*.py"))
    before = Project(files)
    texts = {
        file: read(after).text
        for file in files
        if (after := case.after / file.relative_to(case.before)).exists()
        and after.read_bytes() != file.read_bytes()
    }
    assert regressions(before, before.with_texts(texts), texts) == []
