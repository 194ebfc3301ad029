"""Patterns of a hostile .gitignore are matched in bounded time, and as before."""

import itertools
import random
import re
import time

import pytest
from pathspec import GitIgnoreSpec

from dlfix.source.discovery import Patterns
from dlfix.source.wildcards import in_one_try


@pytest.mark.parametrize(
    "pattern", ["*a" * 60 + "b", "*[a]" * 60 + "b", "*?" * 60 + "b", "*" * 61 + "b"]
)
def test_many_stars_are_not_tried_in_all_ways(pattern):
    began = time.process_time()
    assert not Patterns([pattern]).match_file("d/" + "a" * 200 + ".py")
    assert time.process_time() - began < 2


def test_patterns_match_what_they_matched():
    choose = random.Random(1)
    paths = [
        "/".join(p)
        for n in (1, 2)
        for p in itertools.product(("ab", "aab", "b.a", "abab"), repeat=n)
    ]
    for _ in range(1500):
        text = "".join(
            choose.choice(["*", "*", "a", "b", "?", "/", "[ab]", "[!a]", "**", "."])
            for _ in range(7)
        )
        try:
            (known,) = GitIgnoreSpec.from_lines([text]).patterns
        except (ValueError, re.error):
            continue
        if known.regex is not None:
            made = in_one_try(known.regex)
            for path in paths:
                assert bool(made.match(path)) == bool(known.regex.match(path)), (text, path)
