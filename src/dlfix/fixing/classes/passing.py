"""Plan a class that is handed an open handle: other processes open the same again by its name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from dlfix.fixing.classes.facts import ClassFacts, StoreSite, self_name
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange, Insert, Lazy
from dlfix.fixing.classes.reopening import AT_FORK
from dlfix.fixing.classes.state import EACH_ITS_OWN, Surroundings, state_for


@dataclass(frozen=True)
class Again:
    """How a handle is opened again: what to ask it for, and the call that takes the answers."""

    asks: tuple[tuple[str, str], ...]  # suffix of the attribute that keeps it, and the question
    call: str
    library: str


REOPENED = {
    "h5py.File": Again((("name", "filename"), ("mode", "mode")), "h5py.File({}, {})", "h5py"),
    "zipfile.ZipFile": Again((("name", "filename"),), "zipfile.ZipFile({})", "zipfile"),
    "netCDF4.Dataset": Again((("name", "filepath()"),), "netCDF4.Dataset({})", "netCDF4"),
    "open": Again((("name", "name"), ("mode", "mode")), "open({}, {})", ""),
    "gzip.open": Again((("name", "name"),), "gzip.open({})", "gzip"),
    "rasterio.open": Again((("name", "name"),), "rasterio.open({})", "rasterio"),
}


def plan_passed_in(
    facts: ClassFacts, site: StoreSite, opener: str, around: Surroundings
) -> ClassPlan:
    """Plan an attribute that is set to a handle the caller opened."""
    again = REOPENED.get(opener)
    if again is None:
        raise Refusal(
            f"the caller opens the resource with `{opener}`, which does not record how to open it "
            "again"
        )
    if not isinstance(site.value, ast.Name) or not _is_parameter(site):
        raise Refusal(f"the stored resource is opened elsewhere ({facts.line(site.statement)})")
    alone = getattr(site.statement, "targets", [site.target]) == [site.target]
    if not alone and not _is_unpacked(site):
        raise Refusal(f"the attribute is set together with others ({facts.line(site.statement)})")
    if len([each for each in facts.stores[site.attribute] if not each.resets]) > 1:
        raise Refusal(f"the attribute is set again ({facts.line(site.statement)})")
    me, given = self_name(site.method), site.value.id
    stem = "_" + site.attribute.lstrip("_")
    kept_in = f"{stem}_by_pid"
    kept = [f"{stem}_{suffix}" for suffix, _ in again.asks]
    lines = [f"{me}.{kept_in} = {{os.getpid(): {given}}}"]
    optional = _may_be_none(site)
    unless = f" if {given} is not None else None" if optional else ""
    for name, (_, question) in zip(kept, again.asks, strict=True):
        lines.append(f"{me}.{name} = {given}.{question}{unless}")
    body = "return " + again.call.format(*(f"{me}.{name}" for name in kept))
    if optional:
        body += f" if {me}.{kept[0]} is not None else None"
    span = facts.module.span(site.statement)
    drops = (Drop(kept_in, "{}", EACH_ITS_OWN),)
    exchanges: tuple[Exchange, ...] = (Exchange(span, "\n".join(lines)),)
    if not alone:
        table = f"{{os.getpid(): {given}}}"
        exchanges = (
            Exchange(facts.module.span(site.target), f"{me}.{kept_in}", "expression"),
            Exchange(facts.module.span(site.value), table, "expression"),
        )
    return ClassPlan(
        cls=facts.module.span(facts.node),
        exchanges=exchanges,
        inserts=() if alone else (Insert(span, "\n".join(lines[1:])),),
        lazies=(Lazy(name=site.attribute, body=body, kept_in=kept_in, self_name=me),),
        state=state_for(facts, drops, (), around),
        after=site.method.name,
        imports=(again.library,) if again.library else (),
    )


def plan_field(
    facts: ClassFacts, name: str, call: ast.Call, opener: str, around: Surroundings
) -> ClassPlan:
    """Plan a field whose handle the caller opens: its state says how to open it again."""
    again = REOPENED.get(opener)
    if again is None:
        raise Refusal(
            f"the caller opens the resource with `{opener}`, which does not record how to open it "
            "again"
        )
    where = f"line {call.lineno}"
    if len(call.args) > len(again.asks) or any(each.arg != "mode" for each in call.keywords):
        raise Refusal(
            f"the caller opens the resource with arguments that it does not record ({where})"
        )
    asked = [f"self.{name}.{question}" for _, question in again.asks]
    one = len(asked) == 1
    becomes = asked[0] if one else f"({', '.join(asked)})"
    written = again.call.format(
        *[f"self.{name}"] if one else [f"self.{name}[{i}]" for i in range(len(asked))]
    )
    frozen = any("frozen=True" in ast.unparse(each) for each in facts.node.decorator_list)
    restore = f"self.{name} = {written}"
    if frozen:
        restore = f'object.__setattr__(self, "{name}", {written})'
    drops = (Drop(name, becomes, "__setstate__ opens it again"),)
    state = state_for(facts, drops, (restore,), around)
    if state is None or facts.slots is not None or state.getstate == "own":
        raise Refusal(f"the class defines how it is pickled ({facts.line(facts.node)})")
    last = [each for each in facts.node.body if isinstance(each, (ast.AnnAssign, ast.Assign))]
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state,
        after=next((m for m in ("__init__", "__post_init__") if m in facts.methods), ""),
        imports=(again.library,) if again.library and last else (),
        remains=AT_FORK,
    )


def _is_unpacked(site: StoreSite) -> bool:
    """Tell whether an attribute is one of several that one statement sets, each to a value of its own."""
    match site.statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return (
                site.target in targets
                and len(targets) == len(values)
                and values[targets.index(site.target)] is site.value
            )
    return False


def _may_be_none(site: StoreSite) -> bool:
    """Tell whether the caller may leave the handle out."""
    arguments = site.method.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    defaults = dict(zip(positional, given, strict=True))
    defaults.update(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    assert isinstance(site.value, ast.Name)
    for argument, default in defaults.items():
        if argument.arg == site.value.id:
            return isinstance(default, ast.Constant) and default.value is None
    return False


def _is_parameter(site: StoreSite) -> bool:
    arguments = site.method.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    assert isinstance(site.value, ast.Name)
    return site.value.id in names
