"""The residue of a constructor: what it computes from a handle, it computes from a local one that it closes.

Statements that share a handle, or overlap, form a group. Each group opens what it needs under local names, in
a `with` where its lines are few, and closes it. The attributes are not set, so nothing is deleted afterwards.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dlfix.catalog import load
from dlfix.fixing.classes.facts import Method, is_self_attribute
from dlfix.fixing.classes.handles import Handle
from dlfix.fixing.classes.plans import Exchange, Insert, Within
from dlfix.fixing.classes.statements import close_lines, is_value, left_of
from dlfix.fixing.classes.text import indented, names_in
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.order import start
from dlfix.source.text import Span

INDENT = "    "
MOST_LINES = 12  # so many are moved into a `with`; a person would not indent a page again
LINE_LENGTH = 88  # a line may get as long as this, or as the longest of its file
MISSING = "raises here if it is missing"
AT_ONCE = ("sorted", "sort", "min", "max")  # they call the function that they are passed
LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Group:
    """Statements of one block that need the same handles, and what else is computed with them."""

    block: list[ast.stmt]
    used: list[ast.stmt]
    needed: set[str]
    text: str = ""  # the length, where it is computed here
    at: ast.stmt | None = None  # the statement that the length is computed below
    looked_up: list[tuple[ast.stmt, list[ast.expr]]] = field(
        default_factory=list
    )  # what stays of it

    @property
    def first(self) -> ast.stmt:
        """The first statement that the handles are open for."""
        return self.used[0]

    @property
    def first_column(self) -> int:
        """The column of its statements."""
        return self.block[0].col_offset

    @property
    def last(self) -> ast.stmt:
        """The last statement that the handles are open for."""
        ends = [each for each in (*self.used[-1:], self.at) if each is not None]
        return max(ends, key=self.block.index)


@dataclass
class Residue:
    """The edits of a constructor that opens handles under local names."""

    exchanges: list[Exchange] = field(default_factory=list)
    inserts: list[Insert] = field(default_factory=list)
    withins: list[Within] = field(default_factory=list)
    openers: set[str] = field(default_factory=set)  # attributes that a method of their own opens
    locals: dict[str, str] = field(default_factory=dict)  # attribute -> local name
    lookups: dict[Span, str] = field(default_factory=dict)  # statement -> what is left of it


@dataclass
class _Opening:
    """How one group opens what it needs."""

    before: list[str] = field(default_factory=list)  # statements above the `with`
    heads: list[str] = field(default_factory=list)  # items of the `with`
    inside: list[str] = field(default_factory=list)  # statements that begin its body
    closes: list[str] = field(default_factory=list)  # statements that close what no `with` closes


@dataclass
class _Turns:
    """How a loop over handles becomes one over what they are opened from."""

    headers: list[Exchange]
    within: Within


_PRIMARY = (ast.Call, ast.Subscript, ast.Attribute, ast.Name)


def _first_call(node: ast.expr) -> ast.Call | None:
    """Return the call that an expression begins with: `h5py.File(path)` of `h5py.File(path)["x"]`."""
    found: ast.Call | None = None
    while isinstance(node, _PRIMARY) and not isinstance(node, ast.Name):
        found = node if isinstance(node, ast.Call) else found
        node = node.func if isinstance(node, ast.Call) else node.value
    return found


class Unclear(Exception):
    """Local handles do not do: something else reads the attributes as well."""


@dataclass
class Writer:
    """Writes the residue of one constructor."""

    module: Module
    method: Method
    me: str
    handles: Mapping[str, Handle]
    bodies: Mapping[str, str]  # what opens each handle, from attributes
    aliases: Mapping[str, set[str]]  # attribute -> local names that stand for it
    gone: set[ast.AST]
    opener_names: Mapping[str, str]  # attribute -> a free name for a method that opens it
    result: Residue = field(default_factory=Residue)
    in_branch: set[str] = field(default_factory=set)  # handles opened where the group stands

    def write(self, groups: Sequence[Group]) -> Residue:
        """Return the edits; raise Unclear where a group cannot be written so."""
        for group in groups:
            names = [name for name in self.handles if name in group.needed]
            for name in names:
                self.result.locals.setdefault(name, self._local_name(name))
        for group in groups:
            self._write(group)
        return self.result

    def _write(self, group: Group) -> None:
        names = [name for name in self.handles if name in group.needed]
        self.in_branch = {n for n in names if self.handles[n].site.statement in group.block}
        if any(self._is_read_before(group, name) for name in names):
            raise Unclear
        if self._closed_by_with(names) and self._is_close(group.used[-1:], names):
            closing = group.used.pop()
            self.result.exchanges.append(Exchange(self.module.span(closing)))
        each = self._each_in_turn(group, names)
        if each is not None:
            self.result.exchanges += each.headers
            self.result.withins.append(each.within)
            return
        self.result.exchanges += self._reads(group.used)
        self.result.lookups |= dict(self._lookups(group))
        text = self._with_locals(group.text) if group.text else ""
        short = not group.used or self._is_short(group)
        column = (group.used or [group.last])[0].col_offset
        opening = self._opening(names, column, in_with=short and self._closed_by_with(names))
        if not group.used:
            self._alone(group, opening, text)
            return
        first, last = self.module.span(group.first), self.module.span(group.last)
        if text and group.at is not None:
            self.result.inserts.append(Insert(self.module.span(group.at), text))
        if opening.heads:
            self.result.withins.append(
                Within(
                    first,
                    last,
                    "\n".join(opening.heads),
                    before="\n".join(opening.before),
                    inside="\n".join(opening.inside),
                )
            )
            return
        if any(isinstance(n, ast.Return) for each in self._range(group) for n in ast.walk(each)):
            raise Unclear
        self.result.inserts.append(Insert(first, "\n".join(opening.before), before=True))
        if opening.closes:
            self.result.inserts.append(Insert(last, "\n".join(opening.closes)))

    def _each_in_turn(self, group: Group, names: Sequence[str]) -> _Turns | None:
        """Return how the one loop over a list of handles opens each in its turn; None where it does more than compute."""
        if group.text or not self._is_short(group):
            return None
        match group.used, [(name, _list_of(self.bodies[name], self.me)) for name in names]:
            case (
                [ast.For(target=ast.Name() as target, iter=source, orelse=[]) as loop],
                [(name, _Made() as made)],
            ) if self.handles[name].enters and is_self_attribute(source, self.me):
                pass
            case _:
                return None
        inside = {*ast.walk(loop)}
        named = [n for n in left_of(self.method, self.gone) if isinstance(n, ast.Name)]
        is_local = all(n in inside for n in named if n.id == target.id)
        used = [n.attr for n in inside if is_self_attribute(n, self.me)]
        apart = not made.attributes & {*used} and all(n.id != made.item for n in named)
        if not (is_local and apart and used.count(name) == 1 and _only_computes(loop.body)):
            return None
        head = f"{made.opened} as {target.id}"
        if loop.body[0].col_offset + len(f"with {head}:") > LINE_LENGTH:
            return None
        places = ((loop.target, made.item), (loop.iter, made.inputs))
        first, last = self.module.span(loop.body[0]), self.module.span(loop.body[-1])
        headers = [Exchange(self.module.span(node), text, "expression") for node, text in places]
        return _Turns(headers, Within(first, last, head))

    def _is_close(self, ending: list[ast.stmt], names: Sequence[str]) -> bool:
        """Return whether statements do no more than close the one handle, as leaving the `with` does."""
        match ending, names:
            case [ast.Expr(value=ast.Call(func=ast.Attribute() as func, args=[], keywords=[]))], [
                name
            ]:
                own = is_self_attribute(func.value, self.me) and func.value.attr == name
                return own and func.attr == "close"
        return False

    def _is_read_before(self, group: Group, name: str) -> bool:
        """Return whether a statement reads what a handle is opened from before that: a header, and then an archive."""
        body = _function(self.bodies[name])
        sources = {n.attr for n in ast.walk(body) if is_self_attribute(n, self.me)}
        sources &= self.handles.keys() - {name}
        begins = self.module.span(self.handles[name].site.statement).start
        return any(
            is_self_attribute(node, self.me) and node.attr in sources and self._moves(node)
            for statement in group.used
            if self.module.span(statement).start < begins
            for node in left_of(statement, self.gone)
        )

    def _moves(self, node: ast.AST) -> bool:
        """Return whether a use of a file moves its position."""
        parent = self.module.parent(node)
        if isinstance(parent, ast.Attribute):
            row = load().resource("open")
            return row is not None and parent.attr in row.position
        called = getattr(parent, "func", None)
        return isinstance(parent, (ast.For, ast.comprehension)) or (
            isinstance(called, ast.Name) and called.id == "next"
        )

    def _alone(self, group: Group, opening: _Opening, text: str) -> None:
        """Write what is computed for the length alone."""
        assert group.at is not None
        text = self._inlined(group, opening, text)
        text = "\n".join([*opening.inside, text])
        for head in reversed(opening.heads):
            text = f"with {head}:\n{indented(text, INDENT)}"
        whole = "\n".join([*opening.before, text, *opening.closes])
        self.result.inserts.append(Insert(self.module.span(group.at), whole))

    def _inlined(self, group: Group, opening: _Opening, text: str) -> str:
        """Return what is computed with a value that nothing else needs in place of its name, and open what gives it."""
        lines = opening.inside if opening.heads else opening.before
        if len(lines) != 1 or "\n" in text or opening.closes:
            return text
        name, _, value = lines[0].partition(" = ")
        reads = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and n.id == name]
        if len(reads) != 1 or not isinstance(ast.parse(value, mode="eval").body, _PRIMARY):
            return text
        head = ""
        opened = _first_call(ast.parse(value, mode="eval").body)
        if opened is not None and not opening.heads and self._enters(opened):
            head = self._free_name()
            call = value[: opened.end_col_offset]
            value = head + value[opened.end_col_offset :]
        elif not opening.heads:
            return text  # nothing closes it but the end of its name
        begin, end = reads[0].col_offset, reads[0].end_col_offset or 0
        whole = text[:begin] + value + text[end:]
        if not text.isascii() or group.first_column + len(INDENT) + len(whole) > LINE_LENGTH:
            return text
        lines.clear()
        opening.heads += [f"{call} as {head}"] if head else []
        return whole

    def _enters(self, call: ast.Call) -> bool:
        """Return whether a call opens what a `with` closes."""
        row = load().resource(ImportTime(self.module.tree).full_name(call.func))
        return row is not None and row.enters

    def _free_name(self) -> str:
        taken = names_in([self.method]) | {*self.module.scope.bindings}
        return next((each for each in ("file", "opened") if each not in taken), "opened_file")

    def _range(self, group: Group) -> list[ast.stmt]:
        block = group.block
        return block[block.index(group.first) : block.index(group.last) + 1]

    def _is_short(self, group: Group) -> bool:
        lines = self.module.lines
        rows = lines[group.first.lineno - 1 : group.last.end_lineno]
        for name in group.needed:
            rows = [row.replace(f"{self.me}.{name}", self.result.locals[name]) for row in rows]
        allowed = max(LINE_LENGTH, *map(len, lines))
        return len(rows) <= MOST_LINES and all(len(row) + len(INDENT) <= allowed for row in rows)

    # -- reads

    def _lookups(self, group: Group) -> Iterator[tuple[Span, str]]:
        """Yield what is left of statements that set a part of a handle: the part may be missing."""
        why = f"  # {MISSING}"
        for statement, parts in group.looked_up:
            lines = [self._with_locals(self.module.segment(each)) for each in parts]
            yield self.module.span(statement), "\n".join([lines[0] + why, *lines[1:]])
            why = ""

    def _reads(self, statements: Sequence[ast.stmt]) -> Iterator[Exchange]:
        for statement in statements:
            for node in left_of(statement, self.gone):
                if is_self_attribute(node, self.me) and node.attr in self.handles:
                    yield self._read(node)
                elif isinstance(node, ast.Constant) and node.value in self.handles:
                    raise Unclear  # `hasattr(self, "file")`

    def _read(self, node: ast.Attribute) -> Exchange:
        """Read the local handle; what runs later reads the attribute, and so opens it again."""
        if not isinstance(node.ctx, ast.Load):
            raise Unclear
        if self.module.segment(node) != f"{self.me}.{node.attr}":
            raise Unclear  # in a format string, whose places Python 3.11 does not know
        if runs_later(self.module, node, self.method):
            raise Unclear
        span = self.module.span(node)
        return Exchange(span, self.result.locals[node.attr], "expression")

    # -- names

    def _local_name(self, name: str) -> str:
        aliases = sorted(self.aliases.get(name, ()))
        if len(aliases) > 1:
            raise Unclear
        if aliases:
            return aliases[0]
        taken = names_in([self.method]) | {*self.module.scope.bindings, *dir(builtins)}
        taken |= {each.arg for each in ast.walk(self.method) if isinstance(each, ast.arg)}
        taken |= set(self.result.locals.values())
        plain = name.strip("_") or "opened"
        other = f"opened_{plain}" if "file" in plain else f"{plain}_file"
        for wanted in (plain, other, f"opened_{plain}"):
            if wanted not in taken and wanted.isidentifier():
                return wanted
        raise Unclear

    def _with_locals(self, text: str) -> str:
        """Return source in which local names stand for the attributes."""
        head = "def f():\n"
        tree = ast.parse(head + indented(text, " "))
        rows = text.split("\n")
        found = [n for n in ast.walk(tree) if is_self_attribute(n, self.me)]
        for node in sorted(found, key=start, reverse=True):
            local = self.result.locals.get(node.attr)
            if local is None:
                continue
            row, begin = node.lineno - 2, node.col_offset - 1
            written = f"{self.me}.{node.attr}"
            if not rows[row].isascii() or rows[row][begin : begin + len(written)] != written:
                raise Unclear
            rows[row] = rows[row][:begin] + local + rows[row][begin + len(written) :]
        return "\n".join(rows)

    # -- opening

    def _closed_by_with(self, names: Sequence[str]) -> bool:
        closing = [self.handles[name] for name in names if self.handles[name].close]
        return bool(closing) and all(
            not each.container
            and (each.enters or each.close == "close")
            and not self._may_be_plain(each.attribute)
            for each in closing
        )

    def _may_be_plain(self, name: str) -> bool:
        """Return whether a body that opens a handle gives, in some branch, a value without `close`."""
        if self.handles[name].container:
            return False
        body = _function(self.bodies[name])
        returns = (each for each in ast.walk(body) if isinstance(each, ast.Return))
        return any(each.value is not None and is_value(each.value) for each in returns)

    def _closes(self, name: str) -> list[str]:
        local = self.result.locals[name]
        lines = close_lines(local, self.handles[name])
        if lines and self._may_be_plain(name):
            return [f'if hasattr({local}, "close"):', *(INDENT + line for line in lines)]
        return lines

    def _opening(self, names: Sequence[str], column: int, *, in_with: bool) -> _Opening:
        opening = _Opening()
        assigned: set[str] = set()
        for name in names:
            handle, local = self.handles[name], self.result.locals[name]
            is_item = in_with and bool(handle.close)
            value = self._value(name, column, is_item)
            if is_item:
                if assigned & names_in([ast.parse(value, mode="eval")]):
                    raise Unclear  # it is assigned in the body, below what opens from it
                entered = value if handle.enters else f"contextlib.closing({value})"
                opening.heads.append(f"{entered} as {local}")
            elif in_with and opening.heads:
                opening.inside.append(f"{local} = {value}")
                assigned.add(local)
            else:
                opening.before.append(f"{local} = {value}")
                opening.closes[:0] = self._closes(name)
        joined = ", ".join(opening.heads)
        if opening.heads and column + len(f"with {joined}:") <= LINE_LENGTH:
            opening.heads = [joined]
        return opening

    def _value(self, name: str, column: int, is_item: bool) -> str:
        """Return the expression that opens a handle: short, or a call of the method that opens it."""
        text, form = self._expression(name), "{1} = {0}"
        if is_item:
            enters = self.handles[name].enters
            form = "with {} as {}:" if enters else "with contextlib.closing({}) as {}:"
        if text and column + len(form.format(text, self.result.locals[name])) <= LINE_LENGTH:
            return self._with_locals(text)
        body = _function(self.bodies[name])
        reads = {n.attr for n in ast.walk(body) if is_self_attribute(n, self.me)}
        if reads & self.handles.keys() or not _always_gives(body):
            raise Unclear
        self.result.openers.add(name)
        return f"{self.me}.{self.opener_names[name]}()"

    def _expression(self, name: str) -> str:
        """Return the one expression that opens a handle, in one line; empty where there is more."""
        text = self.bodies[name]
        body = _function(text)
        value = body.body[-1].value if isinstance(body.body[-1], ast.Return) else None
        if len(body.body) > 1 or value is None:
            value = _only_value(body) if name in self.in_branch else None
        if value is None or value.lineno != value.end_lineno:
            return ""
        row = text.split("\n")[value.lineno - 2]
        indent = len(INDENT)
        end = (value.end_col_offset or 0) - indent
        return row[value.col_offset - indent : end] if row.isascii() else ""


def runs_later(module: Module, node: ast.AST, method: Method) -> bool:
    """Return whether a node stands in a function that is kept, not called where it stands."""
    for each in module.ancestors(node):
        if each is method:
            return False
        if isinstance(each, LATER) and not _is_called_at_once(module, each):
            return True
    return False


def _is_called_at_once(module: Module, node: ast.AST) -> bool:
    parent = module.parent(node)
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    return (
        isinstance(node, ast.Lambda)
        and isinstance(call, ast.Call)
        and ast.unparse(call.func).rpartition(".")[2] in AT_ONCE
    )


def _function(body: str) -> ast.FunctionDef:
    function = ast.parse("def f():\n" + indented(body, INDENT)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


@dataclass
class _Made:
    """A list of what a call opens for each of several values, without a condition, as it is written."""

    opened: str
    item: str
    inputs: str
    attributes: set[str]


def _list_of(body: str, me: str) -> _Made | None:
    """Return what list a body gives, where it does no more."""
    text = "def f():\n" + indented(body, INDENT)
    match _function(body).body:
        case [
            ast.Return(
                value=ast.ListComp(
                    elt=ast.Call() as made,
                    generators=[
                        ast.comprehension(target=ast.Name(id=item), iter=inputs, ifs=[], is_async=0)
                    ],
                ) as whole
            )
        ] if whole.lineno == whole.end_lineno:
            opened, given = (ast.get_source_segment(text, each) or "" for each in (made, inputs))
            attributes = {n.attr for n in ast.walk(whole) if is_self_attribute(n, me)}
            return _Made(opened, item, given, attributes)
    return None


def _only_computes(block: Sequence[ast.stmt]) -> bool:
    """Return whether statements set names and attributes, or add to lists, and do nothing that is seen outside."""
    for statement in block:
        match statement:
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                continue
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "extend"))):
                continue
        return False
    return True


def _only_value(body: ast.FunctionDef) -> ast.expr | None:
    """Return what a body gives in the one branch in which it gives something."""
    allowed = (ast.If, ast.Return, ast.Raise)
    if not all(
        isinstance(each, allowed)
        for each in ast.walk(body)
        if isinstance(each, ast.stmt) and each is not body
    ):
        return None
    returned = [each.value for each in ast.walk(body) if isinstance(each, ast.Return)]
    values = [
        each
        for each in returned
        if each is not None and not (isinstance(each, ast.Constant) and each.value is None)
    ]
    return values[0] if len(values) == 1 else None


def _always_gives(body: ast.FunctionDef) -> bool:
    """Return whether a body ends in a `return`, and each gives something."""
    returns = [each for each in ast.walk(body) if isinstance(each, ast.Return)]
    return (
        _ends_with_return(body.body[-1])
        and not any(
            each.value is None
            or (isinstance(each.value, ast.Constant) and each.value.value is None)
            for each in returns
        )
        and not any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(body))
    )


def _ends_with_return(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.With):
        return _ends_with_return(statement.body[-1])
    return isinstance(statement, ast.Return)
