"""Functions on the move: lambdas that become defs, signatures that grow, bodies that shift."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import libcst as cst

from dlfix.fixing.plans_callables import Hoist, Parameter
from dlfix.source.lines import bare
from dlfix.source.text import Span
from dlfix_codemods.tools import placement, positions

Node = TypeVar("Node", bound=cst.CSTNode)
# What linters are told of a lambda with a name, which a def needs not.
_LAMBDA_RULE = re.compile(r"\s*#\s*(?:noqa:\s*E731|pylint:\s*disable=[\w-]*lambda[\w-]*)\s*$")


def def_of_lambda(
    module: cst.Module,
    original: cst.Lambda,
    node: cst.Lambda,
    name: str,
    spans: Mapping[cst.CSTNode, Span],
    block: int,
    depth: int,
) -> cst.FunctionDef:
    """Return a def that does what a lambda does, its comments kept, its lines aligned anew.

    `block` is the column of the statement the lambda stands in, `depth` how many blocks the def
    is to stand in, its own counted.
    """
    first = original.body.lpar[0] if original.body.lpar else original.body
    start = spans[first].start
    indent = len(module.default_indent.expandtabs(8)) * depth
    parted = not _stands_alone(module, node.body)  # it gets parentheses
    shift = _Shift(start.column, _indent_of(module, start.row), block, indent, parted)
    body = node.body.visit(shift)
    assert isinstance(body, cst.BaseExpression)
    if parted:
        body = body.with_changes(
            lpar=[cst.LeftParen(), *body.lpar], rpar=[*body.rpar, cst.RightParen()]
        )
    line = cst.SimpleStatementLine(
        body=[cst.Return(body)],
        leading_lines=[_comment_line(text) for text in comments_of(node.colon.whitespace_after)],
    )
    params = cst.ensure_type(node.params.visit(shift), cst.Parameters)
    params = _without_last_blank(params)
    return cst.FunctionDef(cst.Name(name), params, cst.IndentedBlock([line]))


def _without_last_blank(params: cst.Parameters) -> cst.Parameters:
    """Return parameters without the blanks that stood before the colon of a lambda."""
    star = [params.star_arg] if isinstance(params.star_arg, cst.Param) else []
    after = [params.star_kwarg] if params.star_kwarg is not None else []
    every = [*params.posonly_params, *params.params, *star, *params.kwonly_params, *after]
    if not every or not isinstance(every[-1].whitespace_after_param, cst.SimpleWhitespace):
        return params
    bare = every[-1].with_changes(whitespace_after_param=cst.SimpleWhitespace(""))
    return cst.ensure_type(params.deep_replace(every[-1], bare), cst.Parameters)


def renamed(module: cst.Module, node: cst.FunctionDef, name: str, old: Span) -> cst.FunctionDef:
    """Return a def under its new name, its docstring moved to the margin with it."""
    moved = node.with_changes(name=cst.Name(name))
    indent = " " * old.start.column
    step = module.default_indent
    if step.startswith("\t"):
        indent = "\t" * old.start.column
    result = placement.reindented_docstring(moved, indent + step, step)
    return cst.ensure_type(result, cst.FunctionDef)


def with_comments_of(
    function: cst.FunctionDef, module: cst.Module, assignment: Span | None, source: Span
) -> cst.FunctionDef:
    """Give a def the comments above the assignment its lambda stood in."""
    if assignment is None:
        return function
    row = assignment.start.row - 1
    lines = positions.lines(module)
    comments: list[str] = []
    while row > 0 and lines[row - 1].lstrip().startswith("#"):
        comments.insert(0, lines[row - 1].strip())
        row -= 1
    comments += trailing_comment(module, source)
    return function.with_changes(leading_lines=[_comment_line(text) for text in comments])


def trailing_comment(module: cst.Module, span: Span) -> list[str]:
    """Return the comment behind a place on its line."""
    line = positions.lines(module)[span.end.row - 1]
    comment = _LAMBDA_RULE.sub("", line[span.end.column :].strip(" \t)"))
    return [comment] if comment.startswith("#") else []


def with_comment(statement: cst.BaseStatement, comments: Sequence[str]) -> cst.BaseStatement:
    """Return a statement with more comments above it."""
    lines = [*getattr(statement, "leading_lines", ()), *map(_comment_line, comments)]
    return statement.with_changes(leading_lines=lines)


def with_signature(function: cst.FunctionDef, hoist: Hoist) -> cst.FunctionDef:
    """Add the parameters, decorator and imports a hoisted function needs."""
    if hoist.types:
        function = _typed(function, hoist.types)
    params = _without(function.params, hoist.without)
    if hoist.first:
        params = _with_first(params, hoist.first)
    if hoist.parameters and hoist.positional:
        params = _with_leading(params, hoist.parameters, marked=hoist.marked)
    elif hoist.parameters:
        params = _with_keywords(params, hoist.parameters, function)
    changed = function.with_changes(params=params)
    if hoist.decorator:
        decorator = cst.Decorator(cst.Name(hoist.decorator))
        changed = changed.with_changes(decorators=[decorator, *changed.decorators])
    if hoist.imports:
        changed = with_imports(changed, hoist.imports)
    return changed


def _typed(function: cst.FunctionDef, types: Sequence[str]) -> cst.FunctionDef:
    """Return a def with types for its parameters, and last for what it returns."""
    noted = [cst.Annotation(cst.parse_expression(each)) for each in types]
    listed = [
        each.with_changes(annotation=note)
        for each, note in zip(function.params.params, noted, strict=False)
    ]
    params = function.params.with_changes(params=listed)
    return function.with_changes(params=params, returns=noted[-1])


def fitting(function: cst.FunctionDef, module: cst.Module, width: int) -> cst.FunctionDef:
    """Return a def whose signature is on lines of its own where it is too long for one."""
    empty = function.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), leading_lines=[])
    header = bare(module.code_for_node(empty))[-1].removesuffix(" pass")
    params = function.params
    plain = isinstance(function.whitespace_before_params, cst.SimpleWhitespace)
    if len(header) <= width or not plain or "\n" in module.code_for_node(params):
        return function
    step = cst.ParenthesizedWhitespace(
        indent=True, last_line=cst.SimpleWhitespace(module.default_indent)
    )
    end = cst.ParenthesizedWhitespace(indent=True)
    if isinstance(params.star_kwarg, cst.Param):
        star = params.star_kwarg.with_changes(whitespace_after_param=end)
        params = params.with_changes(star_kwarg=star)
    elif params.kwonly_params:
        *others, last = params.kwonly_params
        last = last.with_changes(whitespace_after_param=end)
        params = params.with_changes(kwonly_params=[*others, last])
    return function.with_changes(params=params, whitespace_before_params=step)


def with_keywords(function: cst.FunctionDef, names: Sequence[str]) -> cst.FunctionDef:
    """Return a def with more keyword-only parameters."""
    new = [Parameter(name) for name in names]
    return function.with_changes(params=_with_keywords(function.params, new, function))


def with_more(listed: Sequence[cst.Param], names: Sequence[str]) -> list[cst.Param]:
    """Return plain parameters with more behind them."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    fresh = [cst.Param(cst.Name(name)) for name in names]
    both = [*listed, *fresh]
    return [*(each.with_changes(comma=comma) for each in both[:-1]), both[-1]]


def parted(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return arguments with commas between them, their own where they have one."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    own = [isinstance(each.comma, cst.Comma) for each in args[:-1]]
    both = zip(args, own, strict=False)
    return [*(arg if has else arg.with_changes(comma=comma) for arg, has in both), *args[-1:]]


def keyword(name: str, value: str) -> cst.Arg:
    """Return `name=value` as an argument."""
    return cst.Arg(
        keyword=cst.Name(name),
        value=cst.parse_expression(value),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def led(first: Sequence[cst.Arg], args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return a call's arguments with more before them."""
    return parted([*first, *args]) if first else list(args)


def joined(args: Sequence[cst.Arg], added: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return a call's arguments with more behind them, commas as they are."""
    if not args or not added:
        return [*args, *added]
    last = args[-1]
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if len(args) > 1 and isinstance(args[0].comma, cst.Comma):
        comma = args[0].comma
    none = cst.SimpleWhitespace("")
    kept = [*args[:-1], last.with_changes(comma=comma, whitespace_after_arg=none)]
    fresh = [each.with_changes(comma=comma) for each in added[:-1]]
    end = added[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    return [*kept, *fresh, end]


def below(function: cst.FunctionDef, block: Sequence[cst.BaseStatement]) -> cst.FunctionDef:
    """Return a method with the blank lines its class puts between methods."""
    blanks = 1
    for above, statement in itertools.pairwise(block):
        if isinstance(above, cst.FunctionDef) and isinstance(statement, cst.FunctionDef):
            blanks = len([line for line in statement.leading_lines if not line.comment])
            break
    comments = [line for line in function.leading_lines if line.comment]
    empty = [cst.EmptyLine(indent=False) for _ in range(blanks)]
    return function.with_changes(leading_lines=[*empty, *comments])


def without_blank_lines(statement: cst.BaseStatement) -> cst.BaseStatement:
    """Return a statement without the blank lines above its comments."""
    lines = list(getattr(statement, "leading_lines", ()))
    while lines and not lines[0].comment:
        lines.pop(0)
    return statement.with_changes(leading_lines=lines)


def with_blank_lines(statement: cst.BaseStatement, number: int) -> cst.BaseStatement:
    """Return a statement with at least so many blank lines above its comments."""
    lines = list(getattr(statement, "leading_lines", ()))
    have = next((index for index, line in enumerate(lines) if line.comment), len(lines))
    added = [cst.EmptyLine(indent=False) for _ in range(max(0, number - have))]
    return statement.with_changes(leading_lines=[*added, *lines])


def old_name(statement: cst.BaseStatement) -> str | None:
    """Return the name a def, or `f = lambda ...`, binds."""
    match statement:
        case cst.FunctionDef(name=name):
            return name.value
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=value))])]
        ):
            return value
        case cst.SimpleStatementLine(body=[cst.AnnAssign(target=cst.Name(value=value))]):
            return value
    return None


def comments_of(space: cst.CSTNode) -> list[str]:
    """Return the comments of a stretch of whitespace."""
    found = _Comments()
    space.visit(found)
    return found.texts


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def visit_Comment(self, node: cst.Comment) -> None:
        self.texts.append(node.value)


class _Shift(cst.CSTTransformer):
    """Moves the further lines of an expression along with its first."""

    def __init__(
        self, column: int, line_indent: int, block: int, indent: int, parted: bool
    ) -> None:
        super().__init__()
        self.column = column
        self.line_indent = line_indent
        self.block = block
        self.indent = indent
        self.begin = len("return (" if parted else "return ")
        self.hang = self.begin if parted else 0  # what stands left of the expression comes below it

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        """Shift the lines: by how far they stood right of the expression, or of its line."""
        if not original_node.indent:
            return updated_node
        lines = [
            line.with_changes(whitespace=self._shifted(line.whitespace)) if line.comment else line
            for line in updated_node.empty_lines
        ]
        last = self._shifted(updated_node.last_line)
        return updated_node.with_changes(empty_lines=lines, last_line=last)

    def _shifted(self, space: cst.SimpleWhitespace) -> cst.SimpleWhitespace:
        """Return the new stretch beyond the indentation, which the block itself brings."""
        if space.value.strip(" "):
            return space
        old = self.block + len(space.value)
        if old > self.column:
            return cst.SimpleWhitespace(" " * (old - self.column + self.begin))
        return cst.SimpleWhitespace(" " * (self.hang + max(0, old - self.line_indent)))


def _stands_alone(module: cst.Module, body: cst.BaseExpression) -> bool:
    if isinstance(body, cst.NamedExpr) and not body.lpar:
        return False
    code = module.code_for_node(body)
    if "\n" not in code:
        return True
    try:
        cst.parse_statement(f"return {code}\n", module.config_for_parsing)
    except cst.ParserSyntaxError:
        return False
    return True


def _indent_of(module: cst.Module, row: int) -> int:
    line = positions.lines(module)[row - 1]
    return len(line) - len(line.lstrip())


def _comment_line(text: str) -> cst.EmptyLine:
    return cst.EmptyLine(comment=cst.Comment(text))


def _without(params: cst.Parameters, names: Sequence[str]) -> cst.Parameters:
    if not names:
        return params

    def kept(listed: Sequence[cst.Param]) -> list[cst.Param]:
        left = [each for each in listed if each.name.value not in names]
        if left and len(left) != len(listed):
            end = listed[-1]
            left[-1] = left[-1].with_changes(
                comma=end.comma, whitespace_after_param=end.whitespace_after_param
            )
        return left

    left = params.with_changes(
        params=kept(params.params),
        kwonly_params=kept(params.kwonly_params),
        posonly_params=kept(params.posonly_params),
        star_arg=(
            cst.MaybeSentinel.DEFAULT
            if isinstance(params.star_arg, cst.ParamStar)
            else params.star_arg
        ),
    )
    return _without_star(params, left)


def _without_star(old: cst.Parameters, left: cst.Parameters) -> cst.Parameters:
    """Let the last plain parameter end the list as the last keyword did, if that and `*` left."""
    if left.kwonly_params or not left.params or not old.kwonly_params:
        return left
    if isinstance(left.star_arg, cst.Param) or left.star_kwarg is not None:
        return left
    *others, last = left.params
    last = last.with_changes(comma=old.kwonly_params[-1].comma)
    return left.with_changes(params=[*others, last])


def _with_first(params: cst.Parameters, name: str) -> cst.Parameters:
    first = cst.Param(cst.Name(name))
    if params.posonly_params:
        return params.with_changes(posonly_params=[first, *params.posonly_params])
    return params.with_changes(params=[first, *params.params])


def _with_leading(
    params: cst.Parameters, new: Sequence[Parameter], *, marked: bool
) -> cst.Parameters:
    """Add parameters in front; `marked` ones are positional-only: a keyword of the same name goes to `**`."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    added = [cst.Param(cst.Name(each.name), _annotated(each), comma=comma) for each in new]
    if not (marked or params.posonly_params):
        return params.with_changes(params=[*added, *params.params])
    listed = [*added, *params.posonly_params]
    return params.with_changes(posonly_params=listed, posonly_ind=cst.ParamSlash(comma))


def _annotated(parameter: Parameter) -> cst.Annotation | None:
    if not parameter.annotation:
        return None
    return cst.Annotation(cst.parse_expression(parameter.annotation))


def _with_keywords(
    params: cst.Parameters, new: Sequence[Parameter], function: cst.FunctionDef
) -> cst.Parameters:
    """Add keyword-only parameters, on lines of their own where the others stand so."""
    inner, trailing = _commas(params, function)
    added = [
        cst.Param(
            cst.Name(each.name),
            _annotated(each),
            comma=inner,
        )
        for each in new
    ]
    if trailing is not None and not isinstance(params.star_kwarg, cst.Param):
        added[-1] = added[-1].with_changes(comma=trailing)
    elif not isinstance(params.star_kwarg, cst.Param):
        added[-1] = added[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    star = params.star_arg
    if isinstance(star, cst.MaybeSentinel):
        star = cst.ParamStar(comma=inner)
    elif isinstance(star, cst.Param):
        star = star.with_changes(comma=inner)
    keywords = [*_all_with(params.kwonly_params, inner), *added]
    return params.with_changes(
        posonly_params=params.posonly_params,
        posonly_ind=_separated(params, inner),
        params=_all_with(params.params, inner),
        star_arg=star,
        kwonly_params=keywords,
    )


def _separated(params: cst.Parameters, inner: cst.Comma) -> cst.ParamSlash | cst.MaybeSentinel:
    if isinstance(params.posonly_ind, cst.ParamSlash):
        return params.posonly_ind.with_changes(comma=inner)
    return params.posonly_ind


def _all_with(listed: Sequence[cst.Param], comma: cst.Comma) -> list[cst.Param]:
    if not listed:
        return []
    return [*listed[:-1], listed[-1].with_changes(comma=comma)]


def _commas(
    params: cst.Parameters, function: cst.FunctionDef
) -> tuple[cst.Comma, cst.Comma | None]:
    """Return the comma between parameters, and the one behind the last, if there is one."""
    listed = [*params.posonly_params, *params.params, *params.kwonly_params]
    inner = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if len(listed) > 1 and isinstance(listed[0].comma, cst.Comma):
        inner = listed[0].comma
    elif isinstance(function.whitespace_before_params, cst.ParenthesizedWhitespace):
        inner = cst.Comma(whitespace_after=function.whitespace_before_params)
    last = _last(params).comma if listed and listed[-1] not in params.posonly_params else None
    return inner, last if isinstance(last, cst.Comma) and not _is_between(last) else None


def _is_between(comma: cst.Comma) -> bool:
    """Return whether a comma stood between parameters, the second of which has left."""
    after = comma.whitespace_after
    return isinstance(after, cst.SimpleWhitespace) and bool(after.value)


def _last(params: cst.Parameters) -> cst.Param:
    """Return the last parameter but `**`."""
    if params.kwonly_params:
        return params.kwonly_params[-1]
    return params.star_arg if isinstance(params.star_arg, cst.Param) else params.params[-1]


def heading_of(statement: cst.BaseStatement) -> list[cst.EmptyLine]:
    """Return the comments above a statement that a blank line parts from it: they stay where it goes."""
    lines = list(getattr(statement, "leading_lines", ()))
    said = [index for index, line in enumerate(lines) if line.comment]
    parted = [i for i, line in enumerate(lines) if not line.comment and said and i > said[0]]
    return lines[: parted[-1]] if parted else []


def below_lines(statement: cst.BaseStatement, lines: Sequence[cst.EmptyLine]) -> cst.BaseStatement:
    """Return a statement below the heading of a section, and a blank line."""
    own = list(getattr(statement, "leading_lines", ()))
    parting = [] if own and not own[0].comment else [cst.EmptyLine(indent=False)]
    return statement.with_changes(leading_lines=[*lines, *parting, *own])


def with_imports(function: cst.FunctionDef, texts: Sequence[str]) -> cst.FunctionDef:
    """Return a function that begins with some import statements."""
    lines = [cst.parse_statement(text) for text in texts]
    body = function.body
    if not isinstance(body, cst.IndentedBlock):
        small = cst.SimpleStatementLine(body.body)  # type: ignore[arg-type]
        return function.with_changes(body=cst.IndentedBlock([*lines, small]))
    cut = 1 if function.get_docstring() is not None else 0
    return function.with_changes(
        body=body.with_changes(body=[*body.body[:cut], *lines, *body.body[cut:]])
    )
