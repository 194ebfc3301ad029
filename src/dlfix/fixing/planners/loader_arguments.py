"""Plans for `loader_arguments`: which arguments to take out of which loader's call, or to let depend on others."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.project.syntax import dotted
from dlfix.rules.loader_checks import DEFAULTS
from dlfix.rules.loader_options import passed_without_workers
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
# How an option is written that is right for some values of another one.
_DEPENDENT = {
    ("num_workers", "persistent_workers"): "{on} > 0",
    ("num_workers", "prefetch_factor"): "{value} if {on} > 0 else None",
    ("num_workers", "multiprocessing_context"): "{value} if {on} > 0 else None",
    ("num_workers", "timeout"): "{value} if {on} > 0 else 0",
    ("sampler", "shuffle"): "{on} is None",
}


@dataclass(frozen=True)
class LoaderArgumentsPlan:
    """One call, the keywords of the arguments to take out of it, and what others become."""

    call: Span
    names: tuple[str, ...]
    becomes: tuple[tuple[str, str], ...] = ()


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
        depends = _dependent(finding.evidence)
        if depends is not None:
            yield Planned((finding,), depends)
            continue
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


def _dependent(wrong: WrongOption) -> Fix | None:
    """Return the fix of options that are wrong for some values of another one; None where that is not so."""
    call, module = wrong.boundary.node, wrong.boundary.frame.module
    assert isinstance(call, ast.Call)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    on = "num_workers" if "num_workers" in wrong.check.reads else "sampler"
    names = [name for name in wrong.check.drop if _set(wrong, name)]
    given = keywords.get(on)
    if not names or given is None or not _may_stand_twice(given):
        return None
    if wrong.reader.literal(on) or (on == "sampler" and _right_with(wrong) != on):
        return None
    becomes: list[tuple[str, str]] = []
    for name in names:
        value, form = keywords.get(name), _DEPENDENT.get((on, name), "")
        if isinstance(value, ast.IfExp) and passed_without_workers(wrong.reader, name) is not None:
            becomes.append((name, _with_default(value, wrong, name)))
            continue
        is_plain = isinstance(value, (ast.Constant, ast.Name, ast.Attribute))
        is_true = isinstance(value, ast.Constant) and value.value is True
        if value is None or not form or not is_plain or ("{value}" not in form and not is_true):
            return None
        becomes.append((name, form.format(value=module.segment(value), on=module.segment(given))))
    plan = LoaderArgumentsPlan(module.span(call), (), tuple(becomes))
    told = " and ".join(f"`{name}`" for name in names)
    depends = any(isinstance(keywords[name], ast.IfExp) for name in names)
    return Fix(
        f"Pass the default of {told} where there are no workers"
        if depends
        else f"Make {told} depend on `{on}`",
        Applicability.SAFE,
        (Edit(module.path, CODEMOD, plan),),
    )


def _with_default(chosen: ast.IfExp, wrong: WrongOption, name: str) -> str:
    """Return what an option is written as that is the default where there are no workers."""
    module, default = wrong.boundary.frame.module, repr(DEFAULTS[name])
    without = passed_without_workers(wrong.reader, name)
    body, test, orelse = (
        default if part is without else module.segment(part)
        for part in (chosen.body, chosen.test, chosen.orelse)
    )
    return f"{body} if {test} else {orelse}"


def _may_stand_twice(node: ast.expr) -> bool:
    """Return whether an expression may be written twice: it consists of names, integers and arithmetic."""
    match node:
        case ast.BinOp(left=left, right=right):
            plain = (_may_stand_twice(left), _may_stand_twice(right))
            return all(plain) and "\n" not in ast.unparse(node)
        case ast.Constant(value=int()):
            return True
    return bool(dotted(node))


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
