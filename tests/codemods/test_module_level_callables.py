import libcst as cst
import pytest

from dlfix.fixing.single_file import plans_for
from dlfix_codemods import module_level_callables
from dlfix_codemods.module_level_callables import ModuleLevelCallables

LOADER = "    DataLoader(data, num_workers=2, collate_fn=lambda batch: batch[{}])\n"


def test_what_the_plan_does_not_name_is_not_visited(tmp_path, monkeypatch):
    loaders = "".join(LOADER.format(number) for number in range(5))
    code = f"from torch.utils.data import DataLoader\n\n\ndef main(data):\n{loaders}"
    plan, *others = plans_for(tmp_path / "a.py", code, "module_level_callables")
    assert len(others) == 4
    visited = []

    class Carrier(module_level_callables._Carrier):
        def visit_Subscript(self, node):
            visited.append(node)

    monkeypatch.setattr(module_level_callables, "_Carrier", Carrier)
    made = ModuleLevelCallables.rewrite(cst.parse_module(code), plan).code
    assert made.count("lambda") == 4
    assert len(visited) == 1


def test_a_blank_before_the_colon_of_a_lambda_is_not_taken_along(tmp_path):
    lambdas = ("batch : batch[0]", "*batch : batch[0]", "batch, **kw : kw[0]", "b, *, k=1 : b[k]")
    for text in lambdas:
        code = LOADER.replace("lambda batch: batch[{}]", f"lambda {text}")
        code = f"from torch.utils.data import DataLoader\n\n\ndef main(data):\n{code}"
        [plan] = plans_for(tmp_path / "a.py", code, "module_level_callables")
        made = ModuleLevelCallables.rewrite(cst.parse_module(code), plan).code
        assert f"def _collate_fn({text.partition(' :')[0]}):" in made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Lambda(\n        lambda x: x / 2)", "Lambda(_change)"),
        ("Lambda(\n        lambda x: x / 2\n    )", "Lambda(_change)"),
        ("Lambda(lambda x: x / 2 )", "Lambda(_change)"),
        ("Lambda( lambda x: x / 2 )", "Lambda( _change )"),
        ("Lambda(\n        lambda x: x / 2,\n    )", "Lambda(\n        _change,\n    )"),
        ("Lambda(  # half\n        lambda x: x / 2)", "Lambda(  # half\n        _change)"),
    ],
)
def test_a_call_of_one_lambda_is_closed_up_around_its_name(tmp_path, before, after):
    code = (
        "from torch.utils.data import DataLoader\nfrom torchvision.transforms import Lambda\n"
        "from rows import Rows\n\n\ndef main(data):\n"
        f"    change = {before}\n    DataLoader(Rows(data, change), num_workers=2)\n"
    )
    (tmp_path / "rows.py").write_text(
        "class Rows:\n    def __init__(self, data, change):\n        self.change = change\n"
    )
    [plan] = plans_for(tmp_path / "a.py", code, "module_level_callables")
    made = ModuleLevelCallables.rewrite(cst.parse_module(code), plan).code
    assert f"    change = {after}\n" in made
