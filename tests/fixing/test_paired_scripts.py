"""Scripts that jupytext pairs with a notebook: one guard would make one cell of them all."""

import pytest

import dlfix

SCRIPT = """\
# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: {format}
# ---

# +
from torch.utils.data import DataLoader
rows = list(range(4))
# -

for batch in DataLoader(rows, num_workers=2):
    print(batch)
"""


@pytest.mark.parametrize(("form", "is_fixed"), [("light", False), ("percent", True)])
def test_only_cells_that_a_marker_begins_get_guards(tmp_path, form, is_fixed):
    (tmp_path / "main.py").write_text(SCRIPT.format(format=form))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF301"
    assert (finding.fix is not None) == is_fixed


def test_another_header_forbids_no_guard(tmp_path):
    (tmp_path / "main.py").write_text(SCRIPT.format(format="light").replace("jupytext", "made by"))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.fix is not None


def test_many_cells_that_editors_run_do_not_become_one():
    cells = ["from torch.utils.data import DataLoader", "rows = input()", "rows", "print(rows)"]
    cells.append("for x in DataLoader(rows, num_workers=2): ...")
    text = "".join(f"# %%\n{each}\n\n" for each in cells)
    assert "__main__" not in dlfix.fix_text(text).text
    assert "__main__" in dlfix.fix_text(text.replace("%%", "In[1]:")).text


@pytest.mark.parametrize(("marker", "guards"), [("# %%", 2), ("# In[1]:", 1)])
def test_cells_that_nobody_runs_come_under_one_guard(marker, guards):
    cells = [
        "from torch.utils.data import DataLoader",
        "rows = input()",
        "for x in DataLoader(rows, num_workers=2): ...",
    ]
    text = dlfix.fix_text("".join(f"{marker}\n{each}\n\n" for each in cells)).text
    assert text.count("__main__") == guards
