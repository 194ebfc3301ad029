"""A function that each call makes anew is more than its code: attributes, identity, and the class that gets it."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

TAG = "def tag(function, **marks):\n    for name, value in marks.items():\n        setattr(function, name, value)\n    return function\n\n"
MADE = "def made():\n{inner}    return DataLoader([], collate_fn={use})\n\n"
LOCAL = "    def collate(b):\n        return b[0]\n"
TOP = "def collate(b):\n    return b[0]\n\n"
OF_CLASS = "class Batch(list):\n    pass\n\n"


def shared(use, rest="", head=""):
    before = head + MADE.format(inner=LOCAL, use=use) + rest
    after = head + TOP + MADE.format(inner="", use=use) + rest
    return [each for each in worse(before, after) if "now share one function" in each]


@pytest.mark.parametrize(
    ("use", "rest", "refused"),
    [
        ("tag(collate, weight=2)", "", True),
        ("collate", "", False),
        ("collate", "same = made().collate_fn == made().collate_fn\n", True),
        ("collate", "same = made().collate_fn == print\n", False),
        ("collate", "is_set = made().collate_fn is not None\n", False),
        ("collate", "count = len({each.collate_fn for each in [made(), made()]})\n", True),
        ("collate", "count = len(set([made().collate_fn, made().collate_fn]))\n", True),
        ("collate", "count = len({made().collate_fn: 1, made().collate_fn: 2})\n", True),
        ("collate", "seen = {}\nseen[made().collate_fn] = 1\n", True),
        ("collate", "mark = hash(made().collate_fn)\n", True),
        ("collate", "show(made().collate_fn)\nmark = hash(made().collate_fn)\n", True),
        ("collate", "count = len([made().collate_fn, made().collate_fn])\n", False),
    ],
)
def test_what_is_done_to_one_function_is_not_done_to_all(use, rest, refused):
    assert bool(shared(use, rest, TAG)) is refused


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("Batch.first = by", True),
        ("setattr(Batch, 'first', by)", True),
        ("setattr(Batch, name, by)", True),
        ("batch.first = by", False),
        ("setattr(batch, 'first', by)", False),
        ("print(by)", False),
    ],
)
def test_a_partial_is_no_method(line, refused):
    text = "def make(n, name, batch):\n    by = {0}\n    {1}\n    return DataLoader([], collate_fn=by)\n"
    before = OF_CLASS + text.format("lambda b: b[:n]", line)
    after = (
        OF_CLASS
        + "def _by(b, *, n):\n    return b[:n]\n\n"
        + text.format("functools.partial(_by, n=n)", line)
    )
    assert refused == any("a partial is not bound" in each for each in worse(before, after))


ASKED = {
    "a format": ("'{0.__doc__}'.format(made().collate_fn)", True),
    "a format of something else": ("'{0.__doc__}'.format(print)", False),
    "a computed name": ("[getattr(made().collate_fn, f'__{n}__') for n in ('doc', 'name')]", True),
    "a computed name of something else": ("[getattr(print, n) for n in dir(print)]", False),
}


@pytest.mark.parametrize(("question", "refused"), ASKED.values(), ids=ASKED)
def test_a_partial_is_asked_in_other_ways(question, refused):
    text = "def made(n=2):\n    return DataLoader([], collate_fn={})\n\nshown = {}\n"
    new = "def _by(b, *, n):\n    return b[:n]\n\n"
    before = text.format("lambda b: b[:n]", question)
    after = new + text.format("functools.partial(_by, n=n)", question)
    assert refused == any("of a function is read" in each for each in worse(before, after))


def test_a_partial_is_asked_by_a_pattern():
    text = (
        "import types\n\ndef kind(value):\n    match value:\n        case types.FunctionType():\n"
        "            return 1\n    return 0\n\ndef made(n=2):\n    fn = {}\n    print(kind(fn))\n"
        "    return DataLoader([], collate_fn=fn)\n"
    )
    new = "def _by(b, *, n):\n    return b[:n]\n\n"
    reasons = worse(
        text.format("lambda b: b[:n]"), new + text.format("functools.partial(_by, n=n)")
    )
    assert any("`FunctionType` of a function is read" in each for each in reasons)


STATS = (
    "import dataclasses\nfrom typing import NamedTuple\n\nstats = {}\n\n"
    "@functools.lru_cache(maxsize=None)\ndef stats_for(f):\n    return []\n\n"
    "def make_for(f):\n    return []\n\nmade_for = functools.lru_cache(maxsize=None)(make_for)\n\n"
    "@dataclasses.dataclass(frozen=True)\nclass Options:\n    f: object\n    n: int = 1\n\n"
    "@dataclasses.dataclass(eq=False)\nclass Settings:\n    f: object\n\n"
    "class Named(NamedTuple):\n    f: object\n\n"
    "class Cached:\n    def __init__(self):\n        self.last = None\n        self.seen = set()\n\n"
    "    @functools.cache\n    def of(self, f):\n        return []\n\n"
    "    def update(self, new):\n        changed = new != self.last\n        self.last = new\n\n"
    "    def note(self, f):\n        self.seen.add(f)\n        return len(self.seen)\n\n"
    "    def keep(self, f):\n        self.f = f\n\ncache = Cached()\n\n"
)
KEPT = {
    "a cached function": ("stats_for(by)", True),
    "a function that is put into a cache": ("made_for(by)", True),
    "a cached method": ("cache.of(by)", True),
    "setdefault": ("stats.setdefault(by, [0])[0] += 1", True),
    "an item": ("stats[by] = 1", True),
    "a part of a key": ("stats[by, 2] = 1", True),
    "a key that holds it": ("stats_for(Options(by, n=2))", True),
    "a key by a variable": ("key = Options(by)\n    stats.setdefault(key, [])", True),
    "a named tuple": ("stats_for(Named(by))", True),
    "a comparison": ("cache.update(Options(by))", True),
    "a set": ("cache.note(by)", True),
    "what has no keys": ("cache.keep(by)", False),
    "an object without a value": ("stats_for(Settings(by))", False),
    "a value": ("stats['by'] = by", False),
    "a default": ("stats.setdefault('by', by)", False),
    "what is asked for": ("stats.get('by', by)", False),
    "a dict of this call": ("own = {}\n    own[by] = 1", False),
    "a comparison in this call": ("own = by\n    same = own == by", False),
    "an object that nobody compares": ("options = Options(by)", False),
}


@pytest.mark.parametrize(("line", "refused"), KEPT.values(), ids=KEPT)
def test_a_function_that_outlives_its_call_as_a_key_stays_one_of_many(line, refused):
    text = "def make():\n    by = {0}\n    {1}\n    return DataLoader([], collate_fn=by)\n"
    before = STATS + text.format("lambda b: b[0]", line)
    after = STATS + "def _by(b):\n    return b[0]\n\n" + text.format("_by", line)
    reasons = worse(before, after)
    assert any("now share one function" in each for each in reasons) is refused


@pytest.mark.parametrize(
    ("line", "use", "refused"),
    [
        ("stats_for(by)", "first", True),
        ("stats_for(by)", "operator.itemgetter(0)", False),  # another object each time
        ("stats_for(len)", "first", False),
    ],
)
def test_a_function_of_the_module_that_stands_for_many_is_one(line, use, refused):
    head = "import operator\n" + STATS + "def first(b):\n    return b[0]\n\n"
    text = "def make():\n    by = {0}\n    {1}\n    return DataLoader([], collate_fn=by)\n"
    reasons = worse(head + text.format("lambda b: b[0]", line), head + text.format(use, line))
    assert any("now share one function" in each for each in reasons) is refused
