"""pandas calls columns by the names of the functions in a list: no fix gives these another name."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

HEAD = "import pandas as pd\n\n"
HELD = """
class Windows(Dataset):
    def __init__(self, frame, summary):
        self.frame, self.summary = frame, summary
        self.summaries = [summary]
        self.by_column = {{"v": self.summaries}}

    def __getitem__(self, index):
        return {0}

"""
NAMED = {
    "a series": "self.frame['v'].agg([self.summary])",
    "a frame": "self.frame.aggregate({'v': ['mean', self.summary]})",
    "groups": "self.frame.groupby('k')['v'].agg(self.summaries)",
    "groups by keyword": "self.frame.groupby('k').agg(func=self.by_column)",
    "a pivot table": "self.frame.pivot_table('v', 'k', 'j', [self.summary])",
    "one by keyword": "self.frame.pivot_table(index='k', aggfunc=self.summaries)",
    "one of a function": "pd.pivot_table(self.frame, index='k', aggfunc=[self.summary])",
    "a cross table": "pd.crosstab(self.frame.k, self.frame.j, aggfunc=[self.summary], values=self.frame.v)",
}
NOT_NAMED = {
    "a name of its own": "self.frame.groupby('k').agg(spread=('v', self.summary))",
    "a pair": "self.frame.groupby('k')['v'].agg([('spread', self.summary)])",
    "no list": "self.frame.groupby('k').agg(self.summary)",
    "a call": "self.summary(self.frame['v'])",
    "something else in a list": "self.frame.agg(['mean', 'max'])",
    "other arguments": "self.frame.pivot_table([self.summary])",
}


def refused(read, head=HEAD, more="", new="_spread", captures=True):
    n = "q" if captures else "2"
    inner = f"    def spread(values):\n        return values.quantile({n})\n"
    use = f"functools.partial({new}, q=q)" if captures else new
    made = "def made(frame, q):\n{0}    return DataLoader(Windows(frame, {1}))\n\n"
    # A list that nobody gives to such a call says nothing of one.
    held = HELD.format(read)
    if "summaries" not in read and "by_column" not in read:
        held = held.replace("[summary]", "[]")
    parameters = "values, *, q" if captures else "values"
    moved = f"def {new}({parameters}):\n    return values.quantile({n})\n\n"
    before = head + held + made.format(inner, "spread") + more
    after = head + held + moved + made.format("", use) + more
    return any("names a result of a library" in each for each in worse(before, after))


@pytest.mark.parametrize("read", NAMED.values(), ids=NAMED)
def test_a_function_keeps_the_name_that_a_library_reads(read):
    assert refused(read)


@pytest.mark.parametrize("read", NOT_NAMED.values(), ids=NOT_NAMED)
def test_a_function_whose_name_nobody_reads_gets_another(read):
    assert not refused(read)


def test_a_method_of_the_project_is_no_libraries():
    own = "class Frame:\n    def agg(self, functions):\n        return functions[0](self)\n\n"
    assert not refused("self.frame.agg([self.summary])", more=own)


def test_a_program_without_the_library_has_no_such_calls():
    assert not refused("self.frame.agg([self.summary])", head="")


def test_a_function_may_move_with_its_name():
    read = "self.frame['v'].agg([self.summary])"
    assert not refused(read, new="spread", captures=False)
    assert refused(read, new="_spread", captures=False)


def test_a_lambda_has_a_name_as_well():
    held = HEAD + HELD.format("self.frame.agg([self.summary])")
    made = "def made(frame):\n    return DataLoader(Windows(frame, {}))\n"
    moved = "def _summary(v):\n    return max(v)\n\n"
    reasons = worse(held + made.format("lambda v: max(v)"), held + moved + made.format("_summary"))
    assert any("names a result of a library" in each for each in reasons)
