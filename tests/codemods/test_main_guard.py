"""How statements look once they are under the guard."""

from __future__ import annotations

import ast

import libcst as cst

from dlfix.fixing.guard_split import Division, divide
from dlfix.fixing.planners.main_guard import Guard, MainGuardPlan
from dlfix.source.text import Position, Span
from dlfix_codemods.main_guard import MainGuard


def guarded(source: str | bytes) -> str | bytes:
    tree = ast.parse(source)
    division = divide(tree, source if isinstance(source, str) else source.decode("latin-1"), {})
    assert isinstance(division, Division)
    spans = []
    for unit in division.move:
        last = unit.statements[-1]
        end = Position(last.end_lineno or 0, last.end_col_offset or 0)
        spans.append(Span(Position(unit.row, 0), end))
    module = MainGuard.rewrite(cst.parse_module(source), MainGuardPlan((Guard(tuple(spans)),)))
    return module.bytes if isinstance(source, bytes) else module.code


def test_a_tail_is_indented_with_its_comments_and_blank_lines() -> None:
    before = "def f(): ...\n\n\n# run\nf()\n\n# again\nf()  # twice\n"
    assert guarded(before) == (
        'def f(): ...\n\n\nif __name__ == "__main__":\n    # run\n    f()\n\n    # again\n'
        "    f()  # twice\n"
    )


def test_code_in_comments_below_a_block_is_indented_by_one_step() -> None:
    before = "import a\n\nif a:\n    a.go()\n# later\n# if b:\n    # b.go()\n\na.end()\n"
    assert guarded(before) == (
        'import a\n\nif __name__ == "__main__":\n    if a:\n        a.go()\n    # later\n    # if b:\n'
        "        # b.go()\n\n    a.end()\n"
    )


def test_a_marker_of_a_cell_within_a_block_stays_at_column_0() -> None:
    before = "import a\n\nif a:\n    a.go()\n# %%\n    # more\n\na.end()\n"
    assert "\n# %%\n        # more\n" in str(guarded(before))


def test_a_string_of_several_lines_keeps_its_bytes() -> None:
    before = 'import a\n\na.go("""x\n  y\n\nz""")\n'
    assert '    a.go("""x\n  y\n\nz""")\n' in str(guarded(before))


def test_the_lines_of_a_call_are_indented_and_blank_ones_stay_blank() -> None:
    before = "import a\n\na.go(\n    1,\n\n    2,  # two\n)\n"
    assert guarded(before) == (
        'import a\n\nif __name__ == "__main__":\n    a.go(\n        1,\n\n        2,  # two\n    )\n'
    )


def test_statements_between_definitions_come_together_below_them() -> None:
    before = "import a\n\n# one\na.one()\n\n\ndef f(): ...\n\n\na.two()\n"
    assert guarded(before) == (
        'import a\n\n\ndef f(): ...\n\n\nif __name__ == "__main__":\n    # one\n    a.one()\n\n'
        "    a.two()\n"
    )


def test_a_guard_that_is_there_takes_what_stands_around_it() -> None:
    before = (
        "import a\n\na.one()\n\nif '__main__' == __name__:\n    a.two()\n    # end\n\na.three()\n"
    )
    assert guarded(before) == (
        "import a\n\nif '__main__' == __name__:\n    a.one()\n\n    a.two()\n    # end\n\n    a.three()\n"
    )


def test_quotes_indentation_and_newlines_are_the_files_own() -> None:
    before = "import a\r\n\r\n\r\ndef f():\r\n\treturn 'x'\r\n\r\n\r\nf()\r\n"
    assert guarded(before.encode()) == (
        b"import a\r\n\r\n\r\ndef f():\r\n\treturn 'x'\r\n\r\n\r\nif __name__ == '__main__':\r\n\tf()\r\n"
    )


def test_the_encoding_stays() -> None:
    before = "# -*- coding: latin-1 -*-\nimport a\n\na.go('\xe9t\xe9')  # for\xeat\n".encode(
        "latin-1"
    )
    after = guarded(before)
    assert isinstance(after, bytes)
    assert b"    a.go('\xe9t\xe9')  # for\xeat\n" in after


def test_what_is_guarded_is_not_guarded_again() -> None:
    before = "import a\n\n\ndef f():\n    a.go()\n\n\nf()\n"
    once = guarded(before)
    assert guarded(once) == once


def test_a_cell_marker_stays_at_the_margin() -> None:
    before = "# %%\nimport a\n\n# %% run\n# now\na.go()\n"
    assert guarded(before) == (
        '# %%\nimport a\n\n# %% run\nif __name__ == "__main__":\n    # now\n    a.go()\n'
    )


def test_the_blank_lines_below_a_cell_marker_stay_with_it() -> None:
    before = "import a\n\n\n# In[5]:\n\n\na.go()\n"
    assert guarded(before) == (
        'import a\n\n\n# In[5]:\n\n\nif __name__ == "__main__":\n    a.go()\n'
    )


def test_a_text_that_stands_for_a_comment_is_indented_as_a_whole() -> None:
    before = 'import a\n\n"""\nRun\n\n  all\n"""\na.go("""\nx\n""")\n'
    assert guarded(before) == (
        'import a\n\nif __name__ == "__main__":\n    """\n    Run\n\n      all\n    """\n'
        '    a.go("""\nx\n""")\n'
    )


def test_what_stays_below_several_lines_that_go_keeps_its_distance() -> None:
    before = "import a\n\nx = a.go()\ny = a.go()\ndef g(): ...\n\nf(x, y)\n"
    assert guarded(before) == (
        'import a\n\ndef g(): ...\n\n\nif __name__ == "__main__":\n    x = a.go()\n    y = a.go()\n\n'
        "    f(x, y)\n"
    )


def test_a_line_that_a_backslash_continues_is_indented_too() -> None:
    before = "import a\n\nsize = \\\n    a.size() + \\\n  1\n"
    assert guarded(before) == (
        'import a\n\nif __name__ == "__main__":\n    size = \\\n        a.size() + \\\n      1\n'
    )


def test_a_comment_further_left_than_its_block_is_indented_too() -> None:
    before = "import a\n\nfor x in a.all():\n    for y in x:\n  # here\n        a.go(y)\n"
    assert "    for x in a.all():\n        for y in x:\n      # here\n            a.go(y)\n" in str(
        guarded(before)
    )


def test_a_rule_that_ends_a_block_of_settings_stays_with_them() -> None:
    before = "import a\n\n####\nONE = 'x'\nfiles = a.list(ONE)\n####\n\na.go(files)\n"
    assert guarded(before) == (
        "import a\n\n####\nONE = 'x'\n####\n\nif __name__ == '__main__':\n"
        "    files = a.list(ONE)\n\n    a.go(files)\n"
    )


def test_another_value_of_a_setting_stays_with_it() -> None:
    before = "import a\n\nPATH = 'x'\n# PATH = 'y'\na.make(PATH)\n# PATH is there\na.go(PATH)\n"
    assert guarded(before) == (
        "import a\n\nPATH = 'x'\n# PATH = 'y'\n\nif __name__ == '__main__':\n    a.make(PATH)\n"
        "    # PATH is there\n    a.go(PATH)\n"
    )


def test_cells_under_one_guard_keep_their_markers_and_gaps() -> None:
    before = "import a\n\n\n# In[5]:\n\n\na.go()\n\n\n# In[6]:\n\n\ndef f(): ...\n\n\n# In[7]:\n\n\nf()\n"
    assert guarded(before) == (
        'import a\n\n\n# In[6]:\n\n\ndef f(): ...\n\n\nif __name__ == "__main__":\n    # In[5]:\n\n\n'
        "    a.go()\n\n\n    # In[7]:\n\n\n    f()\n"
    )


def test_the_marker_of_a_cell_stays_with_what_stays_of_it() -> None:
    before = "import a\n\na.one()\n\n# In[5]:\na.go()\n\ndef f(): ...\n\nf()\n"
    assert guarded(before) == (
        'import a\n\n# In[5]:\n\ndef f(): ...\n\n\nif __name__ == "__main__":\n    a.one()\n\n    a.go()\n\n'
        "    f()\n"
    )


def test_a_rule_that_begins_a_block_moves_with_it() -> None:
    before = "import a\n\none = 'x'\n\n####\n# run\n####\na.go(one)\n"
    assert "    ####\n    # run\n    ####\n    a.go(one)\n" in str(guarded(before))
