"""Where a stream's shares may be taken."""

from __future__ import annotations

import ast

import pytest

from dlfix.rules.reading import shares, streams


def function(body: str) -> ast.FunctionDef:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return ast.parse("def __iter__(self):\n" + lines).body[0]  # type: ignore[return-value]


AT_THE_SOURCE = {
    "return iter(self.x)": "self.x",
    "return map(f, range(3))": "range(3)",
    "return iter(map(f, self.x))": "self.x",
    "return (f(x) for x in self.x)": "self.x",
    "return zip(self.x, self.y)": "zip(self.x, self.y)",
    "yield from self.x": "self.x",
    "for x in self.x:\n    yield x": "self.x",
    "with open(p) as f:\n    for x in f:\n        y = g(x)\n        if y:\n            yield y": "f",
    "for i, x in enumerate(self.x):\n    if x < 0:\n        continue\n    yield i, x": (
        "enumerate(self.x)"
    ),
}
AT_THE_END = [
    "n = 0\nfor x in self.x:\n    n += 1\n    yield n",
    "buffer = []\nfor x in self.x:\n    buffer.append(x)\n    yield buffer",
    "for x in self.x:\n    if x < 0:\n        break\n    yield x",
    "last = 0\nfor x in self.x:\n    yield x - last\n    last = x",
    "for x in self.x:\n    self.seen = x\n    yield x",
    "for x in self.x:\n    yield x, next(self.y)",
    "for x in self.x:\n    yield x\nfor y in self.y:\n    yield y",
    "while True:\n    yield from self.x",
    "if self.x:\n    return iter(self.x)\nreturn iter(self.y)",
]
NEITHER = ["return self", "self.i = 0\nreturn self"]


@pytest.mark.parametrize(("body", "source"), AT_THE_SOURCE.items())
def test_a_stream_without_memory_is_shared_at_its_source(body: str, source: str) -> None:
    shape = streams.shape(function(body))
    assert isinstance(shape, streams.Source)
    assert ast.unparse(shape.source) == source


@pytest.mark.parametrize("body", AT_THE_END)
def test_a_stream_with_memory_is_shared_at_its_end(body: str) -> None:
    assert streams.shape(function(body)) is None


@pytest.mark.parametrize("body", NEITHER)
def test_an_object_that_is_its_own_iterator_is_refused(body: str) -> None:
    assert isinstance(streams.shape(function(body)), str)


@pytest.mark.parametrize(
    "text",
    [
        "info = get_worker_info()",
        "x[self.rank::self.world_size]",
        "os.environ['RANK']",
        "f(shard=1)",
    ],
)
def test_any_word_of_shares_counts(text: str) -> None:
    assert shares.speaks_of_shares(ast.parse(text))


@pytest.mark.parametrize(
    "text", ["for x in self.frank: yield x", "network(x)", "annotation['node']"]
)
def test_words_that_only_look_like_shares_do_not_count(text: str) -> None:
    assert not shares.speaks_of_shares(ast.parse(text))
