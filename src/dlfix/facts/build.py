"""From text to facts: the only reader of `ast`.

One walk with a stack of its own, so that nesting has no limit here; what Python itself cannot
parse, deep nesting included, is a `SourceError`. A node type is a row of `_ROWS`: its kind, the field that
is its symbol, and its other fields in order of evaluation, each with the role of what it holds;
those that need more have a function in `_SPECIAL`.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
import warnings
from array import array
from collections.abc import Callable
from hashlib import blake2b
from itertools import compress
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from dlfix.facts.model import OMITTED, FileFacts, Import, Kind, Mark, Role, Summary
from dlfix.source.text import SourceError, SourceText

LONGEST_TEXT = 400  # characters of a literal that is kept
_NEWLINE = re.compile(r"\r\n?|\n")

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&", ast.FloorDiv: "//", ast.Invert: "~", ast.Not: "not", ast.UAdd: "+",
    ast.USub: "-", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is-not", ast.In: "in", ast.NotIn: "not-in",
}  # fmt: skip


def digest_of(data: bytes) -> str:
    """Return the name that a file's content has in the store."""
    return blake2b(data, digest_size=16).hexdigest()


def facts_of(source: SourceText) -> FileFacts:
    """Return the facts of a file; raise SourceError where it does not parse."""
    collects = gc.isenabled()
    gc.disable()  # a tree has no cycles, and looking for some takes as long as parsing it
    try:
        return _Builder(source.text).facts(digest_of(source.data), _parse(source))
    finally:
        if collects:
            gc.enable()


def facts_of_text(text: str) -> FileFacts:
    """Return the facts of a text that is no file."""
    data = text.encode(errors="surrogatepass")
    return facts_of(SourceText(Path("<text>"), data, text, "utf-8"))


def _parse(source: SourceText) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyntaxWarnings are the user's, not ours to print
            return ast.parse(source.text, filename=str(source.path))
    except SyntaxError as error:
        raise SourceError(source.path, error.lineno, f"does not parse: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise SourceError(source.path, None, "does not parse: nested too deeply") from error
    except ValueError as error:
        raise SourceError(source.path, None, f"does not parse: {error}") from error


# Shapes


Children = list[tuple[Any, int]]  # nodes with their roles


class _Shape(NamedTuple):
    kind: int
    symbol: str  # the field whose text is the node's symbol
    fields: tuple[tuple[str, int], ...]  # a field's name and the role of what it holds


class _Made:
    """A node that Python's syntax tree has no node for."""

    __slots__ = ("children", "data", "kind", "place")

    def __init__(
        self, kind: int, data: int, place: ast.AST, children: Children | None = None
    ) -> None:
        self.kind = kind
        self.data = data
        self.place = place
        self.children = children or []


def _shape(kind: int, symbol: str = "", /, **fields: int) -> _Shape:
    return _Shape(kind, symbol, tuple(fields.items()))


_R = Role
_BLOCK = {"body": _R.BODY, "orelse": _R.ORELSE}
_TRY = {"body": _R.BODY, "handlers": _R.HANDLERS, "orelse": _R.ORELSE, "finalbody": _R.FINALBODY}
_FOR = {"iter": _R.ITER, "target": _R.TARGET, **_BLOCK}
_ELEMENT = {"generators": _R.CLAUSE, "elt": _R.ELEMENT}

_ROWS: dict[str, _Shape] = {
    "Module": _shape(Kind.MODULE, body=_R.BODY),
    "Return": _shape(Kind.RETURN, value=_R.VALUE),
    "Delete": _shape(Kind.DELETE, targets=_R.TARGET),
    "Assign": _shape(Kind.ASSIGN, value=_R.VALUE, targets=_R.TARGET),
    "TypeAlias": _shape(
        Kind.TYPE_ALIAS, name=_R.TARGET, type_params=_R.TYPE_PARAMETER, value=_R.VALUE
    ),
    "AnnAssign": _shape(
        Kind.ANN_ASSIGN, value=_R.VALUE, target=_R.TARGET, annotation=_R.ANNOTATION
    ),
    "For": _shape(Kind.FOR, **_FOR),
    "AsyncFor": _shape(Kind.ASYNC_FOR, **_FOR),
    "While": _shape(Kind.WHILE, test=_R.TEST, **_BLOCK),
    "If": _shape(Kind.IF, test=_R.TEST, **_BLOCK),
    "With": _shape(Kind.WITH, items=_R.ITEM, body=_R.BODY),
    "AsyncWith": _shape(Kind.ASYNC_WITH, items=_R.ITEM, body=_R.BODY),
    "Match": _shape(Kind.MATCH, subject=_R.SUBJECT, cases=_R.CASES),
    "Raise": _shape(Kind.RAISE, exc=_R.EXCEPTION, cause=_R.CAUSE),
    "Try": _shape(Kind.TRY, **_TRY),
    "TryStar": _shape(Kind.TRY_STAR, **_TRY),
    "Assert": _shape(Kind.ASSERT, test=_R.TEST, msg=_R.MESSAGE),
    "Pass": _shape(Kind.PASS),
    "Break": _shape(Kind.BREAK),
    "Continue": _shape(Kind.CONTINUE),
    "ExceptHandler": _shape(Kind.HANDLER, "name", type=_R.TYPE, body=_R.BODY),
    "match_case": _shape(Kind.CASE, pattern=_R.PATTERN, guard=_R.GUARD, body=_R.BODY),
    "withitem": _shape(Kind.WITH_ITEM, context_expr=_R.CONTEXT, optional_vars=_R.TARGET),
    "keyword": _shape(Kind.KEYWORD, "arg", value=_R.VALUE),
    "TypeVar": _shape(Kind.TYPE_PARAMETER, "name", bound=_R.BOUND, default_value=_R.DEFAULT),
    "ParamSpec": _shape(Kind.TYPE_PARAMETER, "name", default_value=_R.DEFAULT),
    "TypeVarTuple": _shape(Kind.TYPE_PARAMETER, "name", default_value=_R.DEFAULT),
    "MatchValue": _shape(Kind.MATCH_VALUE, value=_R.VALUE),
    "MatchSequence": _shape(Kind.MATCH_SEQUENCE, patterns=_R.PATTERN),
    "MatchStar": _shape(Kind.MATCH_STAR, "name"),
    "MatchAs": _shape(Kind.MATCH_AS, "name", pattern=_R.PATTERN),
    "MatchOr": _shape(Kind.MATCH_OR, patterns=_R.PATTERN),
    "NamedExpr": _shape(Kind.NAMED, value=_R.VALUE, target=_R.TARGET),
    "IfExp": _shape(Kind.IF_EXPRESSION, test=_R.TEST, body=_R.BODY, orelse=_R.ORELSE),
    "Set": _shape(Kind.SET, elts=_R.ELEMENT),
    "ListComp": _shape(Kind.LIST_COMPREHENSION, **_ELEMENT),
    "SetComp": _shape(Kind.SET_COMPREHENSION, **_ELEMENT),
    "DictComp": _shape(Kind.DICT_COMPREHENSION, generators=_R.CLAUSE, key=_R.KEY, value=_R.VALUE),
    "GeneratorExp": _shape(Kind.GENERATOR, **_ELEMENT),
    "Await": _shape(Kind.AWAIT, value=_R.VALUE),
    "Yield": _shape(Kind.YIELD, value=_R.VALUE),
    "YieldFrom": _shape(Kind.YIELD_FROM, value=_R.VALUE),
    "Call": _shape(Kind.CALL, func=_R.FUNC, args=_R.ARGUMENT, keywords=_R.KEYWORD),
    "JoinedStr": _shape(Kind.JOINED, values=_R.PART),
    "TemplateStr": _shape(Kind.JOINED, values=_R.PART),
    "Slice": _shape(Kind.SLICE, lower=_R.LOWER, upper=_R.UPPER, step=_R.STEP),
    "Attribute": _shape(Kind.ATTRIBUTE, "attr", value=_R.VALUE),
    "Subscript": _shape(Kind.SUBSCRIPT, value=_R.VALUE, slice=_R.INDEX),
    "Starred": _shape(Kind.STARRED, value=_R.VALUE),
    "List": _shape(Kind.LIST, elts=_R.ELEMENT),
    "Tuple": _shape(Kind.TUPLE, elts=_R.ELEMENT),
}
_SHAPES: dict[type, _Shape] = {
    getattr(ast, name): _Shape(row.kind, row.symbol, row.fields[::-1])
    for name, row in _ROWS.items()
    if hasattr(ast, name)
}
_UNKNOWN = _shape(Kind.OTHER)  # syntax newer than this code
_FORMED = frozenset({ast.Attribute, ast.Subscript, ast.Starred, ast.List, ast.Tuple})
_FORMS: dict[type, int] = {ast.Load: 0, ast.Store: 1, ast.Del: 2}


class _Builder:
    """The tables of one file while they grow."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.symbols: dict[str, int] = {"": 0}
        self.literals: list[object] = [OMITTED]
        self.imports: list[Import] = []
        self._literal_ids: dict[tuple[type, object], int] = {}

    def facts(self, digest: str, tree: ast.Module) -> FileFacts:
        """Return the facts of a tree."""
        codes, parents, data, order = self._walk(tree)
        kinds, roles = _halves(codes)
        line_starts = array("I", [0, *(match.end() for match in _NEWLINE.finditer(self.text))])
        starts, stops = _places(order, self.text, line_starts)
        marks = _marks(kinds, roles, data, self)
        summary = Summary(digest, tuple(self.symbols), marks, tuple(self.imports))
        return FileFacts(
            summary, tuple(self.literals), line_starts, kinds, roles, array("I", parents),
            _ends(parents), array("I", data), starts, stops,
        )  # fmt: skip

    def _walk(self, tree: ast.Module) -> tuple[list[int], list[int], list[int], list[Any]]:
        """Number all nodes; return their codes (role and kind), parents, data, and themselves."""
        codes: list[int] = []
        parents: list[int] = []
        data: list[int] = []
        order: list[Any] = []
        symbols, shapes, special, forms, formed = self.symbols, _SHAPES, _SPECIAL, _FORMS, _FORMED
        name_type, name_kind = ast.Name, int(Kind.NAME)
        stack: list[tuple[Any, int, int]] = [(tree, 0, 0)]
        pop, push = stack.pop, stack.append
        while stack:
            node, role, parent = pop()
            number = len(parents)
            parents.append(parent)
            order.append(node)
            cls = node.__class__
            if cls is name_type:  # a third of all nodes
                codes.append(role << 8 | name_kind + forms[node.ctx.__class__])
                data.append(symbols.setdefault(node.id, len(symbols)))
                continue
            if cls in special:
                kind, payload, children = special[cls](self, node)
                codes.append(role << 8 | kind)
                data.append(payload)
                for child, child_role in reversed(children):
                    push((child, child_role, number))
                continue
            kind, symbol, fields = shapes.get(cls, _UNKNOWN)
            codes.append(role << 8 | (kind + forms[node.ctx.__class__] if cls in formed else kind))
            name = getattr(node, symbol) if symbol else None
            data.append(symbols.setdefault(name, len(symbols)) if name else 0)
            for field, child_role in fields:  # the last in order of evaluation comes first
                value = getattr(node, field, None)
                if value.__class__ is list:
                    for child in reversed(value):
                        push((child, child_role, number))
                elif value is not None:
                    push((value, child_role, number))
        return codes, parents, data, order

    def symbol(self, name: str | None) -> int:
        """Return the number of a name; 0 where there is none."""
        return self.symbols.setdefault(name, len(self.symbols)) if name else 0

    def literal(self, value: object) -> int:
        """Return the number of a literal value; 0 where it is not kept."""
        if isinstance(value, (str, bytes)) and len(value) > LONGEST_TEXT:
            return 0
        by_text = isinstance(value, (float, complex))  # 0.0 == -0.0
        key = (value.__class__, repr(value) if by_text else value)
        index = self._literal_ids.setdefault(key, len(self.literals))
        if index == len(self.literals):
            self.literals.append(value)
        return index

    def alias(self, found: Import, place: ast.AST) -> tuple[_Made, int]:
        """Return the node of one imported name."""
        for name in (*found.module.split("."), found.name, found.local):
            self.symbol(name)
        self.imports.append(found)
        return _Made(Kind.ALIAS, len(self.imports) - 1, place), Role.NAME


# Nodes without a plain shape: each gives its kind, its data and its children

Expanded = tuple[int, int, Children]


def _made(builder: _Builder, node: _Made) -> Expanded:
    return node.kind, node.data, node.children


def _constant(builder: _Builder, node: ast.Constant) -> Expanded:
    return Kind.CONSTANT, builder.literal(node.value), []


def _singleton(builder: _Builder, node: ast.MatchSingleton) -> Expanded:
    return Kind.MATCH_SINGLETON, builder.literal(node.value), []


def _expr(builder: _Builder, node: ast.Expr) -> Expanded:
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):  # a docstring
        return Kind.EXPR, 0, [(_Made(Kind.CONSTANT, 0, value), Role.VALUE)]
    return Kind.EXPR, 0, [(value, Role.VALUE)]


def _function(builder: _Builder, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Expanded:
    kind = Kind.FUNCTION if isinstance(node, ast.FunctionDef) else Kind.ASYNC_FUNCTION
    children: Children = [(each, Role.DECORATOR) for each in node.decorator_list]
    children += _type_parameters(node)
    children += _parameters(builder, node.args)
    if node.returns is not None:
        children.append((node.returns, Role.RETURNS))
    children += [(each, Role.BODY) for each in node.body]
    return kind, builder.symbol(node.name), children


def _lambda(builder: _Builder, node: ast.Lambda) -> Expanded:
    return Kind.LAMBDA, 0, [*_parameters(builder, node.args), (node.body, Role.BODY)]


def _class(builder: _Builder, node: ast.ClassDef) -> Expanded:
    children: Children = [(each, Role.DECORATOR) for each in node.decorator_list]
    children += _type_parameters(node)
    children += [(each, Role.BASE) for each in node.bases]
    children += [(each, Role.KEYWORD) for each in node.keywords]
    children += [(each, Role.BODY) for each in node.body]
    return Kind.CLASS, builder.symbol(node.name), children


def _type_parameters(node: ast.AST) -> Children:
    return [(each, Role.TYPE_PARAMETER) for each in getattr(node, "type_params", ())]


def _parameters(builder: _Builder, arguments: ast.arguments) -> Children:
    """Return the parameters in the order of the signature, each with its default and annotation."""
    plain = [*arguments.posonlyargs, *arguments.args]
    none: list[ast.expr | None] = [None]
    defaults = none * (len(plain) - len(arguments.defaults)) + [*arguments.defaults]
    roles = [Role.POSITIONAL_ONLY] * len(arguments.posonlyargs) + [Role.PARAMETER] * len(plain)
    rows = list(zip(plain, defaults, roles, strict=False))
    if arguments.vararg is not None:
        rows.append((arguments.vararg, None, Role.REST))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        rows.append((argument, default, Role.KEYWORD_ONLY))
    if arguments.kwarg is not None:
        rows.append((arguments.kwarg, None, Role.KEYWORD_REST))
    found: Children = []
    for argument, default, role in rows:
        children: Children = []
        if default is not None:
            children.append((default, Role.DEFAULT))
        if argument.annotation is not None:
            children.append((argument.annotation, Role.ANNOTATION))
        made = _Made(Kind.PARAMETER, builder.symbol(argument.arg), argument, children)
        found.append((made, role))
    return found


def _import(builder: _Builder, node: ast.Import) -> Expanded:
    children: Children = []
    for each in node.names:
        local = each.asname or each.name.partition(".")[0]
        children.append(builder.alias(Import(each.name, 0, "", local), each))
    return Kind.IMPORT, 0, children


def _import_from(builder: _Builder, node: ast.ImportFrom) -> Expanded:
    children: Children = []
    for each in node.names:
        local = "" if each.name == "*" else each.asname or each.name
        found = Import(node.module or "", node.level, each.name, local)
        children.append(builder.alias(found, each))
    return Kind.IMPORT_FROM, 0, children


def _declaration(builder: _Builder, node: ast.Global | ast.Nonlocal) -> Expanded:
    kind = Kind.GLOBAL if isinstance(node, ast.Global) else Kind.NONLOCAL
    names = [_Made(Kind.DECLARED, builder.symbol(name), node) for name in node.names]
    return kind, 0, [(each, Role.NAME) for each in names]


def _clause(builder: _Builder, node: ast.comprehension) -> Expanded:
    kind = Kind.ASYNC_CLAUSE if node.is_async else Kind.CLAUSE
    conditions: Children = [(each, Role.CONDITION) for each in node.ifs]
    return kind, 0, [(node.iter, Role.ITER), (node.target, Role.TARGET), *conditions]


def _dict(builder: _Builder, node: ast.Dict) -> Expanded:
    children: Children = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            children.append((key, Role.KEY))
            children.append((value, Role.VALUE))
        else:  # `**value`
            children.append((value, Role.REST))
    return Kind.DICT, 0, children


def _operation(kind: int) -> Callable[[_Builder, Any], Expanded]:
    def expand(builder: _Builder, node: Any) -> Expanded:
        operator = builder.symbol(_OPERATORS.get(node.op.__class__))
        fields = ("value", "target") if kind == Kind.AUG_ASSIGN else ("left", "right", "operand")
        children: Children = [
            (getattr(node, each), _ROLES[each]) for each in fields if hasattr(node, each)
        ]
        return kind, operator, children

    return expand


_ROLES = {
    "value": Role.VALUE, "target": Role.TARGET, "left": Role.OPERAND, "right": Role.OPERAND,
    "operand": Role.OPERAND,
}  # fmt: skip


def _compare(builder: _Builder, node: ast.Compare) -> Expanded:
    operators = " ".join(_OPERATORS[each.__class__] for each in node.ops)
    operands: Children = [(each, Role.OPERAND) for each in (node.left, *node.comparators)]
    return Kind.COMPARE, builder.symbol(operators), operands


def _logic(builder: _Builder, node: ast.BoolOp) -> Expanded:
    kind = Kind.AND if isinstance(node.op, ast.And) else Kind.OR
    return kind, 0, [(each, Role.OPERAND) for each in node.values]


def _formatted(builder: _Builder, node: Any) -> Expanded:
    children: Children = [(node.value, Role.VALUE)]
    if node.format_spec is not None:
        children.append((node.format_spec, Role.SPEC))
    conversion = chr(node.conversion) if node.conversion > 0 else ""
    return Kind.FORMATTED, builder.symbol(conversion), children


def _match_mapping(builder: _Builder, node: ast.MatchMapping) -> Expanded:
    children: Children = []
    for key, pattern in zip(node.keys, node.patterns, strict=True):
        children += [(key, Role.KEY), (pattern, Role.PATTERN)]
    if node.rest is not None:
        rest = _Made(Kind.MATCH_REST, builder.symbol(node.rest), node)
        children.append((rest, Role.REST))
    return Kind.MATCH_MAPPING, 0, children


def _match_class(builder: _Builder, node: ast.MatchClass) -> Expanded:
    children: Children = [(node.cls, Role.CLASS)]
    children += [(each, Role.PATTERN) for each in node.patterns]
    for name, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
        keyword = _Made(Kind.KEYWORD, builder.symbol(name), pattern, [(pattern, Role.PATTERN)])
        children.append((keyword, Role.KEYWORD))
    return Kind.MATCH_CLASS, 0, children


_SPECIAL: dict[type, Callable[[_Builder, Any], Expanded]] = {
    _Made: _made, ast.Constant: _constant, ast.MatchSingleton: _singleton, ast.Expr: _expr,
    ast.FunctionDef: _function, ast.AsyncFunctionDef: _function, ast.Lambda: _lambda,
    ast.ClassDef: _class, ast.Import: _import, ast.ImportFrom: _import_from,
    ast.Global: _declaration, ast.Nonlocal: _declaration, ast.comprehension: _clause,
    ast.Dict: _dict, ast.BinOp: _operation(Kind.BINARY), ast.UnaryOp: _operation(Kind.UNARY),
    ast.AugAssign: _operation(Kind.AUG_ASSIGN), ast.Compare: _compare, ast.BoolOp: _logic,
    ast.FormattedValue: _formatted, ast.MatchMapping: _match_mapping,
    ast.MatchClass: _match_class,
}  # fmt: skip
if hasattr(ast, "Interpolation"):
    _SPECIAL[ast.Interpolation] = _formatted


# Columns


def _halves(codes: list[int]) -> tuple[bytes, bytes]:
    """Return the kinds and the roles of some codes."""
    packed = array("H", codes)
    if sys.byteorder == "big":
        packed.byteswap()
    data = packed.tobytes()
    return data[::2], data[1::2]


def _ends(parents: list[int]) -> array[int]:
    """Return for each node the number of the first one after all that is in it."""
    ends = list(range(1, len(parents) + 1))
    for node in range(len(parents) - 1, 0, -1):
        parent = parents[node]
        if ends[node] > ends[parent]:
            ends[parent] = ends[node]
    return array("I", ends)


_PLACED_BY: dict[type, Callable[[Any], Any]] = {
    _Made: attrgetter("place"),
    ast.comprehension: attrgetter("target"),
    ast.withitem: attrgetter("context_expr"),
    ast.match_case: attrgetter("pattern"),
}


def _places(order: list[Any], text: str, line_starts: array[int]) -> tuple[array[int], array[int]]:
    """Return where nodes start and stop in a text, in characters."""
    by = _PLACED_BY
    nodes = [by[node.__class__](node) if node.__class__ in by else node for node in order[1:]]
    lines = [0, *line_starts]
    try:
        starts = [lines[node.lineno] + node.col_offset for node in nodes]
        stops = [lines[node.end_lineno] + node.end_col_offset for node in nodes]
        if not text.isascii():
            at = _Characters(text, line_starts)
            at.correct(starts, [node.lineno for node in nodes])
            at.correct(stops, [node.end_lineno for node in nodes])
        return array("I", [0, *starts]), array("I", [len(text), *stops])
    except (IndexError, OverflowError):  # a part of an f-string, placed wrongly by old versions
        return array("I", [0]) * len(order), array("I", [0]) * len(order)


class _Characters:
    """Turns columns counted in bytes of UTF-8, as `ast` has them, into characters."""

    def __init__(self, text: str, line_starts: array[int]) -> None:
        bounds = [*line_starts, len(text)]
        lines = ((row, text[bounds[row - 1] : bounds[row]]) for row in range(1, len(bounds)))
        self.starts = line_starts
        self.wide = {
            row: line.encode(errors="replace") for row, line in lines if not line.isascii()
        }

    def correct(self, places: list[int], rows: list[int]) -> None:
        """Correct the places that are in rows with wide characters."""
        for index, row in enumerate(rows):
            line = self.wide.get(row)
            if line is not None:
                start = self.starts[row - 1]
                places[index] = start + len(line[: places[index] - start].decode(errors="ignore"))


# What symbols are used for

_BY_NAME = frozenset(
    {"setattr", "getattr", "hasattr", "delattr", "attrgetter", "methodcaller", "__dict__"}
    | {"vars", "globals", "locals", "__setattr__", "__getattr__", "__getattribute__"}
)
_MARKED_KINDS: dict[int, int] = {
    Kind.NAME: Mark.READ, Kind.NAME_STORE: Mark.BOUND, Kind.NAME_DELETE: Mark.BOUND,
    Kind.PARAMETER: Mark.BOUND, Kind.HANDLER: Mark.BOUND, Kind.MATCH_AS: Mark.BOUND,
    Kind.MATCH_STAR: Mark.BOUND, Kind.MATCH_REST: Mark.BOUND, Kind.TYPE_PARAMETER: Mark.BOUND,
    Kind.FUNCTION: Mark.DEFINED, Kind.ASYNC_FUNCTION: Mark.DEFINED, Kind.CLASS: Mark.DEFINED,
    Kind.ATTRIBUTE: Mark.ATTRIBUTE, Kind.ATTRIBUTE_STORE: Mark.ATTRIBUTE_SET,
    Kind.ATTRIBUTE_DELETE: Mark.ATTRIBUTE_SET, Kind.KEYWORD: Mark.KEYWORD,
    Kind.DECLARED: Mark.DECLARED,
}  # fmt: skip
_MARKED_ROLES: dict[int, int] = {
    Role.FUNC: Mark.CALLED, Role.DECORATOR: Mark.DECORATES, Role.BASE: Mark.BASE
}  # fmt: skip


def _marks(kinds: bytes, roles: bytes, data: list[int], builder: _Builder) -> array[int]:
    """Return for each symbol what it is used for."""
    if not _BY_NAME.isdisjoint(builder.symbols):
        for value in builder.literals:
            if isinstance(value, str) and value.isidentifier():
                builder.symbol(value)
    symbols = builder.symbols
    marks = array("H", bytes(2 * len(symbols)))
    for mark in set(_MARKED_KINDS.values()):
        wanted = bytes(_MARKED_KINDS.get(kind) == mark for kind in range(256))
        for symbol in set(compress(data, kinds.translate(wanted))):
            marks[symbol] |= mark
    for role, mark in _MARKED_ROLES.items():
        for match in re.finditer(b"\\x%02x" % role, roles):
            marks[_named(match.start(), kinds, data)] |= mark
    for found in builder.imports:
        for part in (*found.module.split("."), found.name):
            marks[builder.symbols.get(part, 0)] |= Mark.IMPORTED
        marks[symbols[found.local]] |= Mark.IMPORTED | Mark.BOUND
    if not _BY_NAME.isdisjoint(symbols):
        for value in builder.literals:
            if isinstance(value, str) and value in symbols:
                marks[symbols[value]] |= Mark.TEXT
    marks[0] = 0
    return marks


def _named(node: int, kinds: bytes, data: list[int]) -> int:
    """Return the symbol that a callee, base or decorator ends in; 0 where it has none."""
    while kinds[node] in (Kind.CALL, Kind.SUBSCRIPT):
        node += 1
    return data[node] if kinds[node] in (Kind.NAME, Kind.ATTRIBUTE) else 0
