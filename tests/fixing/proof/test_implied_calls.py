"""The special methods that operators and statements run are followed like other methods."""

import ast

import pytest

from dlfix.fixing.proof.implied_calls import implied
from tests.fixing.proof.pairs import opened

RUN = {
    "rows @ other": ("rows", "__matmul__"),
    "other | rows": ("rows", "__ror__"),
    "rows <<= 1": ("rows", "__ilshift__"),
    "1 in rows": ("rows", "__contains__"),
    "rows in seen": ("rows", "__hash__"),
    "other < rows": ("rows", "__gt__"),
    "~rows": ("rows", "__invert__"),
    "f'{rows}'": ("rows", "__format__"),
    "with rows: pass": ("rows", "__enter__"),
    "if rows: pass": ("rows", "__bool__"),
    "rows[1] = 2": ("rows", "__setitem__"),
    "a, b = rows": ("rows", "__iter__"),
    "sorted(rows)": ("rows", "__lt__"),
    "del rows[1]": ("rows", "__delitem__"),
    "{rows: 1}": ("rows", "__hash__"),
}


@pytest.mark.parametrize(("code", "run"), RUN.items(), ids=RUN)
def test_each_operator_runs_its_special_method(code, run):
    found = {
        (ast.unparse(operand), method)
        for node in ast.walk(ast.parse(code))
        for method, operand in implied(node)
    }
    assert run in found


METHOD = "def {name}(self, *rest):\n    self.file.row_factory = dict\n    return self\n"
LOAD = "loader = DataLoader(rows, num_workers=2)\nfor batch in loader:\n    print(batch)\n"
USES = {
    "__matmul__": "rows = Rows('a')\nrows = rows @ 'b'\n",
    "__ilshift__": "rows = Rows('a')\nrows <<= 2\n",
    "__enter__": "rows = Rows('a')\nwith rows:\n    print(1)\n",
    "__format__": "rows = Rows('a')\nprint(f'{rows}')\n",
    "__setitem__": "rows = Rows('a')\nrows['more'] = 1\n",
    "__str__": "rows = Rows('a')\nprint(rows)\n",
    "__gt__": "rows = Rows('a')\nprint(1 < rows)\n",
    "__getattr__": "rows = Rows('a')\nprint(rows.total)\n",
}


@pytest.mark.parametrize(("name", "program"), USES.items(), ids=USES)
def test_an_operator_that_opens_in_the_parent_is_seen(name, program):
    reasons = opened(body=METHOD.format(name=name), program=program + LOAD)
    assert any("forked workers share it" in reason for reason in reasons)


@pytest.mark.parametrize("name", ["__matmul__", "__enter__"])
def test_an_operator_that_nothing_uses_opens_nothing(name):
    program = "rows = Rows('a')\nprint(len([1]) << 2, rows.path)\n"
    reasons = opened(body=METHOD.format(name=name), program=program + LOAD)
    assert not any("forked workers share it" in reason for reason in reasons)


BY_PROCESS = """
    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._files:
            self._files[pid] = {opener}
        return self._files[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files"] = {{}}
        return state
"""


@pytest.mark.parametrize(
    "name", ["__matmul__", "__ilshift__", "__format__", "__setitem__", "__str__"]
)
def test_what_an_operator_sets_up_in_the_parent_is_not_set_up_in_a_worker(name):
    reasons = opened(
        init="self.path = path\nself.file = sqlite3.connect(path)",
        later="self.path = path\nself._files = {os.getpid(): sqlite3.connect(path)}",
        getter=BY_PROCESS,
        opener="sqlite3.connect(self.path)",
        body=METHOD.format(name=name),
        program=USES[name] + LOAD,
    )
    assert any("is set up with" in reason for reason in reasons)
