"""Imports come once, where the file would put them."""

from __future__ import annotations

import libcst as cst
import pytest

from dlfix_codemods.tools import imports


def added(source: str, dotted: str = "functools", name: str | None = None) -> str:
    return imports.add(cst.parse_module(source), dotted, name).code


def used(source: str, dotted: str = "functools", name: str = "partial") -> tuple[str, str]:
    module, written = imports.use(cst.parse_module(source), dotted, name)
    return module.code, written


@pytest.mark.parametrize(
    ("source", "dotted", "name"),
    [
        ("import functools\n", "functools", None),
        ("import os, functools\n", "functools", None),
        ("from functools import wraps, partial\n", "functools", "partial"),
        ("try:\n    import h5py\nexcept ImportError:\n    h5py = None\n", "h5py", None),
    ],
)
def test_what_is_imported_is_not_imported_again(source: str, dotted: str, name: str | None) -> None:
    assert added(source, dotted, name) == source


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import functools\n",
        "import functools as ft\n",
        "if TYPE_CHECKING:\n    import functools\n",
    ],
)
def test_an_import_elsewhere_or_under_another_name_does_not_count(source: str) -> None:
    assert added(source) != source


def test_it_goes_into_the_sorted_section() -> None:
    source = "import abc\nimport os\nfrom a import b\n\nimport torch\n"
    assert added(source) == source.replace("import os", "import functools\nimport os")


def test_it_goes_to_the_end_of_an_unsorted_section() -> None:
    source = "import sys\nimport os\n\nimport torch\n"
    assert added(source) == source.replace("import os\n", "import os\nimport functools\n")


def test_it_goes_first_with_the_blank_lines_of_the_first() -> None:
    source = '"""Doc."""\n\nimport os\n\nimport torch\n'
    assert added(source) == source.replace("import os", "import functools\nimport os")


def test_a_section_of_its_own_is_parted_by_a_blank_line() -> None:
    assert added("import torch\n\nx = 1\n") == "import functools\n\nimport torch\n\nx = 1\n"


def test_a_third_party_module_goes_below_the_standard_library() -> None:
    assert added("import os\n\n\nx = 1\n", "torch") == "import os\n\nimport torch\n\n\nx = 1\n"


def test_the_first_import_goes_below_docstring_and_future() -> None:
    source = '"""Doc."""\nfrom __future__ import annotations\n\nx = 1\n'
    assert added(source) == source.replace("\nx = 1", "\nimport functools\n\nx = 1")


def test_a_file_without_imports_gets_its_first() -> None:
    assert added("def f():\n    pass\n") == "import functools\n\n\ndef f():\n    pass\n"


def test_the_header_comment_stays_at_the_top() -> None:
    assert added("# licence\n\nx = 1\n") == "# licence\n\nimport functools\n\nx = 1\n"


def test_a_from_import_is_extended_in_order() -> None:
    source = "from torch.utils.data import DataLoader, IterableDataset\n"
    expected = "from torch.utils.data import DataLoader, IterableDataset, get_worker_info\n"
    assert added(source, "torch.utils.data", "get_worker_info") == expected


def test_a_from_import_of_several_lines_keeps_its_shape() -> None:
    source = "from functools import (\n    cache,\n    wraps,\n)\n"
    expected = "from functools import (\n    cache,\n    partial,\n    wraps,\n)\n"
    assert added(source, "functools", "partial") == expected


def test_a_last_name_without_comma_keeps_the_shape() -> None:
    source = "from functools import (cache,\n                       lru_cache)\n"
    expected = "from functools import (cache,\n                       lru_cache,\n                       partial)\n"
    assert added(source, "functools", "partial") == expected


def test_the_import_at_hand_is_used() -> None:
    assert used("import functools as ft\n")[1] == "ft.partial"
    assert used("from functools import partial as p\n")[1] == "p"
    assert used("import functools\n")[1] == "functools.partial"
    assert used("from torch.utils import data\n", "torch.utils.data", "Subset")[1] == "data.Subset"


def test_a_from_import_at_hand_is_extended_for_use() -> None:
    assert used("from functools import wraps\n") == (
        "from functools import partial, wraps\n",
        "partial",
    )


def test_a_taken_module_name_is_worked_around() -> None:
    source = "functools = 3\n"
    assert used(source) == ("from functools import partial\n\nfunctools = 3\n", "partial")


def test_both_names_taken_gives_an_alias() -> None:
    code, written = used("functools = partial = 3\n")
    assert (code.splitlines()[0], written) == (
        "import functools as _functools",
        "_functools.partial",
    )


def without_unused(before: str, after: str) -> str:
    return imports.without_unused(cst.parse_module(after), cst.parse_module(before)).code


def test_a_name_of_typing_that_nothing_uses_any_more_goes():
    before = (
        "import os\n\nfrom typing import List, Optional\n\nx: Optional[int] = None\ny: List[int]\n"
    )
    after = before.replace("Optional[int]", "int")
    assert "from typing import List\n" in without_unused(before, after)


def test_the_last_name_of_typing_takes_its_line_along_and_leaves_the_blank_one():
    before = "import os\n\nfrom typing import Optional\nimport h5py\n\nx: Optional[int]\n"
    after = before.replace("Optional[int]", "int")
    assert without_unused(before, after) == "import os\n\nimport h5py\n\nx: int\n"


@pytest.mark.parametrize(
    "before",
    [
        "from typing import Optional\n",  # nothing used it before
        "from typing import Optional  # told\nx: Optional[int]\n",
        "from mine import Optional\nx: Optional[int]\n",
        'from typing import Optional\n__all__ = ["Optional"]\nx: Optional[int]\n',
    ],
)
def test_other_imports_stay(before: str):
    after = before.replace("x: Optional[int]", "x: int")
    assert without_unused(before, after) == after
