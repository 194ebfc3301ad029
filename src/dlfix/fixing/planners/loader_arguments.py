"""Plans for `loader_arguments`: which arguments to take out of which loader's call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.rules.loader_checks import DEFAULTS
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.loader_options import WrongOption

CODEMOD = "loader_arguments"
WHY_UNSAFE = {
    "DLF402": "the options contradict each other, and the intended option is unknown",
    "DLF403": "samples are returned in the order of the dataset",
}


@dataclass(frozen=True)
class LoaderArgumentsPlan:
    """One call, and the keywords of the arguments to take out of it."""

    call: Span
    names: tuple[str, ...]


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Plan the removal of the options that are wrong, call by call."""
    calls: dict[object, list[Finding]] = {}
    for finding in findings:
        key = (finding.evidence.boundary.node, finding.code)
        calls.setdefault(key, []).append(finding)
    for group in calls.values():
        yield from _planned(group)


def _planned(group: Sequence[Finding]) -> Iterator[Planned]:
    """Answer for what a rule finds wrong with one call: one fix for all that can be mended."""
    mended: list[Finding] = []
    removed: list[str] = []
    for finding in group:
        names = _names(finding.evidence)
        if isinstance(names, Refused):
            yield Planned((finding,), names)
        else:
            mended.append(finding)
            removed += names
    if mended:
        yield Planned(tuple(mended), _fix(mended[0], list(dict.fromkeys(removed))))


def _names(wrong: WrongOption) -> list[str] | Refused:
    """Return the options to remove for one finding."""
    call = wrong.boundary.node
    assert isinstance(call, ast.Call)
    names = [name for name in wrong.check.drop if _set(wrong, name)]
    return _refusal(wrong.boundary.frame.module, call, wrong, names) or names


def _fix(finding: Finding, names: Sequence[str]) -> Fix:
    boundary = finding.evidence.boundary
    module = boundary.frame.module
    why = WHY_UNSAFE.get(finding.code, "")
    plan = LoaderArgumentsPlan(module.span(boundary.node), tuple(names))
    return Fix(
        f"Remove {' and '.join(f'`{name}`' for name in names)}",
        Applicability.UNSAFE if why else Applicability.SAFE,
        (Edit(module.path, CODEMOD, plan),),
        why,
    )


def _set(wrong: WrongOption, name: str) -> bool:
    return wrong.reader.argument(name) is not None and (
        wrong.reader.values(name) != [DEFAULTS.get(name)]
    )


def _refusal(
    module: Module, call: ast.Call, wrong: WrongOption, names: Sequence[str]
) -> Refused | None:
    options = wrong.options
    if options.get("batch_sampler") is not None and options.get("sampler") is not None:
        return Refused(
            "both a sampler and a batch sampler are passed, and the intended sampler is unknown"
        )
    if not names:
        return Refused("the call has no argument that can be removed")
    keywords = {keyword.arg: keyword for keyword in call.keywords}
    for name in names:
        if name not in keywords:
            return Refused(f"`{name}` is not passed as a keyword argument (line {call.lineno})")
    if "num_workers" in wrong.check.reads and not wrong.reader.literal("num_workers"):
        node = wrong.reader.node("num_workers")
        spelled = ast.unparse(node) if node is not None else "num_workers"
        if len(wrong.reader.values("num_workers") or ()) > 1:
            return Refused(f"`{spelled}` is 0 for some values only (line {call.lineno})")
        return Refused(f"`{spelled}` is 0 but may be reassigned later")
    right = _right_with(wrong)
    if right:
        return Refused(
            f"`{right}` may have a value for which the call is valid (line {call.lineno})"
        )
    for name in names:
        value = keywords[name].value
        if not _harmless(value):
            row = value.lineno
            return Refused(
                f"the value of `{name}` calls a function that may have side effects (line {row})"
            )
    return None


def _right_with(wrong: WrongOption) -> str:
    """Return an option with whose other values the call is right; empty where it is wrong with all."""
    kept = [name for name in wrong.check.reads if name not in wrong.check.drop]
    for name in kept:
        for value in wrong.reader.values(name) or ():
            options = [value if each == name else wrong.options[each] for each in wrong.check.reads]
            if not wrong.check.fails(*options):
                return name
    return ""


def _harmless(node: ast.expr) -> bool:
    """Return whether leaving an expression out leaves nothing undone: it only makes an object."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    if any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in ast.walk(node)):
        return False
    names = [ast.unparse(call.func).rpartition(".")[2] for call in calls]
    return all(name[:1].isupper() or name == "get_context" for name in names)
