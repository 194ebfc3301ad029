"""Uses of a handle that do not survive its opening in each process: writes, and positions that count."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.fixing.classes.closing import is_closer
from dlfix.fixing.classes.facts import (
    Method,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.handles import Handle, NotLazily, Refusal
from dlfix.fixing.classes.settings import SQL_READS, SQL_SETTINGS, fills_temporary, sql_of
from dlfix.fixing.classes.uses import Uses
from dlfix.project.order import end

REPOSITIONS = (
    "seek", "set", "setpos", "seek_to_start", "rewind", "execute", "executemany",
    "set_key", "set_key_dup", "set_range", "set_range_dup", "first", "last",
)  # fmt: skip


READERS = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__")
IN_TURN = ("__iter__", "__next__")  # each worker goes through all that is there

_DATA = (
    ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.DictComp, ast.ListComp, ast.SetComp,
)  # fmt: skip

# Functions that leave the position of what they are passed: those of buffers take no streams at all.
LEAVE_POSITION = frozenset(
    "len str repr isinstance id print unpack_from frombuffer memoryview fstat".split()
)


class Refusing(Uses):
    """Refuses what cannot be opened anew."""

    def refuse_what_counts(self) -> None:
        """Refuse writes, and positions that another opening would not have."""
        self._refuse_writes(delayed=False)
        self._refuse_positions()
        self._refuse_consumed()

    def _has_position(self, name: str) -> bool:
        handle = self.handles.get(name)
        return handle is not None and (bool(handle.position) or handle.iterates)

    def _refuse_writes(self, *, delayed: bool = True) -> None:
        """Refuse a handle that methods write to; one that only others of the class write to may not be opened later."""
        for name, handle in self.handles.items():
            reads = [
                read for each in self._also_read_as(name) for read in self.facts.reads.get(each, [])
            ]
            for method, node in reads:
                call = self._call_on(node)
                if call is None or is_closer(method) or self._fills_temporary(method, call):
                    continue
                written = _called(call) in handle.write or asks_to_write(call)
                if not written and not self._writes_sql(call):
                    continue
                if delayed or not handle.only_read:
                    kind = NotLazily if handle.only_read else Refusal
                    raise kind(f"the resource is written to ({self.facts.line(call)})")

    def _fills_temporary(self, method: Method, call: ast.Call) -> bool:
        """Return whether the constructor fills a table of the connection, which each process fills anew."""
        return method.name in self.facts.started and fills_temporary(self.module, call)

    def _also_read_as(self, name: str) -> list[str]:
        """Return the attribute, and properties that give just what it holds."""
        names = [name]
        for method in self.facts.all_methods:
            for each in method.body:
                value = each.value if isinstance(each, ast.Return) else None
                if is_self_attribute(value, self_name(method)) and value.attr == name:
                    names.append(method.name)
        return names

    def _writes_sql(self, call: ast.Call) -> bool:
        if _called(call) not in ("execute", "executemany", "executescript"):
            return False
        sql = sql_of(self.module, call)
        return bool(sql) and not sql.startswith((*SQL_READS, *SQL_SETTINGS))

    def _refuse_positions(self, readers: Iterable[str] = READERS) -> None:
        """Refuse where a worker reads on from wherever a handle happens to stand."""
        if not any(self._has_position(name) for name in self.handles):
            return
        for start in readers:
            found = self._scan(start, set())
            if isinstance(found, ast.AST):
                raise Refusal(
                    f"the read position is used ({self.facts.line(found)}), but each "
                    "process would have its own position"
                )

    def _readers(self) -> list[str]:
        """Return the methods that may not depend on a position: those that go through all, if the parent does."""
        in_parent = self.facts.reached(sorted(self.around.parent_methods)) & {*IN_TURN}
        return [each for each in READERS if in_parent or each not in IN_TURN]

    def _refuse_consumed(self) -> None:
        """Refuse where making an instance moves a position that reading goes on from."""
        for method, found in self._moves_that_count():
            raise Refusal(
                f"`{method.name}` reads from the resource ({self.facts.line(found)}), but "
                "a reopened resource starts at the beginning"
            )

    def _moves_that_count(self) -> Iterator[tuple[Method, ast.expr]]:
        """Yield where making an instance moves a position that reading goes on from."""
        streams = self._streams()
        streams |= {n for n, each in self.handles.items() if self._reads_from(each, streams)}
        starts = (start for start in READERS if start in self.touching) if streams else ()
        if any(self._scan(start, set()) != "sought" for start in starts):
            for name in sorted(self.facts.started):
                method = self.facts.methods[name]
                yield from ((method, node) for node in self._consumed(method, streams))

    def _reads_from(self, handle: Handle, streams: set[str]) -> bool:
        value, me = handle.site.value, self_name(handle.site.method)
        if not isinstance(value, ast.Call) or not handle.reads_on:
            return False
        given = [*value.args, *(each.value for each in value.keywords)]
        parts = [each for argument in given for each in ast.walk(argument)]
        names = {each.attr for each in parts if is_self_attribute(each, me)}
        local = {each.id for each in parts if isinstance(each, ast.Name)}
        return bool(names & streams) or any(
            local & _aliases(handle.site.method, me, each) for each in streams
        )

    def _consumed(self, method: Method, streams: set[str]) -> Iterator[ast.expr]:
        """Yield where a method moves the position of a stream."""
        me = self_name(method)
        local = {each for name in streams for each in _aliases(method, me, name)}
        local |= {
            site.value.id
            for name in streams
            for site in self.facts.stores.get(name, [])
            if site.method is method and isinstance(site.value, ast.Name)
        }
        for node in ast.walk(method):
            own = is_self_attribute(node, me) and node.attr in streams
            named = isinstance(node, ast.Name) and node.id in local
            if not (own or named) or not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            if any(each in self.work.gone for each in self.module.ancestors(node)):
                continue
            if isinstance(node, ast.expr) and self._moves_position(node):
                yield node

    def _moves_position(self, node: ast.AST) -> bool:
        call = self._call_on(node)
        if call is not None:
            return _called(call) in (
                "read",
                "readline",
                "readlines",
                "readinto",
                "read1",
                "__next__",
                "extract",
            )
        parent = self.module.parent(node)
        match parent:
            case ast.Call() if node in parent.args:
                return _called(parent) not in LEAVE_POSITION
            case ast.For(iter=it) | ast.comprehension(iter=it):
                return it is node
        return isinstance(parent, ast.Starred)

    def _scan(self, method_name: str, seen: set[str]) -> ast.AST | str | None:
        """Return the first read that depends on the position, "sought" if a seek comes first.

        "read" stands for one of what hangs from a handle: a reader over a file, which opens with it.
        """
        if method_name in seen or method_name not in self.facts.methods:
            return None
        seen.add(method_name)
        method = self.facts.methods[method_name]
        me = self_name(method)
        aliases = {name: _aliases(method, me, name) for name in self.handles}
        nodes = [n for n in ast.walk(method) if hasattr(n, "lineno")]
        for node in sorted(nodes, key=end):
            if is_self_attribute(node, me) and node.attr in self.facts.methods:
                inner = self._scan(node.attr, seen)
                if inner is not None:
                    return inner
            for name, handle in self.handles.items():
                if self._is_handle(node, me, name, aliases[name]):
                    kind = self._position_use(node, handle)
                    if kind is not None:
                        return kind
        return None

    def _is_handle(self, node: ast.AST, me: str, name: str, aliases: set[str]) -> bool:
        if is_self_attribute(node, me):
            return bool(node.attr == name)
        return isinstance(node, ast.Name) and node.id in aliases and isinstance(node.ctx, ast.Load)

    def _position_use(self, node: ast.AST, handle: Handle) -> ast.AST | str | None:
        call = self._call_on(node)
        if call is not None:
            called = _called(call)
            if called in REPOSITIONS and not _is_relative(call):
                return "sought"
            if called in handle.position and called not in ("tell", "seek", "set"):
                return call
            return None
        parent = self.module.parent(node)
        match parent:
            case ast.Call(func=ast.Name(id="next" | "iter" | "list" | "enumerate")):
                if handle.iterates:
                    return parent
            case ast.For(iter=it) | ast.comprehension(iter=it) if it is node and handle.iterates:
                return node
        goes_on = self._reads_from(handle, self._streams()) and self._moves_position(node)
        return "read" if goes_on else None

    def _streams(self) -> set[str]:
        return {
            name
            for name, each in self.handles.items()
            if {"read", "readline"} & {*each.position} or (each.iterates and not each.position)
        }

    def _refuse_second_openings(self) -> None:
        for name, handle in self.handles.items():
            for site in self.facts.stores[name]:
                if (
                    site.statement in self.work.gone
                    or site.resets
                    or isinstance(site.target, ast.Call)
                ):
                    continue
                if isinstance(getattr(site.target, "ctx", None), ast.Del):
                    continue
                if site.method.name in self.facts.started and site is not handle.site:
                    first, second = (self.facts.line(s.statement) for s in (handle.site, site))
                    if self._is_data(site.value):
                        raise Refusal(
                            f"`{name}` is the resource ({first}) or other data ({second}), and a property "
                            "would only open the resource"
                        )
                    raise Refusal(f"the resource is opened in two places ({first} and {second})")

    def _is_data(self, value: ast.expr | None) -> bool:
        """Return whether a value is spelled out as a list, dict or constant, by itself or under a local name."""
        if not isinstance(value, ast.Name):
            return isinstance(value, _DATA)
        scope = self.module.scope_of(value).lookup(value.id)
        bindings = scope.bindings.get(value.id, ()) if scope is not None else ()
        return bool(bindings) and all(
            isinstance(each.value, _DATA) and not each.path for each in bindings
        )


def _aliases(method: Method, me: str, name: str) -> set[str]:
    return {
        target.id
        for each in ast.walk(method)
        if isinstance(each, ast.Assign)
        and is_self_attribute(each.value, me)
        and each.value.attr == name
        for target in each.targets
        if isinstance(target, ast.Name)
    }


def asks_to_write(call: ast.Call) -> bool:
    """Return whether a call says that it writes: `env.begin(write=True)`."""
    return any(
        each.arg == "write" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in call.keywords
    )


def _called(call: ast.Call) -> str:
    """Return the bare name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def _is_relative(call: ast.Call) -> bool:
    """Return whether a seek counts from where the handle stands."""
    if len(call.args) < 2 or _called(call) != "seek":
        return False
    text = ast.unparse(call.args[1])
    return text not in ("0", "os.SEEK_SET", "io.SEEK_SET", "SEEK_SET")
