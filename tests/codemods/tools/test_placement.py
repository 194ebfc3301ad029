"""New definitions stand above the statement that needs them."""

from __future__ import annotations

import libcst as cst

from dlfix.source.text import Position, Span
from dlfix_codemods.tools import placement

NEW = "def new():\n    pass\n"


def inserted(source: str, row: int) -> str:
    module = cst.parse_module(source)
    span = Span(Position(row, 0), Position(row, 1))
    return placement.insert_at(
        module, placement.top_level_index(module, span), [cst.parse_statement(NEW)]
    ).code


def test_two_blank_lines_part_it_from_its_neighbours() -> None:
    assert inserted("import a\n\nx = 1\n", 3) == f"import a\n\n\n{NEW}\n\nx = 1\n"


def test_a_span_deep_in_a_statement_finds_the_top_level_one() -> None:
    source = "x = 1\n\n\nclass A:\n    def m(self):\n        return 1\n"
    assert inserted(source, 6) == source.replace("class A", f"{NEW}\n\nclass A")


def test_a_decorated_definition_keeps_its_decorator() -> None:
    source = "x = 1\n\n\n@deco\ndef f():\n    pass\n"
    assert inserted(source, 6) == source.replace("@deco", f"{NEW}\n\n@deco")


def test_the_habit_of_the_file_is_kept() -> None:
    source = "import a\n\ndef f():\n    pass\n\ndef g():\n    pass\n\nx = f\n"
    assert inserted(source, 9) == source.replace("x = f", f"{NEW}\nx = f")


def test_indented_blank_lines_at_the_end_of_a_block_count() -> None:
    source = (
        "import a\n\ndef f():\n    pass\n\ndef g():\n    pass\n    \n    \nclass A:\n    pass\n"
    )
    assert inserted(source, 10) == source.replace("class A", f"{NEW}\n\nclass A")


def test_a_comment_stays_on_its_statement() -> None:
    source = "import a\n\n\n# about x\nx = 1\n"
    assert inserted(source, 5) == source.replace("# about", f"{NEW}\n\n# about")


def test_a_heading_stays_above() -> None:
    source = "import a\n\n\n# ---- data ----\n\n\n# about f\ndef f():\n    pass\n"
    assert inserted(source, 8) == source.replace("# about", f"{NEW}\n\n# about")


def test_the_first_statement_of_a_file_keeps_the_header_above() -> None:
    assert inserted("# licence\n\nx = 1\n", 3) == f"# licence\n\n{NEW}\n\nx = 1\n"


def test_a_moved_function_takes_the_indentation_of_module_level() -> None:
    source = "def f():\n\tdef g():\n\t\t# why\n\t\treturn 1\n\treturn g\n"
    module = cst.parse_module(source)
    outer = cst.ensure_type(module.body[0], cst.FunctionDef)
    inner = cst.ensure_type(outer.body.body[0], cst.FunctionDef)
    code = placement.insert_at(module, 0, [inner]).code
    assert code.startswith("def g():\n\t# why\n\treturn 1\n\n\ndef f():\n\tdef g():\n")


def test_a_docstring_moves_with_its_function() -> None:
    source = 'def f():\n    def g():\n        """One.\n\n        Two.\n        """\n'
    module = cst.parse_module(source)
    outer = cst.ensure_type(module.body[0], cst.FunctionDef)
    inner = cst.ensure_type(outer.body.body[0], cst.FunctionDef)
    moved = placement.reindented_docstring(inner, " " * 8, " " * 4)
    assert module.code_for_node(moved) == 'def g():\n    """One.\n\n    Two.\n    """\n'


def test_a_docstring_with_a_line_at_the_margin_is_left_alone() -> None:
    source = 'def g():\n        """One.\n\nTwo.\n        """\n'
    inner = cst.ensure_type(cst.parse_statement(source), cst.FunctionDef)
    moved = placement.reindented_docstring(inner, " " * 8, " " * 4)
    assert moved.deep_equals(inner)


def test_a_definition_that_opens_a_notebooks_cell_stays_at_its_top() -> None:
    source = "import a\n__dlfix_cell__(2)\ndef f():\n    pass\n"
    assert inserted(source, 3) == source.replace("def f", f"{NEW}\n\ndef f")


def test_a_string_that_stands_on_a_definition_stays_on_it() -> None:
    source = '"""Doc."""\nimport a\n\n"""About f."""\ndef f():\n    pass\n\n"""About g."""\ndef g():\n    pass\n'
    assert inserted(source, 9) == source.replace('"""About g', f'{NEW}\n"""About g')


def test_the_docstring_of_a_module_is_not_of_its_first_definition() -> None:
    assert inserted('"""Doc."""\ndef f():\n    pass\n', 2).startswith('"""Doc."""\n')
