"""A method that became static does what the bound one did."""

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
class Trainer:
    def __init__(self, rows, config, stream):
        self.rows = rows
        self.config = config
        self.stream = stream

    def collate(self, batch, scale=2):
        return [row * scale * self.config["by"] for row in batch]

    def loader(self):
        return DataLoader(self.rows, collate_fn=self.collate, num_workers=2)
"""
AFTER = (
    BEFORE.replace("    def collate(self, batch, scale=2)", "    @staticmethod\n    def collate(batch, scale=2, *, config)")
    .replace('self.config["by"]', 'config["by"]')
    .replace("=self.collate", "=functools.partial(self.collate, config=self.config)")
)  # fmt: skip


def test_it_takes_what_it_read():
    assert worse(BEFORE, AFTER) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("config=self.config)", "config=self.rows)"),
        ("functools.partial(self.collate, config=self.config)", "self.collate"),
        ('config["by"]', 'config["other"]'),
        ('config["by"]', "config"),
        ("scale=2, *", "scale=3, *"),
        ("*, config", "*, config=None"),
    ],
)
def test_it_does_something_else(old, new):
    assert old in AFTER
    assert worse(BEFORE, AFTER.replace(old, new))


MORE = {
    "is set later": "    def tune(self):\n        self.config = {}\n",
    "has another one": "class Other(Trainer):\n    def collate(self, batch):\n        return batch\n",
    "does not pass": "    def test(self):\n        return self.collate([1])\n",
    "`Trainer.collate` does not pass": "def test(trainer):\n    return Trainer.collate(trainer, [1])\n",
    "has `__getstate__`": "    def __getstate__(self):\n        return {'rows': self.rows, 'config': None}\n",
    "is a method or property": "class Other(Trainer):\n    @property\n    def config(self):\n        return {}\n",
}


@pytest.mark.parametrize(("reason", "text"), MORE.items(), ids=MORE)
def test_it_may_be_given_something_else(reason, text):
    assert any(reason in each for each in worse(BEFORE + text, AFTER + text))


def test_the_method_of_another_class_is_not_asked():
    text = "class Other:\n    def collate(self, batch):\n        return batch\n\n    def all(self):\n        return self.collate([1])\n"
    assert worse(BEFORE + text, AFTER + text) == []


def test_a_constructor_that_uses_it_may_not_have_set_what_it_takes():
    early = "        self.rows = rows\n        self.first = self.loader()\n"
    reasons = worse(
        *(each.replace("        self.rows = rows\n", early) for each in (BEFORE, AFTER))
    )
    assert reasons
