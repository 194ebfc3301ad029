"""A toy world in the place of reach and rules: names that are bad, and what mends them.

`bad` has a safe fix (`good`), `worse` an unsafe one (`better`), `stuck` is refused, `alas` needs a person.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import libcst as cst
import pytest

from dlfix.fixing import registry
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.reach import analysis as reach
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.dlf900_unused_suppression import UnusedSuppression
from dlfix.source.text import Span

MENDED = {"bad": "good", "worse": "better"}


class Toy(Rule):
    """A toy."""

    word = ""
    codemods = ("toy",)

    def check(self, analysis):
        for path in analysis.project.files:
            module = analysis.project.get(path)
            for node in ast.walk(module.tree) if module else ():
                if isinstance(node, ast.Name) and node.id == self.word:
                    yield self.finding(module, node)

    def finding(self, module, node):
        place = module.place(node) if hasattr(module, "place") else place_of(module, node)
        start = place_of(module, module.tree.body[0])
        steps = (Step(start, "DataLoader(...)"), Step(place, self.word, "set here"))
        return Finding(
            type(self), f"`{self.word}` reaches the workers", place, steps, "TypeError: no"
        )


def place_of(module, node):
    from dlfix.rules.base import Place

    return Place(module.path, module.span(node))


class Bad(Toy):
    """A name is bad.

    ## What it does

    Finds `bad`.
    """

    code, name, word = "DLF101", "lambda-reaches-worker", "bad"


class Worse(Toy):
    """A name is worse."""

    code, name, word = "DLF201", "eager-resource", "worse"


class Stuck(Toy):
    """A name is stuck."""

    code, name, word = "DLF301", "missing-main-guard", "stuck"


class Alas(Toy):
    """A name needs a person."""

    code, name, word, severity, codemods = "DLF207", "unpicklable-sample", "alas", "warning", ()


@dataclass(frozen=True)
class Rename:
    span: Span
    name: str


def plan(findings, analysis):
    for finding in findings:
        word = finding.rule.word
        if word == "stuck":
            yield Planned((finding,), Refused(f"line {finding.place.span.start.row} is stuck"))
            continue
        unsafe = word == "worse"
        edit = Edit(finding.place.path, "toy", Rename(finding.place.span, MENDED[word]))
        yield Planned(
            (finding,),
            Fix(
                f"Rename to `{MENDED[word]}`",
                Applicability.UNSAFE if unsafe else Applicability.SAFE,
                (edit,),
                "the name may matter" if unsafe else "",
            ),
        )


class ToyCodemod:
    @staticmethod
    def rewrite(module: cst.Module, plan: Rename) -> cst.Module:
        lines = module.code.splitlines(keepends=True)
        start, end = plan.span.start, plan.span.end
        line = lines[start.row - 1]
        lines[start.row - 1] = line[: start.column] + plan.name + line[end.column :]
        return cst.parse_module("".join(lines))


RULES = [Bad, Worse, Stuck, Alas, UnusedSuppression]


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """Put the toy world in place, and work in an empty folder."""
    fake = ModuleType("dlfix.rules.registry")
    fake.all_rules = lambda: list(RULES)
    fake.may_find = lambda project, words: True
    monkeypatch.setitem(sys.modules, "dlfix.rules.registry", fake)
    monkeypatch.setattr("dlfix.rules.registry", fake, raising=False)

    def analyze(project, catalog, tell=None):
        return SimpleNamespace(
            project=project, catalog=catalog, boundaries=[], crossings=[], exhausted=False, cut_at=(),
            extent=reach.Extent(),
        )  # fmt: skip

    monkeypatch.setattr(reach, "analyze", analyze, raising=False)
    monkeypatch.setattr(registry, "planner", lambda name: plan)
    monkeypatch.setattr(registry, "codemod", lambda name: ToyCodemod)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path
