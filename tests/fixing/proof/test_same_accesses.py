"""What a method does with its object's attributes is compared apart from all else in it."""

import textwrap
from pathlib import Path

import pytest

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.same_accesses import keeps
from dlfix.project.project import Project

MAIN = Path("/program/main.py")
MODEL = """
class Model:
    def watch(self, layers):
        def hook(layer, given, output):
            output.requires_grad_(True)

        kept = []
        for layer in layers:
            if layer.frozen:
                continue
            kept.append(layer.register_forward_hook(hook))
        self.hooks = kept
        if kept:
            self.hook = self.hooks[0]
"""
HOOK = MODEL[MODEL.index("        def hook") : MODEL.index("        kept = []")]
MOVED = MODEL.replace(HOOK, "").replace("hook(hook)", "hook(_hook)")


def same(after, before=MODEL):
    classes = []
    for text in (before, after):
        project = Project([MAIN], {MAIN: textwrap.dedent(text)})
        classes += Program(project).classes(project.get(MAIN))
    return keeps(*classes)


def test_a_local_function_that_is_moved_out_changes_no_access():
    assert MOVED != MODEL
    assert same(MOVED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.hooks = kept", "self._hooks = kept"),
        ("self.hooks = kept", "pass"),
        ("self.hooks[0]", "kept[0]"),
        ("            if layer.frozen", "            if layer.thawed"),
        ("continue", "break"),
        ("kept = []\n", "kept = self.found\n"),
        ("        if kept:\n            self.hook", "        while kept:\n            self.hook"),
        ("def watch(self, layers)", "def watch(self, layers, more=())"),
        ("kept = []\n", "kept = helper(self)\n"),
        ("class Model:", "class Model:\n    hook = None\n"),
        ("class Model:", "class Model(Base):"),
        ("kept = []\n", "super().watch(layers)\n"),
    ],
)
def test_what_may_leave_an_attribute_unset_is_a_change(old, new):
    assert old in MOVED
    assert not same(MOVED.replace(old, new, 1))


def test_a_method_that_hands_its_object_on_is_compared_whole():
    before = MODEL.replace("kept = []", "kept = list(self)")
    assert same(before, before)
    assert not same(before.replace(HOOK, "").replace("hook(hook)", "hook(_hook)"), before)


STATE = """
class Model:
    def __getstate__({0}):
        state = super().__getstate__()
        del state["hooks"]
        return state
"""


def test_a_state_method_is_compared_whole():
    before = STATE.format("self")
    assert same(before, before)
    assert not same(before.replace("hooks", "hook"), before)


BRANCHES = """
class Model:
    def watch(self, layers):
        def hook(layer, given, output):
            output.requires_grad_(True)

        layers[0].register_forward_hook(hook)
        if layers:
            self.first = layers[0]
        else:
            del self.last
        try:
            self.count = len(layers)
        except TypeError:
            self.count = 0
        self.size = self.count if layers else 0
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "            self.first = layers[0]\n        else:",
            "            pass\n        else:\n            self.first = 0",
        ),
        ("except TypeError", "except ValueError"),
        ("if layers else 0", "if hook else 0"),
        (
            "        else:\n            del self.last",
            "        if layers:\n            del self.last",
        ),
    ],
)
def test_an_access_in_another_branch_is_a_change(old, new):
    assert old in BRANCHES
    moved = BRANCHES.replace("register_forward_hook(hook)", "register_forward_hook(_hook)")
    assert same(moved, BRANCHES)
    assert not same(moved.replace(old, new, 1), BRANCHES)
