"""Remove loader arguments that have no effect or are not allowed, or let them depend on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import libcst as cst

from dlfix.fixing.planners.loader_arguments import LoaderArgumentsPlan
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools.positions import find


class LoaderArguments(PlannedCodemod):
    """Take arguments out of a loader's call."""

    DESCRIPTION = "Remove loader arguments that have no effect or are not allowed."
    NAME: ClassVar[str] = "loader_arguments"

    @staticmethod
    def rewrite(module: cst.Module, plan: LoaderArgumentsPlan) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        call = find(module, [plan.call], cst.Call)[plan.call]
        assert isinstance(call, cst.Call)
        args = without(call.args, plan.names)
        changed = call.with_changes(args=[_exchanged(arg, dict(plan.becomes)) for arg in args])
        return module.deep_replace(call, changed)  # type: ignore[arg-type]


def _exchanged(arg: cst.Arg, becomes: Mapping[str, str]) -> cst.Arg:
    """Return an argument with another value, where its keyword has one."""
    text = becomes.get(arg.keyword.value) if arg.keyword is not None else None
    return arg if text is None else arg.with_changes(value=cst.parse_expression(text))


def without(args: Sequence[cst.Arg], names: Sequence[str]) -> list[cst.Arg]:
    """Return arguments less those with these keywords; comments and the layout stay."""
    kept: list[cst.Arg] = []
    for arg in args:
        if arg.keyword is None or arg.keyword.value not in names:
            kept.append(arg)
        elif kept:
            last = arg is args[-1]
            kept[-1] = kept[-1].with_changes(comma=_joined(kept[-1].comma, arg, last))
            if last and not isinstance(kept[-1].comma, cst.Comma):
                kept[-1] = kept[-1].with_changes(whitespace_after_arg=arg.whitespace_after_arg)
    return kept


Comma = cst.Comma | cst.MaybeSentinel


def _joined(before: Comma, gone: cst.Arg, last: bool) -> Comma:
    """Return the comma that parts what stands before an argument that goes from what follows it."""
    after = gone.comma
    comments = [*_comments(before), *_comments(after), *_comments_of(gone.whitespace_after_arg)]
    if not comments:
        if not last:
            return before
        return after  # the end of the arguments as it was: a trailing comma, or none
    end = _space(after) if isinstance(after, cst.Comma) else gone.whitespace_after_arg
    end = _layout(end) or _layout(_space(before)) or end
    if not isinstance(before, cst.Comma) or not isinstance(end, cst.ParenthesizedWhitespace):
        return before
    own_first = _first(before)
    rest = comments[1:] if own_first else comments
    lines = [cst.EmptyLine(comment=c, whitespace=_column(before)) for c in rest]
    space = end.with_changes(
        first_line=cst.TrailingWhitespace(
            whitespace=cst.SimpleWhitespace("  ") if own_first else cst.SimpleWhitespace(""),
            comment=own_first,
        ),
        empty_lines=lines,
    )
    return before.with_changes(whitespace_after=space)


def _space(comma: Comma) -> cst.BaseParenthesizableWhitespace:
    return comma.whitespace_after if isinstance(comma, cst.Comma) else cst.SimpleWhitespace("")


def _layout(space: cst.BaseParenthesizableWhitespace) -> cst.ParenthesizedWhitespace | None:
    return space if isinstance(space, cst.ParenthesizedWhitespace) else None


def _column(comma: cst.Comma) -> cst.SimpleWhitespace:
    space = _layout(comma.whitespace_after)
    return space.last_line if space else cst.SimpleWhitespace("")


def _first(comma: cst.Comma) -> cst.Comment | None:
    space = _layout(comma.whitespace_after)
    return space.first_line.comment if space else None


def _comments(comma: Comma) -> list[cst.Comment]:
    return _comments_of(_space(comma))


def _comments_of(space: cst.BaseParenthesizableWhitespace) -> list[cst.Comment]:
    layout = _layout(space)
    if layout is None:
        return []
    comments = [layout.first_line.comment, *(line.comment for line in layout.empty_lines)]
    return [comment for comment in comments if comment is not None]
