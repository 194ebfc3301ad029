"""Which lines change what is kept, and which copy is enough."""

from __future__ import annotations

import ast

import pytest

from dlfix.rules.reading.samples import Holder, Reader

HOLDERS = {
    "data": Holder("container"),
    "dicts": Holder("container", "dict"),
    "rows": Holder("container", "tensor"),
    "array": Holder("array", dimensions=2),
    "flat": Holder("array", dimensions=1),
    "tensor": Holder("tensor"),
}


def forms(body: str) -> list[str]:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    function = ast.parse("def __getitem__(self, i):\n" + lines).body[0]
    reader = Reader(function, HOLDERS.get, lambda call: [])  # type: ignore[arg-type]
    return [change.form for change in reader.changes()]


CHANGES = {
    "x = self.data[i]\nx['a'] = 1": "shallow",
    "x = self.dicts[i]\nx['a'] = 1": "dict",
    "x = self.dicts[i]\nx['a'] = x['a'] * 2": "dict",
    "x = self.dicts[i]\nx['a'] *= 2": "deep",
    "x = self.dicts[i]\nx['a'] += 'text'": "dict",
    "x = self.dicts[i]\nx['a']['b'] = 1": "deep",
    "x = self.dicts[i]\nx['a'].append(1)": "deep",
    "x = self.dicts[i]\ny = x['a']\ny.append(1)": "deep",
    "x = self.dicts[i]\ndel x['a']": "dict",
    "x = self.dicts[i]\nif i:\n    x.update(a=1)": "dict",
    "x = self.data[i]\nx.mul_(2)": "clone",
    "x = self.rows[i]\nx += 1": "clone",
    "x = self.array[i]\nx += 1": "copy",
    "x = self.array[i]\nx[0] = 1": "copy",
    "x = self.array[:2]\nx -= 1": "copy",
    "x = self.tensor[i]\nx += 1": "clone",
    "a, b = self.data[i]\na.sort()": "deep",
    "x = self.tensor[i]\nnp.add(x, 1, out=x)": "clone",
    "random.shuffle(self.data[i])": "deep",
    "self.dicts[i]['a'] = 1": "dict",
    "self.data[i] = f(self.data[i])\nreturn self.data[i]": "deep",
    "self.data[i] *= 2\nreturn self.data[i]": "deep",
    "x = self.tensor[i][1:, 0]\nx += 1": "clone",
    "x, y = self.array[i], self.rows[i]\nx /= 2": "copy",
    "x = self.data[i]\nx.boxes[:, 2:] -= 1": "deep",
    "x = self.data[i]\nx.words.append(1)": "deep",
    "for x in self.dicts:\n    x['a'] = 1\n    yield x": "dict",
    "for n, x in enumerate(self.dicts[2:]):\n    x['a'] = n\n    yield n, x": "dict",
    "x = self.data[i]\ntry:\n    x['a'] = 1\nexcept ValueError:\n    pass": "shallow",
}
NOTHING = [
    "x = self.other[i]\nx['a'] = 1",
    "x = dict(self.data[i])\nx['a'] = 1",
    "x = self.data[i].copy()\nx['a'] = 1",
    "x = {**self.data[i]}\nx['a'] = 1",
    "x = self.data[i]\nx = x + 1\nx['a'] = 1",
    "x = self.data[i]\nx += 1",
    "x = self.flat[i]\nx += 1",
    "x = self.array[self.groups[i]]\nx += 1",
    "x = self.array[i] * 2\nx += 1",
    "x = self.data[i]\nif 'a' not in x:\n    x['a'] = 1",
    "x = self.data[i]\nif x.get('a') is None:\n    x['a'] = 1",
    "if i not in self.cache:\n    self.cache[i] = self.data[i]\nreturn self.cache[i]",
    "self.data[i] = load(i)\nreturn self.data[i]",
    "self.data[i] = {}\nself.data[i]['shape'] = 1",
    "self.data[i] += 1\nreturn i",
    "x = self.data[i]\nif self.train:\n    x = dict(x)\nx['a'] = 1",
    "x = self.rows[i]\nx.requires_grad_()",
    "x = self.tensor[i].float()\nx.mul_(2)",
    "x, y = self.array[i].copy(), self.rows[i]\nx /= 2",
    "for x in self.dicts:\n    x.clear()\nyield i",
    "for x in self.dicts:\n    x['hits'] = 0\nyield 1",
    "for x in self.dicts:\n    x.clear()\nfor x in range(3):\n    yield x",
    "x = self.data[i]\ntry:\n    return x['a']\nexcept KeyError:\n    x['a'] = 1",
    "x = self.tensor[i][mask]\nx += 1",
    "x = self.data[i]['words'][:3]\nx.append(1)",
    "x = self.dicts[i]\ny = x['words'][1:]\ny[0] = 1",
    "for x in map(dict, self.dicts):\n    x['a'] = 1\n    yield x",
]


@pytest.mark.parametrize(("body", "form"), CHANGES.items())
def test_a_change_of_what_is_kept_is_found_with_the_smallest_copy(body: str, form: str) -> None:
    assert forms(body) == [form]


@pytest.mark.parametrize("body", NOTHING)
def test_copies_caches_and_values_are_left_alone(body: str) -> None:
    assert forms(body) == []
