"""The places that make a setting of a library: calls and assignments, and those of them that change nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlfix.project import scan
from dlfix.reach.global_state import Use
from dlfix.reach.values import Constant, External, ExternalCall
from dlfix.rules.reading.setting_reads import exception, is_call, name_of, values_of

if TYPE_CHECKING:
    from dlfix.catalog import SettingRow
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

_ANY = "Warning"  # the base of all
_KEYS = ("id", "name", "protocol", "urlpath")


def made(row: SettingRow, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that make a setting: a call, or an assignment."""
    for name in (row.name, *row.aliases):
        yield from stores(name, analysis)
        yield from calls(name, analysis)


def calls(name: str, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that call a function of a library."""
    word = name.rpartition(".")[2]
    for module in naming(name, analysis, scan.may_call):
        for node in module.nodes_by_name.get(word, ()):
            if is_call(module.parent(node), node) and _dotted(node, module, analysis) == name:
                yield Use(module, node)


def stores(name: str, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that set an attribute of a library, or of what a call gives: `decimal.getcontext().prec`."""
    word = name.rpartition(".")[2]
    for module in naming(name, analysis, scan.may_store):
        for node in module.stores_by_name.get(word, ()):
            match node:
                case ast.Attribute(ctx=ast.Store()) if _is_of(name, node, module, analysis):
                    yield Use(module, node, rebinds=True)


def _is_of(name: str, node: ast.Attribute, module: Module, analysis: Analysis) -> bool:
    maker, called, _ = name.partition("().")
    if not called:
        return _dotted(node, module, analysis) == name
    found = values_of(node.value, module, analysis)
    return bool(found) and all(
        isinstance(each, ExternalCall) and each.name == maker for each in found
    )


def _dotted(node: ast.expr, module: Module, analysis: Analysis) -> str:
    """Return the dotted name of an expression, also of an attribute of an object in a module: `nltk.data.path.append`."""
    if not isinstance(node, ast.Attribute):
        return name_of(node, module, analysis)
    owner = "" if isinstance(node.value, ast.Name) else _dotted(node.value, module, analysis)
    return f"{owner}.{node.attr}" if owner else name_of(node, module, analysis)


def naming(
    name: str, analysis: Analysis, may: Callable[[bytes, bytes], bool] | None = None
) -> Iterator[Module]:
    """Yield the modules whose text holds a name and its library: the others are not parsed for it.

    Nor are those of which `may` says that their text does not use the name as it is looked for.
    """
    words = (name.partition(".")[0], name.rpartition(".")[2])
    rare, other = sorted(words, key=analysis.project.spread)
    for module in analysis.project.mentions(rare):
        if (may is None or module.may(may, words[1])) and module.says(other):
            yield module


def changes_nothing(row: SettingRow, write: Use, analysis: Analysis) -> bool:
    """Return whether a place makes a setting what it is anyway, or what it was before."""
    passed = [*_passed(write)]
    values = [_written(each, write.module, analysis) for each in passed]
    if row.given and not any(each & {*row.given} for each in values):
        return True
    if row.default and (not values or any(each <= {*row.default} for each in values)):
        return True
    return any(_was_before(row, each, write.module, analysis) for each in passed)


def of_same_key(
    row: SettingRow, writes: list[Use], module: Module, read: ast.expr, analysis: Analysis
) -> list[Use]:
    """Return the places that register what a call names, or are about what a handler handles; all of other settings."""
    if row.handles:
        return [
            use
            for use in writes
            if _is_about(exception(read, module, analysis), use, row, analysis)
        ]
    if not row.is_keyed:
        return writes
    wanted = _keys(module, read, analysis)
    return [
        use
        for use in writes
        if any(
            own == key or own.startswith(f"{key}://")
            for key in _keys(use.module, use.node, analysis)
            for own in wanted
        )
    ]


def _is_about(name: str, write: Use, row: SettingRow, analysis: Analysis) -> bool:
    """Return whether a setting is for an exception: for all, unless it is made with some."""
    told = {exception(each, write.module, analysis) for each in _passed(write)} & {*row.handles}
    return not told or not told.isdisjoint({name, _ANY}) or name == _ANY


def _keys(module: Module, node: ast.expr, analysis: Analysis) -> set[str]:
    """Return the texts that a call may pass first."""
    call = module.parent(node)
    assert isinstance(call, ast.Call)
    named = [each.value for each in call.keywords if each.arg in _KEYS]
    first = [*call.args[:1], *named]
    values = [value for each in first[:1] for value in values_of(each, module, analysis)]
    return {
        each.value for each in values if isinstance(each, Constant) and isinstance(each.value, str)
    }


def _passed(write: Use) -> Iterator[ast.expr]:
    """Yield what a setting is made with."""
    call = write.module.parent(write.node)
    if not write.rebinds and isinstance(call, ast.Call):
        yield from call.args
        yield from (each.value for each in call.keywords)
    elif write.rebinds:
        value = getattr(write.module.statement(write.node), "value", None)
        if isinstance(value, ast.expr):
            yield value


def _written(node: ast.expr, module: Module, analysis: Analysis) -> set[str]:
    """Return what an expression may be, as the catalogue writes it: a constant, or a name of a library."""
    name = name_of(node, module, analysis)
    values = values_of(node, module, analysis)
    if name or not values:
        return {name or ast.unparse(node)}
    return {_text(each) for each in values}


def _text(value: Value) -> str:
    if isinstance(value, External):
        return value.name
    return repr(value.value) if isinstance(value, Constant) else ""


def _was_before(row: SettingRow, node: ast.expr, module: Module, analysis: Analysis) -> bool:
    """Return whether an expression is what the library had: it was read from it, or given back by it."""
    own = {row.name, *row.aliases}
    for value in values_of(node, module, analysis):
        if isinstance(value, External) and value.name in own:
            return True
        if isinstance(value, ExternalCall):
            root, _, word = value.name.rpartition(".")
            is_asked = word.startswith("get") and bool(root) and row.name.startswith(f"{root}.")
            if value.name in own or is_asked:
                return True
    return False


__all__ = ["calls", "changes_nothing", "made", "naming", "of_same_key", "stores"]
