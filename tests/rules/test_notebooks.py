"""What a notebook defines and sends to workers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dlfix import undo
from dlfix.cli import app
from dlfix.config import Settings
from dlfix.fixing.plans import Fix
from dlfix.report.text import block
from dlfix.report.view import View
from dlfix.session import Session

IMPORTS = "import torch\nfrom torch.utils.data import DataLoader, Dataset"
ROWS = """class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor(index)"""


@pytest.fixture
def notebook(tmp_path):
    """Return what opens a session on a notebook of these cells, and on modules beside it."""

    def opened(*cells, **modules):
        book = {
            "cells": [
                {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
                for source in (IMPORTS, *cells)
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }  # fmt: skip
        (tmp_path / "book.ipynb").write_text(json.dumps(book))
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(text)
        return Session.open([tmp_path], Settings())

    return opened


def found(session):
    return [one.finding.code for one in session.diagnoses()]


def test_a_dataset_class_of_a_cell_is_reported_with_its_trace_and_error(notebook):
    session = notebook(ROWS, "loader = DataLoader(Rows(), num_workers=2)")
    (diagnosis,) = session.diagnoses()
    assert diagnosis.finding.code == "DLF106"
    assert "`Rows`" in diagnosis.finding.message
    assert [step.place.span.start.row for step in diagnosis.finding.trace] == [11, 11]
    error = "Can't get attribute 'Rows' on <module '__main__' (built-in)>"
    assert diagnosis.finding.error == error


OPENING = """import sqlite3
class Rows(Dataset):
    def __init__(self, path): self.db = sqlite3.connect(path)
    def __getitem__(self, index): return self.db.execute("select 1")"""


@pytest.mark.parametrize(
    ("cell", "codes"),
    [
        ("rows = None", []),
        ("isinstance(3, Rows)", []),
        ("print(Rows('rows.db')[0])", []),
        ("from library import show\nshow(Rows('rows.db'))", ["DLF201"]),
        ("from library import show\nshow(Rows, 'rows.db')", ["DLF201"]),
    ],
)
def test_a_dataset_that_only_its_notebook_can_use_and_does_not_hand_on_is_not_sent(
    notebook, cell, codes
):
    assert found(notebook(OPENING, cell, other="class Rows: pass\nuse(Rows(), Rows)")) == codes


SENT = "loader = DataLoader(Rows(), num_workers=2)"


def test_a_class_moves_into_a_module_next_to_the_notebook(notebook):
    outcome = notebook(ROWS, SENT).rewrite(unsafe=True)
    book, module = outcome.changes
    assert (module.path.name, module.before) == ("book_workers.py", None)
    assert module.after.decode() == (
        '"""Definitions from book.ipynb that worker processes import."""\n\n'
        "import torch\nfrom torch.utils.data import Dataset\n\n\n" + ROWS + "\n"
    )
    cells = [cell["source"] for cell in json.loads(book.after)["cells"]]
    assert cells == [IMPORTS, "from book_workers import Rows", SENT]


def test_the_module_is_not_created_unasked(notebook):
    session = notebook(ROWS, SENT)
    assert session.rewrite(unsafe=False).changes == ()
    (diagnosis,) = session.diagnoses()
    assert diagnosis.outcome.why_unsafe == "the kernel has to be restarted"


def test_apply_says_that_a_file_was_created(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook(ROWS, SENT)
    done = CliRunner().invoke(app, ["apply", "--unsafe-fixes", "."])
    assert "1 file rewritten, 1 file created. Undo with `dlfix undo`." in done.stdout


def test_undo_removes_the_module_and_restores_the_notebook(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = notebook(ROWS, SENT).rewrite(unsafe=True)
    before = (tmp_path / "book.ipynb").read_bytes()
    assert undo.record(outcome.changes, [tmp_path], print).undoable
    assert (tmp_path / "book_workers.py").exists()
    undo.undo(tmp_path)
    assert not (tmp_path / "book_workers.py").exists()
    assert (tmp_path / "book.ipynb").read_bytes() == before


def test_undo_keeps_a_created_module_that_was_edited(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    undo.record(notebook(ROWS, SENT).rewrite(unsafe=True).changes, [tmp_path], print)
    module = tmp_path / "book_workers.py"
    module.write_text(module.read_text() + "# mine\n")
    done = undo.undo(tmp_path)
    assert done.edited == [module]
    assert module.exists()


def test_a_module_that_is_there_is_extended(notebook):
    there = "import os\n\n\ndef other():\n    return os.sep\n"
    outcome = notebook(ROWS, SENT, book_workers=there).rewrite(unsafe=True)
    after = outcome.changes[1].after.decode()
    assert after.startswith(
        "import os\n\nimport torch\nfrom torch.utils.data import Dataset\n\n\ndef other"
    )
    assert after.endswith(f"\n\n\n{ROWS}\n")


def test_a_lambda_becomes_a_function_of_the_module(notebook):
    cell = "DataLoader(range(8), collate_fn=lambda b, n=2: (\n    b[0] * n\n), num_workers=2)"
    outcome = notebook(cell).rewrite(unsafe=True)
    book, module = outcome.changes
    assert module.after.decode().endswith("def collate_fn(b, n=2):\n    return b[0] * n\n")
    assert json.loads(book.after)["cells"][1]["source"] == (
        "from book_workers import collate_fn\n\n"
        "DataLoader(range(8), collate_fn=collate_fn, num_workers=2)"
    )


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        ("\\\n    b[0]", "b[0]"),
        ("b[0] + \\\n    1", "b[0] + 1"),
        ("[\n    b[0],  # the first\n    1\n]", "([\n    b[0],  # the first\n    1\n])"),
    ],
    ids=["continued before it", "continued within it", "with a comment"],
)
def test_a_lambda_of_several_lines_moves_whole(notebook, body, moved):
    cell = f"DataLoader(range(8), num_workers=2, collate_fn=lambda b: {body})"
    _, module = notebook(cell).rewrite(unsafe=True).changes
    assert module.after.decode().endswith(f"def collate_fn(b):\n    return {moved}\n")


def test_a_lambda_within_a_class_that_moves_is_named_in_the_module(notebook):
    rows = ROWS.replace(
        "    def __len__",
        "    def __init__(self):\n        self.scale = lambda x: x * 2\n\n    def __len__",
    )
    outcome = notebook(rows, SENT).rewrite(unsafe=True)
    assert outcome.left == ()
    after = outcome.changes[1].after.decode()
    assert after.index("def rows_scale(x):\n    return x * 2\n") < after.index("class Rows")
    assert "        self.scale = rows_scale\n" in after
    assert "import Rows" in outcome.changes[0].after.decode()


LOCAL = """def load():
    def first(batch{default}):
        {body}

    return DataLoader(range(8), collate_fn=first, num_workers=2)
load()"""


def test_a_function_of_a_function_moves_if_it_captures_nothing(notebook):
    text = LOCAL.format(default=", k=0", body="return torch.stack(batch[k:])")
    book, module = notebook(text).rewrite(unsafe=True).changes
    assert module.after.decode().endswith(
        "import torch\n\n\ndef first(batch, k=0):\n    return torch.stack(batch[k:])\n"
    )
    [_, cell] = [cell["source"] for cell in json.loads(book.after)["cells"]]
    assert cell == (
        "from book_workers import first\n\n\ndef load():\n"
        "    return DataLoader(range(8), collate_fn=first, num_workers=2)\nload()"
    )


def test_a_function_of_a_function_gets_another_name_where_its_own_is_taken(notebook):
    text = LOCAL.format(default="", body="return batch[0]")
    book, module = notebook("def first(x):\n    return x", text).rewrite(unsafe=True).changes
    assert "\ndef load_first(batch):\n    return batch[0]\n" in module.after.decode()
    cell = json.loads(book.after)["cells"][2]["source"]
    assert "collate_fn=load_first" in cell
    assert "def first" not in cell


OPENS = """import h5py

class Rows(Dataset):
    def __init__(self, path):
        {opens}

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.file["x"][index]
"""


def test_what_a_moved_class_opens_is_fixed_in_its_module_in_the_same_apply(notebook):
    cell = OPENS.format(opens="self.file = h5py.File(path, 'r')")
    session = notebook(cell, "DataLoader(Rows('rows.h5'), num_workers=2)")
    book, module = session.rewrite(unsafe=True).changes
    assert "cached_property" in module.after.decode()
    assert "class Rows" not in book.after.decode()
    for change in (book, module):
        change.path.write_bytes(change.after)
    assert found(Session.open([book.path.parent], Settings())) == []


def test_a_class_stays_if_what_it_opens_has_no_fix(notebook):
    cell = OPENS.format(opens="self.file = h5py.File(path, 'w')")
    session = notebook(cell, "DataLoader(Rows('rows.h5'), num_workers=2)")
    assert found(session) == ["DLF106", "DLF201"]
    assert session.rewrite(unsafe=True).changes == ()


def test_a_class_that_moves_leaves_behind_a_function_of_its_method_that_moves(notebook):
    rows = ROWS.replace(
        "    def __len__",
        "    def __init__(self):\n        def double(x):\n            return x * 2\n\n"
        "        self.scale = double\n\n    def __len__",
    )
    outcome = notebook(rows, SENT).rewrite(unsafe=True)
    assert outcome.left == ()
    after = outcome.changes[1].after.decode()
    assert "\n\n\ndef double(x):\n    return x * 2\n" in after
    assert "    def __init__(self):\n        self.scale = double\n\n    def __len__" in after


@pytest.mark.parametrize(
    ("before", "default", "body", "reason"),
    [
        ("", "", "return batch[n]", "`first` captures `n`"),
        ("", ", k=n", "return batch[k]", "`first` uses the local `n`"),
        ("", ", k=id(load)", "return batch[k]", "a default value of `first` is computed"),
        ("", "", "text = \'\'\'a\n        b\'\'\'\n        return text", "cannot be moved as a whole"),
        ("    @torch.no_grad()\n", "", "return batch[0]", "`first` has a decorator"),
    ],
)  # fmt: skip
def test_a_function_of_a_function_that_needs_it_stays(notebook, before, default, body, reason):
    text = LOCAL.format(default=default, body=body).replace(
        "    def first", f"{before}    def first"
    )
    session = notebook(text.replace("load():", "load(n=1):"))
    reasons = [one.outcome.reason for one in session.diagnoses() if one.finding.code == "DLF102"]
    assert [each for each in reasons if reason in each], reasons
    assert session.rewrite(unsafe=True).changes == ()


@pytest.mark.parametrize(
    ("more", "use", "moves"),
    [
        ("from pathlib import Path\nroot = Path('rows')", "len(str(root / 'a'))", True),
        ("import os\nroot = os.path.join('rows', 'a')", "len(root)", True),
        ("base = 'rows'\nroot = f'{base}/a'", "len(root)", True),
        ("bands = ['a', 'b']\nprint(len(bands))", "len([each for each in bands])", True),
        ("bands = ['a', 'b']\nbands.append('c')", "len([each for each in bands])", False),
        ("bands = ['a', 'b']\nother = bands", "len([each for each in bands])", False),
        ("from pathlib import Path\nroot = Path.cwd()", "len(str(root))", False),
    ],
)
def test_what_has_the_same_value_in_a_module_moves(notebook, more, use, moves):
    session = notebook(ROWS.replace("tensor(index)", f"tensor({use})"), more, SENT)
    assert bool(session.rewrite(unsafe=True).changes) is moves


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("scale = torch.rand(1)", "the code uses `scale`, which is computed in the notebook"),
        ("scale = 1\nscale = 2", "`scale` is set more than once"),
        ("if torch:\n    scale = 1", "`scale` is set in a compound statement"),
        ("%run settings.py", "`scale` is not defined in the notebook"),
        ("from settings import *", "`scale` may come from a star import"),
        ("scale = 1\nRows.scale = 2", "`Rows` may be changed after its definition"),
        ("def scale():\n    global count\n    count = 1", "the code sets the global `count`"),
        ("def scale():\n    return __name__", "`__name__` is another one in a module"),
        ("def scale():\n    !ls\n", "`scale` contains an IPython command"),
        ("try:\n    import scale\nexcept ImportError:\n    scale = 1", "`scale` is set"),
    ],
)
def test_what_a_module_cannot_take_is_refused(notebook, more, reason):
    rows = ROWS.replace("tensor(index)", "tensor(index * scale)")
    session = notebook(rows, more, SENT)
    outcomes = [one.outcome for one in session.diagnoses() if one.finding.code == "DLF106"]
    assert [outcome.reason for outcome in outcomes if reason in outcome.reason], outcomes
    assert session.rewrite(unsafe=True).changes == ()


VALUES = (
    "import collections, os, random\nimport numpy as np\nfrom pathlib import Path\n"
    "from typing import Callable, Optional, Union"
)


@pytest.mark.parametrize(
    "definition",
    [
        "scale = Union[np.ndarray, Optional[int]]",
        "scale = np.float32",
        "scale: list = [np.float32(0.5), *range(3)]",
        "scale = collections.namedtuple('Scale', ['low', 'high'])\nfirst = scale(1, 2)",
        "scale = Callable[[int], str]\nsome = lambda: scale",
        "scale = Path('data') / 'rows'",
        "scale = {name: at for at, name in enumerate('a b'.split())}",
        "scale = sorted({'a', 'b'})[0] + 'c'",
        "scale = {'a', 'b'}",
        "scale = list[int] | None",
        "scale = {'a': 1}\nprint(scale['a'], len(scale))",
    ],
)
def test_a_value_that_is_equal_in_every_process_moves_with_what_uses_it(notebook, definition):
    rows = ROWS.replace("tensor(index)", "tensor(index, scale)")
    book, module = notebook(VALUES, definition, rows, SENT).rewrite(unsafe=True).changes
    assert f"\n\n{definition.partition(chr(10))[0]}\n\n\nclass Rows" in module.after.decode()
    assert "from book_workers import scale" in book.after.decode()


def test_a_value_moves_with_the_values_that_it_is_made_from(notebook):
    cells = "BASE = Path('data')", "scale = BASE / 'rows'", "unused = BASE / 'more'"
    rows = ROWS.replace("tensor(index)", "tensor(index, scale)")
    _, module = notebook(VALUES, *cells, rows, SENT).rewrite(unsafe=True).changes
    assert "\n\nBASE = Path('data')\nscale = BASE / 'rows'\n\n\n" in module.after.decode()
    assert "from pathlib import Path" in module.after.decode()
    assert "unused" not in module.after.decode()


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["scale = random.random()"], "computed in the notebook"),
        (["scale = os.environ['SCALE']"], "computed in the notebook"),
        (["scale = Path.cwd()"], "computed in the notebook"),
        (["scale = Path('a').exists()"], "computed in the notebook"),
        (["scale = list({'a', 'b'})"], "computed in the notebook"),
        (["names = {'a', 'b'}", "scale = [name for name in names]"], "computed in the notebook"),
        (["scale = enumerate('ab')"], "computed in the notebook"),
        (["scale = settings.scale"], "computed in the notebook"),
        (["np.scale = 2", "scale = np.scale"], "computed in the notebook"),
        (["scale = max([1, 2], key=random.choice)"], "computed in the notebook"),
        (["noise = random.random()", "scale = noise * 2"], "computed in the notebook"),
        (["scale = [1]", "scale.append(2)"], "`scale` may be changed"),
        (["scale = {'a': [1]}", "scale['a'].append(2)"], "`scale` may be changed"),
        (["scale = [1]", "def grow(items):\n    items.append(2)\ngrow(scale)"], "may be changed"),
        (["scale = [1]", "other = scale", "other.append(2)"], "`scale` may be changed"),
        (
            ["scale = collections.namedtuple('S', 'a')", "scale.__new__.__defaults__ = (1,)"],
            "`scale` may be changed",
        ),
        (["scale = base * 2", "base = 1"], "`base` is used above its definition"),
    ],
)
def test_a_value_that_differs_or_changes_stays(notebook, cells, reason):
    rows = ROWS.replace("tensor(index)", "tensor(index, scale)")
    session = notebook(f"{VALUES}\nimport settings", *cells, rows, SENT, settings="scale = 1\n")
    (outcome,) = (one.outcome for one in session.diagnoses())
    assert reason in outcome.reason
    assert session.rewrite(unsafe=True).changes == ()


@pytest.mark.parametrize(
    "sent",
    [
        "DataLoader(range(8), collate_fn=first, num_workers=2)",
        "DataLoader(range(8), collate_fn=functools.partial(first), num_workers=2)",
        "DataLoader(range(8), worker_init_fn=first, num_workers=2)",
        "multiprocessing.Process(target=first, args=([1],)).start()",
    ],
)
def test_a_function_of_a_cell_is_reported(notebook, sent):
    cells = "import functools, multiprocessing\ndef first(batch):\n    return batch[0]", sent
    assert found(notebook(*cells)) == ["DLF106"]


def test_a_definition_under_a_guard_is_one_finding(notebook):
    guarded = "if __name__ == '__main__':\n    def first(batch):\n        return batch[0]"
    session = notebook(guarded, "DataLoader(range(8), collate_fn=first, num_workers=2)")
    assert found(session) == ["DLF106"]


@pytest.mark.parametrize(
    "cell",
    [
        "loader = DataLoader(Rows(), num_workers=0)",
        "loader = DataLoader(Rows())",
        "loader = DataLoader(Rows(), num_workers=2, multiprocessing_context='fork')",
        "rows = Rows()",
        "loader = DataLoader(range(8), sampler=Rows(), num_workers=2)",
    ],
)
def test_what_is_not_sent_by_name_is_clean(notebook, cell):
    assert found(notebook(ROWS, cell)) == []


LIBRARY = """
import types
from torch.utils.data import DataLoader, Dataset
KNOWN = {}
class Data(Dataset):
    def __init_subclass__(cls): KNOWN[cls.__name__] = cls
def load(name): return DataLoader(KNOWN[name](), num_workers=2)
def fit(name): return list(load(name))
def show(name): return KNOWN[name]()[0]
class Verb:
    def __init__(self, name): self.name = name
    def start(self): return self.run()
class Train(Verb):
    command = "train"
    def run(self): return load(self.name)
class Show(Verb):
    command = "show"
    def run(self): return show(self.name)
def verb(command):
    return next(each for each in Verb.__subclasses__() if each.command == command)
class Program:
    def __getattr__(self, command): return lambda name: verb(command)(name).run()
"""
OWN = ROWS.replace("Dataset", "library.Data")


@pytest.mark.parametrize(
    ("use", "codes"),
    [
        ("library.fit('Rows')", ["DLF106"]),
        ("from library import fit as train_it\ntrain_it('Rows')", ["DLF106"]),
        ("library.Train('Rows').start()", ["DLF106"]),
        ("library.Program().train('Rows')", ["DLF106"]),
        ("library.show('Rows')", []),
        ("library.Program().show('Rows')", []),
        ("print(library.KNOWN)", []),
        ("{'train': library.KNOWN}", []),
    ],
)
def test_a_loader_of_a_library_counts_where_the_notebook_may_run_it(notebook, use, codes):
    assert found(notebook("import library", OWN, use, library=LIBRARY)) == codes


MODELS = """
import multiprocessing
class Model:
    def predict(self, rows): return rows
    def run(self, rows): return self.predict_in_pool(rows)
    def predict_in_pool(self, rows):
        with multiprocessing.Pool(2) as pool:
            return pool.map(self.predict, rows)
class Fitted(Model):
    def score(self, rows): return self.predict_in_pool(rows)
"""


@pytest.mark.parametrize(
    ("use", "codes"),
    [
        ("model.predict([1])", []),
        ("models.keep(model).predict([1])", []),
        ("models.keep(model).run([1])", ["DLF106"]),
        ("model.predict_in_pool([1])", ["DLF106"]),
        ("models.keep(getattr(model, 'predict_in_pool'))([1])", ["DLF106"]),
    ],
)
def test_a_method_of_a_library_counts_where_the_notebook_may_run_it(notebook, use, codes):
    cells = "import models", "class Own(models.Model):\n    pass", "model = Own()", use
    assert found(notebook(*cells, models=MODELS)) == codes


def test_a_class_of_a_module_beside_the_notebook_is_clean(notebook):
    cell = "from rows import Rows\nloader = DataLoader(Rows(), num_workers=2)"
    assert found(notebook(cell, rows=f"{IMPORTS}\n{ROWS}\n")) == []


def test_the_same_class_in_a_script_is_clean(tmp_path):
    script = tmp_path / "train.py"
    guarded = "if __name__ == '__main__':\n    list(DataLoader(Rows(), num_workers=2))\n"
    script.write_text(f"{IMPORTS}\n{ROWS}\n{guarded}")
    assert found(Session.open([tmp_path], Settings())) == []


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("DataLoader(range(8), collate_fn=lambda batch: batch[0], num_workers=2)", "DLF101"),
        (
            "def load():\n    def first(batch):\n        return batch[0]\n"
            "    return DataLoader(range(8), collate_fn=first, num_workers=2)\nload()",
            "DLF102",
        ),
        (
            "def load():\n    class Local(Dataset):\n        def __len__(self):\n            return 8\n"
            "    return DataLoader(Local(), num_workers=2)\nload()",
            "DLF103",
        ),
        (
            "import torch.nn.functional as F\n"
            "DataLoader(range(8), collate_fn=F.max_pool2d, num_workers=2)",
            "DLF104",
        ),
        (
            "first = lambda batch: batch[0]\n"
            "DataLoader(range(8), collate_fn=first, num_workers=2)",
            "DLF105",
        ),
    ],
)  # fmt: skip
def test_nothing_is_moved_to_the_top_of_a_cell(notebook, cell, code):
    session = notebook(cell)
    (diagnosis,) = session.diagnoses()
    assert diagnosis.finding.code == code
    assert session.rewrite(unsafe=False).changes == ()
    for change in session.rewrite(unsafe=True).changes[:1]:
        assert "def " not in change.after.decode().replace("def load()", "")


def test_a_lambda_of_a_module_beside_the_notebook_is_still_fixed(notebook):
    module = "from torch.utils.data import DataLoader\ndef load():\n    return DataLoader(range(8), collate_fn=lambda b: b[0], num_workers=2)\n"
    (diagnosis,) = notebook("from loaders import load\nload()", loaders=module).diagnoses()
    assert isinstance(diagnosis.outcome, Fix)


def test_a_comment_on_the_class_suppresses_the_finding(notebook):
    rows = ROWS.replace("(Dataset):", "(Dataset):  # dlfix: ignore[DLF106]")
    assert found(notebook(rows, "loader = DataLoader(Rows(), num_workers=2)")) == []


def test_a_snippet_shows_no_line_that_is_in_no_cell(notebook):
    session = notebook(ROWS, "loader = DataLoader(Rows(), num_workers=2)")
    (entry,) = View(session, session.diagnoses()).entries
    assert "# %%" not in block(entry).plain


def test_a_class_of_a_cell_is_still_fixed_in_place(notebook):
    rows = ROWS.replace(
        "    def __len__",
        "    def __init__(self):\n        self.db = sqlite3.connect('a.db')\n\n    def __len__",
    )
    session = notebook("import sqlite3", rows, "loader = DataLoader(Rows(), num_workers=2)")
    outcomes = {one.finding.code: one.outcome for one in session.diagnoses()}
    assert isinstance(outcomes["DLF106"], Fix)
    assert isinstance(outcomes["DLF201"], Fix)


def test_a_function_that_a_later_cell_defines_again_is_missing_in_the_workers_and_no_other_object(
    notebook,
):
    first, second = (f"def collate(batch):\n    return batch[{index}]" for index in (0, 1))
    loader = "loader = DataLoader([1, 2], collate_fn=collate, num_workers=2)"
    assert set(found(notebook(first, loader, second, loader))) == {"DLF106"}
