"""New code is indented as most of a file is."""

from __future__ import annotations

import libcst as cst
import pytest

from dlfix.fixing.indentation import indented_as_usual, usual

MIXED = """\
if a:
  first()

for b in c:
    if b:  # nested
        second()

while d:
    # a comment
    third()

class E:
  def f(self):
     return 1
"""


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (MIXED, "  "),  # as many blocks of four as of two: the first decides
        (MIXED + "\nif g:\n\n    h()\n", "    "),
        ("x = 1\n", "  "),
        ("if a:\n\tb()\n", "\t"),
        ("if a:\n\tb()\nclass E:\n    def f(self):\n        return 1\n", "    "),
        (MIXED.replace("\n", "\r\n") + "\r\nif g:\r\n    h()\r\n", "    "),
    ],
)
def test_most_blocks_at_module_level_decide(text, step):
    assert usual(text, "  ") == step


def test_what_stands_in_the_file_stays_as_it_is():
    text = MIXED + "\nif g:\n    h()\n"
    parsed = cst.parse_module(text)
    module = indented_as_usual(parsed, text)
    assert (parsed.default_indent, module.default_indent) == ("  ", "    ")
    assert module.code == text
