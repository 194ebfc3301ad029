"""Code that handles that an object cannot be pickled sees that it can be now."""

import pytest

from dlfix.fixing.proof import pickling_tried
from tests.fixing.proof.pairs import opened, worse

TRIES = {
    "in the same code": (
        "import pickle\nrows = Rows('a')\ntry:\n    pickle.dumps(rows)\nexcept Exception:\n    rows = None\n",
        True,
    ),
    "in a function": (
        "import pickle\ndef fits(value):\n    try:\n        pickle.dumps(value)\n    except TypeError:\n"
        "        return False\n    return True\n\nprint(fits(Rows('a')))\n",
        True,
    ),
    "around a function that copies": (
        "import copy\ndef snapshot(value):\n    return copy.deepcopy(value)\n\nrows = Rows('a')\n"
        "with contextlib.suppress(TypeError):\n    kept = snapshot(rows)\n",
        True,
    ),
    "around a library's function of the same name": (
        "import copy, subprocess\ndef run(value):\n    return copy.deepcopy(value)\n\n"
        "try:\n    subprocess.run(['ls'])\nexcept Exception:\n    pass\nrun(Rows('a'))\nrun.run = 1\n",
        False,
    ),
    "around a library's function that is replaced": (
        "import copy, subprocess\ndef run(value):\n    return copy.deepcopy(value)\n\nsubprocess.run = run\n"
        "try:\n    subprocess.run(Rows('a'))\nexcept Exception:\n    pass\n",
        True,
    ),
    "of a list that holds it": (
        "import pickle\nrows = Rows('a')\ntry:\n    pickle.dumps([1, rows])\nexcept TypeError:\n    print('no')\n",
        True,
    ),
    "of each part of a dict": (
        "import pickle\ndef save(parts):\n    for name, part in parts.items():\n        try:\n"
        "            pickle.dumps(part)\n        except TypeError:\n            continue\n\n"
        "rows = Rows('a')\nsave({'rows': rows})\n",
        True,
    ),
    "of each part of another dict": (
        "import pickle\ndef save(parts):\n    for name, part in parts.items():\n        try:\n"
        "            pickle.dumps(part)\n        except TypeError:\n            continue\n\n"
        "rows = Rows('a')\nsave({'epoch': 3})\n",
        False,
    ),
    "of what a module's parameters are": (
        "import torch\ndef save(model, path):\n    state = {k: v.cpu() for k, v in model.state_dict().items()}\n"
        "    try:\n        torch.save(state, path)\n    except Exception:\n        print('again')\n\n"
        "rows = Rows('a')\nsave(load_model(rows), 'm.pt')\n",
        False,
    ),
    "of what a trainer says its state is": (
        "import torch\nclass Trainer:\n    def __init__(self, rows):\n        self.rows = rows\n"
        "    def state_dict(self):\n        return {'rows': self.rows}\n\ntrainer = Trainer(Rows('a'))\n"
        "try:\n    torch.save(trainer.state_dict(), 'm.pt')\nexcept Exception:\n    print('again')\n",
        True,
    ),
    "of a part that a method gives": (
        "import torch\ndef save(model, path):\n    state = {k: v for k, v in model.parts().items()}\n"
        "    try:\n        torch.save(state, path)\n    except Exception:\n        print('again')\n\n"
        "rows = Rows('a')\nsave(load_model(rows), 'm.pt')\n",
        True,
    ),
    "of settings that are copies of each other": (
        "import copy\nimport pickle\nclass Model:\n    def __init__(self, other):\n"
        "        self.setup = copy.deepcopy(other.setup)\n\n"
        "class Trainer:\n    def __init__(self, model):\n        self.setup = copy.deepcopy(model.setup)\n"
        "    def save(self):\n        try:\n            return pickle.dumps(self.setup)\n"
        "        except TypeError:\n            return None\n",
        False,
    ),
    "and raises another error": (
        "import pickle\nrows = Rows('a')\ntry:\n    pickle.dumps(rows)\nexcept TypeError as error:\n"
        "    raise ValueError('rows') from error\n",
        False,
    ),
    "of something else": (
        "import pickle\nrows = Rows('a')\nindex = [1, 2]\ntry:\n    pickle.dumps(index)\nexcept TypeError:\n"
        "    print('no')\n",
        False,
    ),
    "of what another object holds": (
        "import copy\nclass Other:\n    def __init__(self):\n        self.parts = [1]\n\n"
        "    def spare(self):\n        try:\n            return copy.deepcopy(self.parts)\n"
        "        except TypeError:\n            return None\n\nrows = Rows('a')\n",
        False,
    ),
    "of what a method of it gives": (
        "import copy\nrows = Rows('a')\ntry:\n    kept = copy.deepcopy(rows.spare())\nexcept TypeError:\n"
        "    kept = None\n",
        True,
    ),
    "of what its own file gives": (
        "import copy\nimport pickle\ndef load(file):\n    parts = pickle.loads(file.read(8))\n"
        "    return copy.deepcopy(parts['at'])\n\nclass Other:\n    def __init__(self):\n"
        "        self.file = open('a')\n        try:\n            self.at = load(self.file)\n"
        "        except Exception:\n            self.at = 0\n\nrows = Rows('a')\n",
        False,
    ),
    "of a field of a class": (
        "import copy\nimport dataclasses\n@dataclasses.dataclass\nclass Box:\n    part: object\n\n"
        "class Other:\n    def __init__(self):\n        self.part = 3\n\nbox = Box(Rows('a'))\n"
        "try:\n    kept = copy.deepcopy(box.part)\nexcept TypeError:\n    kept = None\n",
        True,
    ),
    "for an error of the file": (
        "import pickle\nrows = Rows('a')\ntry:\n    pickle.dump(rows, open('x', 'wb'))\nexcept OSError:\n"
        "    print('no')\n",
        False,
    ),
    "in a test that expects another error": (
        "import copy\nimport pytest\nrows = Rows('a')\nwith pytest.raises(RuntimeError, match='sum'):\n"
        "    copy.deepcopy(rows)\n",
        False,
    ),
    "in a test that expects one of several": (
        "import copy\nimport pytest\nrows = Rows('a')\nwith pytest.raises((RuntimeError, TypeError)):\n"
        "    copy.deepcopy(rows)\n",
        True,
    ),
    "and suppresses one of several": (
        "import copy\nrows = Rows('a')\nwith contextlib.suppress(OSError, TypeError):\n"
        "    rows = copy.deepcopy(rows)\n",
        True,
    ),
    "in a test that names the error": (
        "import copy\nimport pytest\nrows = Rows('a')\nwith pytest.raises(expected_exception=TypeError):\n"
        "    copy.deepcopy(rows)\n",
        True,
    ),
    "of a text": (
        "import json\nrows = Rows('a')\ntry:\n    json.dumps(rows)\nexcept TypeError:\n    print('no')\n",
        False,
    ),
}


@pytest.mark.parametrize(("program", "refused"), TRIES.values(), ids=TRIES)
def test_code_that_handles_that_an_object_cannot_be_pickled(program, refused):
    reasons = opened(program=program)
    assert refused == any("cannot be pickled" in reason for reason in reasons)


LAMBDA = "import pickle\ndef make(rows):\n    step = {step}\n    {tries}\n    return DataLoader(rows, collate_fn=step)\n"
TRIED = "try:\n        pickle.dumps({of})\n    except Exception:\n        step = None"


@pytest.mark.parametrize(("of", "refused"), [("step", True), ("[1, 2]", False)])
def test_code_that_handles_that_a_lambda_cannot_be_pickled(of, refused):
    tries = TRIED.format(of=of)
    before = LAMBDA.format(step="lambda batch: batch[0]", tries=tries)
    after = "def _step(batch):\n    return batch[0]\n" + LAMBDA.format(step="_step", tries=tries)
    reasons = worse(before, after)
    assert refused == any("cannot be pickled" in reason for reason in reasons)


HOLDS = """
class Kept:
    def __init__(self, step):
        {sets}

def make(rows):
    step = {step}
    kept = Kept(step)
    try:
        pickle.dumps(kept)
    except Exception:
        kept = None
    return DataLoader(rows, collate_fn=step)
"""


@pytest.mark.parametrize(
    ("sets", "refused"), [("self.step = step", True), ("self.size = 1", False)]
)
def test_code_that_handles_that_what_holds_a_lambda_cannot_be_pickled(sets, refused):
    before = "import pickle\n" + HOLDS.format(step="lambda batch: batch[0]", sets=sets)
    after = "import pickle\ndef _step(batch):\n    return batch[0]\n" + HOLDS.format(
        step="_step", sets=sets
    )
    reasons = worse(before, after)
    assert refused == any("cannot be pickled" in reason for reason in reasons)


SAVED = """
import torch

class Saver:
    def save(self, step, model, path, optimizer=None):
        state = {made}
        try:
            torch.save(state, path)
        except {error}:
            print("again")

class Trainer:
    def __init__(self, rows):
        self.rows, self.saver = rows, Saver()

    def run(self, model):
        for step, batch in enumerate(DataLoader(self.rows, num_workers=2)):
            self.saver.save(step, model, "model.pt")

def main(model):
    rows = Rows("a")
    Trainer(rows).run(model)
    {more}
"""
TENSORS = "{k: v.cpu() for k, v in model.state_dict().items()}"


@pytest.mark.parametrize(
    ("made", "error", "more", "refused"),
    [
        (TENSORS, "Exception", "pass", False),
        (TENSORS, "TypeError", "pass", False),
        ("{'step': step, 'best': optimizer}", "Exception", "pass", False),
        ("optimizer", "Exception", "Saver().save(1, model, 'x', Rows('b'))", True),
        ("optimizer", "Exception", "Saver().save(1, model, 'x', optimizer=rows)", True),
        ("optimizer", "Exception", "Saver().save(1, model, 'x', other)", False),
        ("optimizer", "TypeError", "Saver().save(1, model, 'x', Rows('b'))", True),
    ],
)
def test_a_handler_of_any_error_counts_for_what_is_seen_to_come_there(made, error, more, refused):
    reasons = opened(program=SAVED.format(made=made, error=error, more=more))
    assert refused == any("cannot be pickled" in reason for reason in reasons)


BATCHES = """
import torch

def main(path):
    loader = DataLoader(Rows("a"), num_workers=2)
    {taken}
    try:
        torch.save({saved}, path)
    except Exception:
        print("again")
"""


@pytest.mark.parametrize(
    ("taken", "saved", "refused"),
    [
        ("batch = next(iter(loader))", "batch", False),
        ("for batch in loader: pass", "batch", False),
        ("for i, batch in enumerate(loader): pass", "[i, batch]", False),
        ("batch = next(iter(loader))", "[batch, loader]", True),
        ("rows = loader.dataset", "rows", True),
        ("for each in [loader, Rows('b')]: pass", "each", True),
    ],
)
def test_what_a_loader_gives_is_not_its_dataset(taken, saved, refused):
    reasons = opened(program=BATCHES.format(taken=taken, saved=saved))
    assert refused == any("cannot be pickled" in reason for reason in reasons)


def test_a_program_that_never_meets_the_class_may_try_what_it_likes():
    other = "import pickle\ntry:\n    pickle.dumps(dataset)\nexcept TypeError:\n    print('no')\n"
    reasons = opened(program="rows = Rows('a')\n", other=other)
    assert not any("cannot be pickled" in reason for reason in reasons)


CALLING = """
import pickle

def first(value):
    pickle.dumps(1)
    second(value)

def second(value):
    third(value)
    first(value)

def third(value):
    pickle.dumps(value)

rows = Rows('a')
{caller}
"""
CALLERS = {
    "handles": ("try:\n    first(rows)\nexcept TypeError:\n    rows = None", True),
    "handles nothing": ("first(rows)", False),
    "handles an error of the file": (
        "try:\n    first(rows)\nexcept OSError:\n    rows = None",
        False,
    ),
}


@pytest.mark.parametrize(("caller", "refused"), CALLERS.values(), ids=CALLERS)
def test_what_handles_the_errors_of_functions_that_call_each_other_is_found(caller, refused):
    reasons = opened(program=CALLING.format(caller=caller))
    assert any("cannot be pickled" in each for each in reasons) is refused


def test_what_many_methods_of_one_name_pass_on_is_followed_to_a_bound(monkeypatch):
    steps = "".join(
        f"class Step{number}:\n    def forward(self, value):\n        return later.forward(value)\n\n"
        for number in range(40)
    )
    tries = (
        "import copy\nclass Last:\n    def forward(self, value):\n        try:\n"
        "            return copy.deepcopy(value)\n        except TypeError:\n            return None\n\n"
    )
    asked = []
    read = pickling_tried.passed_for

    def counted(program, module, name):
        for found in read(program, module, name):
            asked.append(found)
            yield found

    monkeypatch.setattr(pickling_tried, "passed_for", counted)
    opened(program=steps + tries + "rows = Rows('a')\nprint(rows[0])\n")
    assert 0 < len(asked) < 5_000  # 40 ** 3 if each were followed for itself
