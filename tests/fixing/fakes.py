"""A stand-in for reach, rules and codemods: `BAD` in a text is found, and becomes `good`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.source.text import Position, Span


@dataclass
class FakeModule:
    text: str
    unwritable: str | None = None
    crowded: frozenset[Span] = frozenset()


class FakeProject:
    def __init__(self, texts: Mapping[Path, str]) -> None:
        self.texts = dict(texts)

    def knows(self, path: Path) -> bool:
        return path in self.texts

    def module(self, path: Path) -> FakeModule:
        return FakeModule(self.texts[path])

    def get(self, path: Path) -> None:
        """There is nothing to parse: the proof of behaviour has nothing to compare."""

    def with_texts(self, texts: Mapping[Path, str]) -> FakeProject:
        return FakeProject({**self.texts, **texts})


@dataclass
class FakeAnalysis:
    project: FakeProject
    catalog: object = None
    exhausted: bool = False
    cut_at: tuple[Place, ...] = ()
    extent: object = None


def span_of(node: ast.expr | ast.stmt) -> Span:
    return Span(
        Position(node.lineno, node.col_offset),
        Position(node.end_lineno or 0, node.end_col_offset or 0),
    )


def names(text: str, wanted: str) -> Iterator[ast.Name]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id == wanted:
            yield node


class BadName(Rule):
    """A name that is `BAD`."""

    code = "DLF901"
    name = "bad-name"
    codemods = ("rename",)
    looks_for = "BAD"

    def check(self, analysis: FakeAnalysis) -> Iterator[Finding]:
        for path, text in analysis.project.texts.items():
            for node in names(text, self.looks_for):
                place = Place(path, span_of(node))
                yield Finding(type(self), f"`{node.id}`", place, (Step(place, node.id),))


@dataclass(frozen=True)
class Rename:
    span: Span
    to: str = "good"


def plan(findings: Sequence[Finding], analysis: FakeAnalysis) -> Iterator[Planned]:
    for finding in findings:
        edit = Edit(finding.place.path, "rename", Rename(finding.place.span))
        yield Planned((finding,), Fix("Rename it to `good`", Applicability.SAFE, (edit,)))


def unsafe_plan(findings: Sequence[Finding], analysis: FakeAnalysis) -> Iterator[Planned]:
    for planned in plan(findings, analysis):
        yield Planned(
            planned.findings,
            Fix("Rename it", Applicability.UNSAFE, planned.outcome.edits, "names differ"),
        )


def refusing_plan(findings: Sequence[Finding], analysis: FakeAnalysis) -> Iterator[Planned]:
    yield Planned(tuple(findings), Refused("it is bound again on line 7"))


class Renamer(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (cst.metadata.PositionProvider,)

    def __init__(self, plan: Rename) -> None:
        super().__init__()
        self.plan = plan
        self.done = False

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        place = self.get_metadata(cst.metadata.PositionProvider, original_node)
        start = Position(place.start.line, place.start.column)
        if start != self.plan.span.start:
            return updated_node
        self.done = True
        return updated_node.with_changes(value=self.plan.to)


def rename(module: cst.Module, plan: Rename) -> cst.Module:
    """Rename at the place, and put an import on top, so that all rows below shift."""
    renamer = Renamer(plan)
    module = cst.metadata.MetadataWrapper(module).visit(renamer)
    if not renamer.done:
        raise ValueError("nothing there")
    if "import functools" in module.code:
        return module
    return module.with_changes(body=[cst.parse_statement("import functools\n"), *module.body])


class Codemod:
    def __init__(self, function) -> None:
        self.rewrite = function
