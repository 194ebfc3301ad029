"""A new name of a module is seen by who goes through its names, and by who imports all of them."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

MADE = "def made(n=2):\n{inner}    return DataLoader([], collate_fn={use})\n\n"
LOCAL = "    def by(b):\n        return b[:n]\n"
BEFORE = MADE.format(inner=LOCAL, use="by")
AFTER = "def _by(b, *, n):\n    return b[:n]\n\n" + MADE.format(
    inner="", use="functools.partial(_by, n=n)"
)
HEAD = "import importlib, inspect, sys, types\nimport main\nimport math\n\n"
LISTED = {
    "functions of it": "found = inspect.getmembers(main, inspect.isfunction)\n",
    "its dict": "found = {n: f for n, f in main.__dict__.items() if callable(f)}\n",
    "its vars": "found = sorted(vars(main))\n",
    "by a loop": "for name in dir(main):\n    print(name)\n",
    "by a parameter": "def found(module):\n    return dict(inspect.getmembers(module))\n\nfound(main)\n",
    "one of some": "for m in (math, main):\n    print(list(vars(m).values()))\n",
    "by its name": "found = list(vars(importlib.import_module('main')))\n",
    "any module": "def load(name):\n    module = importlib.import_module(name)\n    return dir(module)\n",
    "names in lower case": "found = [n for n in main.__dict__.keys() if n.islower() and not n.startswith('__')]\n",
}
NOT_LISTED = {
    "one of its names": "found = vars(main)['made'], main.__dict__.get('made'), getattr(main, sys.argv[1])\n",
    "a computed one": "found = vars(main)[sys.argv[1]], sys.argv[1] in dir(main)\n",
    "public ones": "found = [n for n in dir(main) if not n.startswith('_')]\n",
    "classes": "found = inspect.getmembers(main, inspect.isclass)\n",
    "values": "found = {k: v for k, v in vars(main).items() if isinstance(v, (int, str))}\n",
    "another module": "found = dir(math)\n",
    "an object": "def show(options):\n    return sorted(vars(options).items())\n",
}
ITSELF = {
    "globals": ("found = [f for f in globals().values() if callable(f)]\n", True),
    "a name for them": ("def all():\n    names = globals()\n    return sorted(names)\n", True),
    "its module": ("found = inspect.getmembers(sys.modules[__name__], inspect.isfunction)\n", True),
    "its own names": ("def own():\n    return sorted(vars())\n", False),
    "one global": ("def get(name):\n    return globals()[name]\n", False),
    "code": ("exec('x = 1', globals())\n", False),
}


def is_listed(rest="", **others):
    reasons = worse(
        f"import inspect, sys\n{BEFORE}{rest}", f"import inspect, sys\n{AFTER}{rest}", **others
    )
    return any("goes through the names of the module" in each for each in reasons)


@pytest.mark.parametrize("code", LISTED.values(), ids=LISTED)
def test_nothing_is_added_to_a_module_whose_names_are_gone_through(code):
    assert is_listed(other=HEAD + code)


@pytest.mark.parametrize("code", NOT_LISTED.values(), ids=NOT_LISTED)
def test_a_name_is_added_that_nobody_comes_to(code):
    assert not is_listed(other=HEAD + code)


@pytest.mark.parametrize(("code", "refused"), ITSELF.values(), ids=ITSELF)
def test_a_module_goes_through_its_own_names(code, refused):
    assert is_listed(code) is refused


PUBLIC_BEFORE = MADE.format(inner="    scale = lambda b: b\n", use="scale")
PUBLIC_AFTER = "def scale(b):\n    return b\n\n" + MADE.format(inner="", use="scale")
SCALING = "def scale(b):\n    return b / 2\n"
STARRED = {
    "another star import": ("from scaling import *\nfrom main import *\n\nprint(scale(1))\n", True),
    "its own function": (
        "def scale(b):\n    return b / 2\n\nfrom main import *\n\nscale(1)\n",
        True,
    ),
    "a builtin": ("from main import *\n\ndef go():\n    return scale\n", True),
    "nothing": ("from main import *\n\nmade()\n", False),
    "a local": ("from main import *\n\ndef go(scale):\n    return scale\n", False),
    "no star": ("from scaling import *\nfrom main import made\n\nprint(scale(1))\n", False),
}


@pytest.mark.parametrize(("code", "refused"), STARRED.values(), ids=STARRED)
def test_a_public_name_does_not_take_the_place_of_another(code, refused):
    reasons = worse(PUBLIC_BEFORE, PUBLIC_AFTER, other=code, scaling=SCALING)
    assert any("may mean something else" in each for each in reasons) is refused


def test_a_name_goes_on_through_other_modules():
    by = "from scaling import *\nfrom main import *\n"
    user = "from between import scale\n\nprint(scale(1))\n"
    reasons = worse(PUBLIC_BEFORE, PUBLIC_AFTER, between=by, user=user, scaling=SCALING)
    assert any("may mean something else (user.py:1)" in each for each in reasons)


@pytest.mark.parametrize("listed", ["'made'", "'made', 'scale'"])
def test_what_all_lists_is_taken_alone(listed):
    others = {"other": "from scaling import *\nfrom main import *\n\nprint(scale(1))\n"}
    head = f"__all__ = [{listed}]\n"
    reasons = worse(head + PUBLIC_BEFORE, head + PUBLIC_AFTER, **others, scaling=SCALING)
    assert any("may mean something else" in each for each in reasons) is ("scale" in listed)


LOOKED_UP = {
    "by a text": ("found = getattr(main, '_by', None)\n", True),
    "asked for": ("found = hasattr(main, '_by')\n", True),
    "one of some texts": (
        "for name in ('made', '_by'):\n    print(getattr(main, name, None))\n",
        True,
    ),
    "put together": (
        "for name in ('made', 'by'):\n    print(getattr(main, '_' + name, None))\n",
        True,
    ),
    "of a module that an object keeps": (
        "class Task:\n    def __init__(self):\n        self.module = importlib.import_module('main')\n"
        "    def run(self, part='by'):\n        return getattr(self.module, f'_{part}', None)\n",
        True,
    ),
    "of what an object keeps that is no module": (
        "class Task:\n    def __init__(self):\n        self.part = math\n"
        "    def run(self, part='by'):\n        return getattr(self.part, f'_{part}', None)\n",
        False,
    ),
    "another name": ("found = getattr(main, 'made')\n", False),
    "of an object": ("found = getattr(math, '_by', None)\n", False),
}


@pytest.mark.parametrize(("code", "refused"), LOOKED_UP.values(), ids=LOOKED_UP)
def test_a_name_that_code_looks_up_in_the_module_is_not_added(code, refused):
    reasons = worse(BEFORE, AFTER, other="import importlib\n" + HEAD + code)
    assert any("look up `_by` in the module" in each for each in reasons) is refused
