"""What a class does to a handle that it keeps: the rows of the catalogue say what each operation is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from dlfix.catalog import load
from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof.library_calls import only_reads
from dlfix.fixing.proof.program import Class, Program, is_getter, whose_class
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    parameters,
    self_name,
)
from dlfix.project.module import Module
from dlfix.project.syntax import LOG_METHODS, set_by_name
from dlfix.project.trees import kept

_ASKING = ("select", "explain", "values", "show", "describe")  # statements that change no session
_RUNS = frozenset({"execute", "sql"})
ENDS = frozenset("close release shutdown flush __exit__".split())
_GOES_THROUGH = frozenset(
    "list tuple set dict enumerate zip sorted map filter sum min max any all".split()
)
_T = TypeVar("_T")
Body: TypeAlias = Function | ast.Module
_OF_MOCKS = frozenset({"return_value", "side_effect"})
_FAR = 2  # how far calls that get the handle are followed


class Held(NamedTuple):
    """What names and attributes of self hold (".conn" is an attribute), and from which it is derived."""

    rows: dict[str, ResourceRow]
    origins: dict[str, str]


# What leaves the position of what it is passed; functions of buffers take no stream.
MOVE_NOTHING = frozenset(
    "len str repr isinstance id print fstat memoryview frombuffer unpack_from iter_unpack".split()
)


class Operation(NamedTuple):
    """One thing that code does to a handle: a method's name, or an attribute's that it sets."""

    name: str
    configures: bool  # else it moves a position
    line: int
    handled: bool = False  # errors of it were
    of: str = ""  # the first argument, where it is a constant: the statement, the property
    node: ast.expr | None = None


def held_by(program: Program, functions: Iterable[tuple[Class, Function]]) -> Held:
    """Return what the attributes hold that some methods open, or derive from one another."""
    found = Held({}, {})
    pairs = list(functions)
    size = -1
    while size != len(found.rows):
        size = len(found.rows)
        for cls, function in pairs:
            inner = _Reader(program, cls.module, function, found)
            found.rows.update(_attributes(inner.rows))
            found.origins.update(_attributes(inner.origins))
            for name in returned(function):
                if f".{name}" in found.rows and not is_getter(function):
                    found.rows[f".{function.name}()"] = found.rows[f".{name}"]
                    found.origins[f".{function.name}()"] = f".{name}"
    return found


def local_rows(program: Program, module: Module, function: Function) -> dict[str, ResourceRow]:
    """Return what the names and attributes of one function hold, as `Held` does."""
    return _Reader(program, module, function, Held({}, {})).rows


def opened_in(module: Module, function: Function) -> Iterator[ResourceRow]:
    """Yield what a function opens itself."""
    rows = (load().resource(_external(module, dotted(c.func))) for c in calls_in(function.body))
    return (row for row in rows if row is not None)


def returned(function: Function) -> set[str]:
    """Return the attributes of its object that a method gives."""
    owner = self_name(function)
    values = (n.value for n in executed(function.body) if isinstance(n, ast.Return))
    return {value.attr for value in values if is_attribute(value, owner)}


def _attributes(named: dict[str, _T]) -> dict[str, _T]:
    return {name: value for name, value in named.items() if name.startswith(".")}


def operations(
    program: Program, cls: Class, function: Function, held: Held, handle: str
) -> Iterator[Operation]:
    """Yield what a method does to a handle, and to what it derives from it."""
    reader = _Reader(program, cls.module, function, held)
    yield from reader.operations(reader.derived(handle))


def used_for(
    program: Program, cls: Class, function: Function, held: Held, handle: str
) -> Iterator[ast.expr]:
    """Yield what a method asks a handle, or what it derives from it, and the calls that get one of these."""
    reader = _Reader(program, cls.module, function, held)
    handles = reader.derived(handle)
    for node in executed(function.body):
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node.ctx, ast.Load) and reader.text(node.value) in handles:
                yield node
        elif isinstance(node, ast.Call) and handles & {*map(reader.text, node.args)}:
            yield node


def operations_on(
    program: Program, module: Module, body: Body, rows: Mapping[str, ResourceRow]
) -> Iterator[Operation]:
    """Yield what code does to handles that it knows by these names, and to what it derives from them."""
    reader = _Reader(program, module, body, Held(dict(rows), {}))
    yield from reader.operations({name for handle in rows for name in reader.derived(handle)})


def in_order(
    program: Program, cls: Class, function: Function, held: Held
) -> list[tuple[str, str, bool]]:
    """Return what a method does to files, in order: on which (by its type), what, whether it is passed there."""
    reader = _Reader(program, cls.module, function, held)
    return list(reader.in_order())


class _Reader:
    def __init__(
        self, program: Program, module: Module, function: Body, known: Held, far: int = _FAR
    ) -> None:
        self.program, self.module, self.function, self.far = program, module, function, far
        self.owner = "" if isinstance(function, ast.Module) else self_name(function)
        self.rows, self.origins = dict(known.rows), dict(known.origins)
        self.same: dict[str, str] = {}  # attributes, by the local name that they are set to
        size = -1
        while size != len(self.rows):
            size = len(self.rows)
            for target, value in _assigned(function):
                self._assign(self.text(target), value)
            for target, holder in _items_taken(function):
                self._take(self.text(target), f"{self.text(holder)}[]")
                for item in _items(holder):  # `for handle in (self.db, self.spare)`
                    for name, value in _paired(target, item):
                        self._assign(self.text(name), value)

    def text(self, node: ast.AST | None) -> str:
        """Return a name as it is, an attribute of self with a dot in front, an item with brackets behind."""
        read = attribute_by_name(node)
        if read is not None:
            return self.text(read)
        if isinstance(node, ast.Subscript):
            items = [text for each in _items(node.value) if (text := self.text(each)) in self.rows]
            text = self.text(node.value)
            return next(iter(items), text and f"{text}[]")  # `{"a": handle}["a"]`
        if isinstance(node, ast.Call) and not (node.args or node.keywords):
            text = self.text(node.func)
            return text and f"{text}()"  # a method that gives the handle
        if isinstance(node, ast.Attribute) and dotted(whose_class(node.value)) == self.owner != "":
            return f".{node.attr}"  # of the class
        name = dotted(node)
        if not name and isinstance(node, ast.Attribute):
            return owned_text(node)
        first, _, rest = name.partition(".")
        return f".{rest}" if rest and first == self.owner else name

    def _assign(self, target: str, value: ast.expr) -> None:
        source = self._source(value)
        if source and target.endswith("[]"):
            self.origins.setdefault(source, target)  # the local name that is put in
        elif source and target.startswith(".") and isinstance(value, ast.Name):
            self.same[target] = value.id
        if not target or target in self.rows:
            return
        for item in _items(value):
            self._assign(f"{target}[]", item)
        row = self._row(value)
        if row is not None:
            self.rows[target] = row
            if target.endswith("[]"):
                self.origins[target] = target.removesuffix("[]")
            elif source:
                self.origins[target] = source

    def _take(self, target: str, item: str) -> None:
        """Note that a name stands for an item of a list or dict in turn."""
        if target and target not in self.rows and item in self.rows:
            self.rows[target] = self.rows[item]
            self.origins[target] = item

    def _source(self, value: ast.expr) -> str:
        """Return the handle that a value is, or whose method gives it."""
        if self.text(value) in self.rows:
            return self.text(value)
        passed = self._given_back(value)
        if passed:
            return passed
        func = value.func if isinstance(value, ast.Call) else None
        text = self.text(func.value if isinstance(func, ast.Attribute) else value)
        return text if text in self.rows else ""

    def _given_back(self, value: ast.expr) -> str:
        """Return the handle that a function of the program gets, and may return: `same(handle)`."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return ""
        passed = [self.text(each) for each in (*value.args, *(k.value for k in value.keywords))]
        handle = next((each for each in passed if each in self.rows), "")
        scope = self.module.scope_of(value).lookup(value.func.id) if handle else None
        if scope is None or _is_imported(self.module, value.func.id):
            return ""
        known = self.program.function_of(self.module, value.func) or self._local(value.func)
        if known is None:  # a lambda, or what another function makes
            return "" if self.program.class_of(self.module, value.func) else handle
        names = parameters(known[1])
        nodes = [n for n in executed(known[1].body) if isinstance(n, ast.Return)]
        return handle if any(dotted(n.value) in names for n in nodes if n.value) else ""

    def _row(self, value: ast.expr) -> ResourceRow | None:
        source = self._source(value)
        is_handle = bool(source) and source in (self.text(value), self._given_back(value))
        if is_handle or not isinstance(value, ast.Call):
            return self.rows.get(source) if source else None
        if last_part(value.func) == "enter_context" and value.args:
            return self._row(value.args[0])
        if isinstance(value.func, ast.Attribute) and (
            source or isinstance(value.func.value, ast.Call)
        ):
            of = self.rows[source] if source else self._row(value.func.value)
            given = of.derived.get(value.func.attr, "") if of is not None else ""
            return load().hanging(given) if given else None
        return self._opened(value)

    def _opened(self, call: ast.Call) -> ResourceRow | None:
        row = load().resource(_external(self.module, dotted(call.func)))
        if row is not None or self.far == 0:
            return row
        known = self.program.function_of(self.module, call.func) or self._own_method(call.func)
        if known is None:
            return None
        inner = _Reader(self.program, known[0], known[1], Held({}, {}), self.far - 1)
        returned = [n.value for n in executed(known[1].body) if isinstance(n, ast.Return)]
        rows = [inner._row(each) for each in returned if each is not None]
        return next((row for row in rows if row is not None), None)

    def derived(self, handle: str) -> set[str]:
        """Return the names of what comes of a handle, and its other names."""
        found = {handle}
        size = 0
        while size != len(found):
            size = len(found)
            found |= {name for name, origin in self.origins.items() if origin in found}
            found |= {self.same[name] for name in found & self.same.keys()}
            put_in = {self.origins.get(name, "") for name in found}
            found |= {item for item in put_in if item.endswith("[]")}  # `handles = [self.db]`
        return found

    def operations(self, handles: set[str]) -> Iterator[Operation]:
        """Yield what is done to some handles."""
        nodes = list(executed(self.function.body))
        dropped = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
        calls = [n for n in nodes if isinstance(n, ast.Call)]
        asking = {id(n.func) for n in calls if _only_asks(n, dropped=id(n) in dropped)}
        parts = self._parts(handles)
        for node in nodes:
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                if self._is_part(node.value, parts):
                    deleted = isinstance(node.ctx, ast.Del)
                    name = "__delitem__" if deleted else "__setitem__"
                    yield self._operation_at(node, name, True)
            elif isinstance(node, ast.Attribute) and not _is_mocked(self.module, node):
                if isinstance(node.ctx, ast.Store) and self._is_part(node.value, parts):
                    yield self._operation_at(node, node.attr, True)
                elif id(node) not in asking:
                    yield from self._operation(node, handles)
            for gone_through in _iterated(node):
                yield from self._iteration(gone_through, handles)
            if isinstance(node, ast.Call):
                yield from self._passed(node, handles)
                if id(node) in dropped and id(node.func) not in asking:
                    yield from self._effects(node, handles, parts)

    def _operation_at(self, node: ast.expr, name: str, configures: bool) -> Operation:
        call = node if isinstance(node, ast.Call) else self.module.parent(node)
        called = isinstance(call, ast.Call) and (call is node or call.func is node)
        of = said_first(call) if isinstance(call, ast.Call) and called else ""
        return Operation(name, configures, node.lineno, is_handled(self.module, node), of, node)

    def _effects(self, call: ast.Call, handles: set[str], parts: set[str]) -> Iterator[Operation]:
        """Yield what a call whose result is not used can only be made for: what it changes."""
        given = [*call.args, *(k.value for k in call.keywords)]
        match call.func:
            case ast.Name(id="setattr") if given and self._is_part(given[0], parts):
                yield self._operation_at(call, "setattr", True)
            case ast.Attribute(value=of, attr=name) if self._is_part(of, parts):
                passed = of.args if isinstance(of, ast.Call) else []
                rows = [self._row_at(each) for each in (of, *passed)]
                row = next((each for each in rows if each is not None), None)
                if row is None or row.kind in ("random", "sync"):
                    return
                if name not in {*row.position, *row.plain, row.close, *ENDS, *LOG_METHODS}:
                    yield self._operation_at(call, name, True)
            case _:
                full = _external(self.module, dotted(call.func))
                written = load().function(full)
                changed = [each for each in given if not only_reads(written, call, each)]
                held = [
                    self.rows[t] for t in map(self.text, changed) if t in self.rows.keys() & handles
                ]
                closes = full in {row.close for row in held}
                if held and not closes and _is_imported(self.module, dotted(call.func)):
                    yield self._operation_at(call, last_part(call.func), True)

    def _row_at(self, node: ast.expr) -> ResourceRow | None:
        """Return the row of the handle that an expression is, or is a part of."""
        row = self.rows.get(self.text(node))
        if row is not None:
            return row
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return self._row_at(node.value)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        of = self._row_at(node.func.value)
        given = of.derived.get(node.func.attr, "") if of is not None else ""
        return load().hanging(given) if given else None

    def in_order(self) -> Iterator[tuple[str, str, bool]]:
        """Yield what moves a position, and the calls that get the handle."""
        for node in executed(self.function.body):
            if not isinstance(node, ast.Call):
                continue
            for given in [*node.args, *(k.value for k in node.keywords)]:
                row = self.rows.get(self.text(given))
                if row is not None and row.position:
                    yield row.type, last_part(node.func), True
            of = self.text(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            row = self.rows.get(of)
            if row is not None and last_part(node.func) in row.position:
                yield row.type, last_part(node.func), False

    def _operation(self, node: ast.Attribute, handles: set[str]) -> Iterator[Operation]:
        text = self.text(node.value) or self._given_back(node.value)
        row = self.rows.get(text) if text in handles else None
        if row is None:
            return
        if node.attr in row.configure:
            yield self._operation_at(node, node.attr, True)
        elif node.attr in row.position:
            yield self._operation_at(node, node.attr, False)

    def _is_part(self, node: ast.expr, handles: set[str]) -> bool:
        """Return whether an expression is a handle, or a part of one: an attribute, or an item."""
        while self.text(node) not in handles:
            match node:
                case ast.Attribute() | ast.Subscript():
                    node = node.value
                case ast.Call(func=ast.Attribute(value=of)) if self._row_at(node) is not None:
                    node = of
                case ast.Call(func=func, args=given) if any(
                    self.text(each) in handles for each in given
                ):  # `same(handle)` may be the handle
                    return self.program.class_of(self.module, func) is None
                case _:
                    return False
        return True

    def _parts(self, handles: set[str]) -> set[str]:
        """Return some handles, and the local names that stand for parts of them."""
        found = set(handles)
        for target, value in _assigned(self.function):
            held = isinstance(value, (ast.Attribute, ast.Subscript)) and not self._is_read(value)
            if held and isinstance(target, ast.Name) and self._is_part(value, found):
                found.add(target.id)
        return found

    def _is_read(self, node: ast.expr) -> bool:
        """Return whether an expression is a copy in memory of what a handle holds: `file["rows"][2:5]`."""
        held = self._item_row(node.value) if isinstance(node, ast.Subscript) else None
        return held is not None and "[]" in held.plain and not _is_key(node)

    def _item_row(self, node: ast.expr) -> ResourceRow | None:
        """Return the row of what an expression surely is: a handle, or an item of one by its name."""
        if self.text(node) in self.rows or not isinstance(node, ast.Subscript):
            return self.rows.get(self.text(node))
        of = self._item_row(node.value)
        given = of.derived.get("[str]", "") if of is not None and _is_key(node) else ""
        return load().hanging(given) if given else None

    def _iteration(self, node: ast.expr, handles: set[str]) -> Iterator[Operation]:
        text = self.text(node)
        row = self.rows.get(text) if text in handles else None
        if row is not None and row.iterates:
            yield self._operation_at(node, "for", False)

    def _passed(self, call: ast.Call, handles: set[str]) -> Iterator[Operation]:
        """Yield what a function of the program does to a handle that it gets."""
        yield from self._mapped(call, handles)
        given = [self.text(each) for each in call.args]
        named = {k.arg: self.text(k.value) for k in call.keywords if k.arg}
        if dotted(call.func) == "next" and given[:1] and given[0] in handles:
            yield self._operation_at(call, "next", False)
        if self.far == 0 or not handles & {*given, *named.values()}:
            return
        if last_part(call.func) in MOVE_NOTHING:
            return
        made = self.program.class_of(self.module, call.func)
        known, own = self._known(call.func), self._own_method(call.func)
        if made is not None and "__init__" in made.methods:
            known, given = (made.module, made.methods["__init__"]), ["", *given]
        elif known is None and own is not None:
            static = any(last_part(each) == "staticmethod" for each in own[1].decorator_list)
            known, given = own, given if static else ["", *given]
        if known is None:
            yield from self._read_by_library(call, [t for t in given if t in handles])
            return
        names = dict(zip(parameters(known[1]), given, strict=False)) | named
        rows = {name: self.rows[t] for name, t in names.items() if t in handles & {*self.rows}}
        inner = _Reader(self.program, known[0], known[1], Held(rows, {}), self.far - 1)
        yield from inner.of_all(rows)
        if made is not None and isinstance(self.module.statement(call), ast.Expr):
            yield from inner.by_others(made)

    def _read_by_library(self, call: ast.Call, given: list[str]) -> Iterator[Operation]:
        """Yield that a function of a library reads a stream it gets: `pickle.load(self.file)`."""
        name = _external(self.module, dotted(call.func))
        reads = _is_imported(self.module, dotted(call.func)) and last_part(call.func).islower()
        # Many functions ask the number of a file.
        plain = name.partition(".")[0] in ("contextlib", "os")
        keeps = isinstance(self.module.parent(call), ast.Assign) and self._opened(call) is not None
        if reads and not plain and not keeps:
            rows = (self.rows.get(text) for text in given)
            if any(row is not None and "read" in row.position for row in rows):
                yield self._operation_at(call, last_part(call.func), False)

    def _mapped(self, call: ast.Call, handles: set[str]) -> Iterator[Operation]:
        """Yield what a function does that a call gets beside handles: `map(rewind, [handle])`."""
        items = [item for each in call.args for item in (each, *_items(each))]
        rows = [self.rows[t] for t in map(self.text, items) if t in handles & {*self.rows}]
        if self.far == 0 or not rows:
            return
        for known in filter(None, map(self._known, call.args)):
            taken = dict.fromkeys(parameters(known[1]), rows[0])
            inner = _Reader(self.program, known[0], known[1], Held(taken, {}), self.far - 1)
            yield from inner.of_all(taken)

    def of_all(self, rows: Iterable[str]) -> Iterator[Operation]:
        """Yield what is done to some handles, and to what is derived from each."""
        for handle in rows:
            yield from self.operations(self.derived(handle))

    def _known(self, func: ast.expr) -> tuple[Module, Function] | None:
        """Return the function of the program that an expression is: by its name, or a lambda."""
        if isinstance(func, ast.Lambda):
            return self.module, as_function(func)
        return self.program.function_of(self.module, func) or self._local(func)

    def _own_method(self, func: ast.expr) -> tuple[Module, Function] | None:
        """Return the method of its own object that the code calls."""
        around = (
            None if isinstance(self.function, ast.Module) else self.module.parent(self.function)
        )
        classes = self.program.classes(self.module) if is_attribute(func, self.owner) else ()
        cls = next((each for each in classes if each.node is around), None)
        found = self.program.method(cls, last_part(func)) if cls is not None else None
        return (found[0].module, found[1]) if found is not None else None

    def _local(self, func: ast.expr) -> tuple[Module, Function] | None:
        """Return the function that is defined in the same body, or the lambda that has a name there."""
        for node in executed(self.function.body):
            if isinstance(node, FUNCTIONS) and node.name == dotted(func):
                return self.module, node
            match node, func:
                case ast.Assign(targets=names, value=ast.Lambda() as made), ast.Name(id=name):
                    if name in map(dotted, names):
                        return self.module, as_function(made)
        return None

    def by_others(self, cls: Class) -> Iterator[Operation]:
        """Yield what the methods of an object do to what its constructor got, and kept."""
        kept = Held(_attributes(self.rows), _attributes(self.origins))
        for function in cls.functions:
            if function is not self.function:
                reader = _Reader(self.program, cls.module, function, kept, far=0)
                names = {name for handle in kept.rows for name in reader.derived(handle)}
                yield from reader.operations(names)


@kept
def as_function(function: ast.Lambda) -> ast.FunctionDef:
    """Return a lambda as a function of the same parameters, which computes the same."""
    body: list[ast.stmt] = [ast.copy_location(ast.Return(function.body), function.body)]
    made = ast.FunctionDef("<lambda>", function.args, body, [])
    return ast.copy_location(made, function)


def attribute_by_name(node: ast.AST | None) -> ast.Attribute | None:
    """Return what `getattr(rows, "file")` reads, as an attribute."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
            return ast.copy_location(ast.Attribute(owner, name, ast.Load()), node)
    return None


def owned_text(node: ast.Attribute) -> str:
    """Return an attribute of what a call makes, as text: `make().file`."""
    owner = node.value
    return f"{ast.unparse(owner)}.{node.attr}" if isinstance(owner, ast.Call) else ""


def _is_imported(module: Module, name: str) -> bool:
    bindings = module.scope.bindings.get(name.partition(".")[0], ())
    return any(isinstance(each.node, ast.alias) for each in bindings)


def _goes_on(statement: ast.Try) -> bool:
    """Return whether some handler of a `try` does not end in an error."""
    return any(not isinstance(each.body[-1], ast.Raise) for each in statement.handlers)


def is_handled(module: Module, node: ast.AST) -> bool:
    """Return whether errors of an expression are handled where it stands."""
    tries = (n for n in module.ancestors(node) if isinstance(n, ast.Try) and _goes_on(n))
    return any(each is node for one in tries for s in one.body for each in ast.walk(s))


@kept
def _assigned(function: Body) -> tuple[tuple[ast.AST | None, ast.expr], ...]:
    """Return what code binds, and to what; what it appends counts as an item that is set."""
    return tuple(_bindings(function))


def _bindings(function: Body) -> Iterator[tuple[ast.AST | None, ast.expr]]:
    for node in executed(function.body):
        if isinstance(node, ast.Assign):
            by_name = set_by_name(node)
            if by_name is not None:
                yield ast.Attribute(by_name.owner, by_name.name, ast.Store()), node.value
            for target in node.targets:
                yield from _paired(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            yield node.target, node.value
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                yield item.optional_vars, item.context_expr
        elif isinstance(node, ast.Call):
            by_name = set_by_name(node)
            if by_name is not None:
                yield ast.Attribute(by_name.owner, by_name.name, ast.Store()), by_name.value
            match node:
                case ast.Call(func=ast.Attribute(value=of, attr="append" | "add"), args=[given]):
                    yield ast.Subscript(of, ast.Constant(0), ast.Store()), given


def _paired(target: ast.AST, value: ast.expr) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what an assignment binds, and to what: each of `self.db, self.unit = connect(path), 1`."""
    match target, value:
        case (
            (ast.Tuple(elts=targets) | ast.List(elts=targets)),
            (ast.Tuple(elts=values) | ast.List(elts=values)),
        ) if len(targets) == len(values):
            for one, part in zip(targets, values, strict=True):
                yield from _paired(one, part)
        case _:
            yield target, value


def _iterated(node: ast.AST) -> list[ast.expr]:
    """Return what a node goes through: `for line in file`, `yield from file`, `list(file)`."""
    match node:
        case ast.For(iter=it) | ast.AsyncFor(iter=it) | ast.comprehension(iter=it):
            return [it]
        case ast.YieldFrom(value=it) | ast.Starred(value=it):
            return [it]
        case ast.Call(func=ast.Name(id=name), args=given) if name in _GOES_THROUGH:
            return given
    return []


def _items(value: ast.expr) -> list[ast.expr]:
    """Return the items that a display or comprehension makes."""
    match value:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return items
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.DictComp(value=item):
            return [item]
        case ast.Dict(values=items):
            return items
    return []


@kept
def _items_taken(function: Body) -> tuple[tuple[ast.AST, ast.expr], ...]:
    """Return the names that stand for the items of what loops go through: `for f in self.files`."""
    return tuple(_taken(function))


def _taken(function: Body) -> Iterator[tuple[ast.AST, ast.expr]]:
    for node in executed(function.body):
        if not isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            continue
        match node.iter, node.target:
            case ast.Call(func=ast.Name(id="zip"), args=given), ast.Tuple(elts=targets):
                yield from zip(targets, given, strict=False)
            case ast.Call(func=ast.Name(id="enumerate"), args=[given, *_]), ast.Tuple(elts=[_, of]):
                yield of, given
            case ast.Call(func=ast.Attribute(attr="values", value=given), args=[]), target:
                yield target, given
            case ast.Call(func=ast.Attribute(attr="items", value=given), args=[]), ast.Tuple(
                elts=[_, of]
            ):
                yield of, given
            case given, target:
                yield target, given


def _is_mocked(module: Module, node: ast.Attribute) -> bool:
    """Return whether a test says what a mock gives in the place of a handle's method."""
    above = module.parent(node)
    names = (node.attr, above.attr if isinstance(above, ast.Attribute) else "")
    return not _OF_MOCKS.isdisjoint(names)


def _external(module: Module, name: str) -> str:
    """Return a dotted name with the import that its first part stands for."""
    first, _, rest = name.partition(".")
    for binding in module.scope.bindings.get(first, ()):
        if not isinstance(binding.node, ast.alias):
            return ""
        if isinstance(binding.statement, ast.ImportFrom):
            first = f"{binding.statement.module or ''}.{binding.node.name}"
        elif binding.node.asname:
            first = binding.node.name
    return f"{first}.{rest}" if rest else first


def _is_key(node: ast.expr) -> bool:
    """Return whether an item is taken by a name that is written out."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def _only_asks(call: ast.Call, *, dropped: bool) -> bool:
    """Return whether a call runs a statement of SQL that reads; one not known does, where its result is used."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _RUNS:
        return False
    value = _start_of(call.args[0]) if call.args else None
    if not isinstance(value, str):
        return not dropped
    written = value.lstrip().lower()
    return written.startswith(_ASKING) or (written.startswith("pragma") and "=" not in written)


def said_first(call: ast.Call) -> str:
    """Return the first argument of a call where it is a constant: the start of a text, a number, `cv2.CAP_PROP_FPS`."""
    if not call.args:
        return ""
    value = _start_of(call.args[0])
    if value is None:
        return dotted(call.args[0]) if _is_upper(call.args[0]) else ""
    return repr(value)


def _is_upper(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr.isupper()


def _start_of(node: ast.expr) -> object:
    """Return a constant, or what a text that is put together begins with; None where neither is known."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.JoinedStr(values=[first, *_]):
            return _start_of(first)
        case ast.BinOp(left=first) | ast.Call(func=ast.Attribute(value=first, attr="format")):
            return _start_of(first)
    return None


__all__ = [
    "Held",
    "Operation",
    "held_by",
    "in_order",
    "is_handled",
    "operations",
    "operations_on",
    "returned",
    "said_first",
]
