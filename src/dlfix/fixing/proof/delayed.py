"""Calls that moved: they may run later than before, but what they read must be what it was."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dlfix.catalog import load
from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.environment import environment_changes, reads_environment
from dlfix.fixing.proof.late_code import is_new, moved, opening_code, opens_to_write
from dlfix.fixing.proof.objects import is_object
from dlfix.fixing.proof.order import STATE, Site
from dlfix.fixing.proof.patches import is_around_objects
from dlfix.fixing.proof.program import Class, is_getter
from dlfix.fixing.proof.state import dropped, restored
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    free_names,
    header,
    is_attribute,
    last_part,
    own_attributes,
    own_nodes,
    parameters,
    same,
    self_name,
    statements,
    stored_names,
    targets_of,
    values_set,
    within,
)
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.order import comes_before
from dlfix.project.trees import said

# Methods and attributes that only immutable values have: texts and paths.
_OF_TEXT = frozenset(
    "endswith startswith lower upper strip lstrip rstrip split rsplit replace format join joinpath"
    " with_suffix with_name name stem suffix parent parents as_posix exists is_file is_dir glob rglob"
    " resolve absolute expanduser encode decode casefold title partition rpartition parts open"
    " is_absolute relative_to removeprefix removesuffix iterdir stat".split()
)
_OF_CONTAINERS = frozenset("items keys values get copy index count __getitem__".split())
_OVER = frozenset(
    "list tuple sorted set dict len zip enumerate map filter iter reversed sum min max any all".split()
)
_IMPURE = frozenset(
    "pop popleft popitem next input choice choices sample randint randrange random shuffle uniform"
    " getcwd getcwdb cwd mkdtemp mkstemp NamedTemporaryFile TemporaryDirectory TemporaryFile"
    " SpooledTemporaryFile time time_ns perf_counter now utcnow today uuid1 uuid4 urandom token_hex"
    " getpass readline readlines permutation rand randn".split()
)
_INIT = "__init__"
_PLAIN = frozenset("str int float bool bytes Path PurePath pathlib Optional typing".split())


Steps = tuple[Site, ...]


@dataclass(frozen=True)
class Read:
    """One thing that delayed code reads: a name or an attribute of self, and what is done with it."""

    name: str  # `.name` of an attribute of self
    use: str  # plain, iterate, item, called, attr:x, method:x
    node: ast.expr


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what code of a class reads later than before, where it may have changed by then."""
    for owner, function, nodes in moved(change):
        yield from _Delayed(change, owner, function, nodes).regressions()
    yield from _kept_at_another_time(change)
    yield from _set_since_it_was_opened(change)
    yield from _of_their_time(change)


def _of_their_time(change: ClassChange) -> Iterator[Regression]:
    """Yield the functions inside methods that read an attribute when they are called, and read a kept value now."""
    known = {said(node) for node in within(change.before.node) if isinstance(node, ast.Lambda)}
    of_local_names = set(_reading_what_never_changes(change))
    restoring = change.after.methods.get("__setstate__")
    openers = [*change.lazy.values(), *([restoring] if restoring is not None else [])]
    for function in openers:
        for node in executed(opening_code(change, function)):
            if not isinstance(node, ast.Lambda) or said(node) in known:
                continue
            kept = {n.attr for n in within(node) if is_attribute(n, self_name(function))}
            kept &= change.new_attributes.keys()
            owner = self_name(function)
            if kept and _with_local_names(change, node, owner, kept) not in of_local_names:
                yield change.regression(
                    node,
                    f"a function reads `{min(kept)}`, which is the value from the constructor, but it read the "
                    f"current one (line {node.lineno})",
                )
                return


def _reading_what_never_changes(change: ClassChange) -> Iterator[str]:
    """Yield the lambdas of constructors that read, of local names, parameters alone that are never bound again."""
    for _, function in change.constructed_before:
        bound = stored_names(function.body)
        for node in executed(function.body):
            if isinstance(node, ast.Lambda):
                read = {*free_names(node)}
                if read & {*parameters(function)[1:]} and not read & bound:
                    yield ast.unparse(node)


def _with_local_names(
    change: ClassChange, node: ast.Lambda, owner: str, kept: Collection[str]
) -> str:
    """Return a lambda that reads the names whose values new attributes keep."""
    names = {
        f"{owner}.{target.attr}": statement.value
        for _, function in change.constructed_after
        for statement in statements(function.body)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name)
        for target in statement.targets
        if is_attribute(target, self_name(function)) and target.attr in kept
    }
    return ast.unparse(_Named(names).visit(ast.parse(ast.unparse(node))))


class _Named(ast.NodeTransformer):
    """Puts names in the place of attributes."""

    def __init__(self, names: Mapping[str, ast.Name]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Return the name that an attribute stands for."""
        return self.names.get(dotted(node)) or self.generic_visit(node)


def _set_since_it_was_opened(change: ClassChange) -> Iterator[Regression]:
    """Yield what other code sets on an object, and a worker reads to open again what the parent had opened."""
    family = change.new.family(change.after)
    left_out = dropped(change).keys() | change.lazy.keys()
    for name in sorted(left_out - change.made_lazy.keys() - restored(change)):
        openers = [f for f in change.before.functions if f.name == name]
        openers += [f for f in change.before.functions if any(values_set(f, name))]
        openers = [f for f in openers if f.name not in order.CONSTRUCTORS]
        read = {
            node.attr
            for function in openers
            for node in own_attributes(function, ast.Load)
            if node.attr != name
        }
        for attribute in sorted(read - {m for cls in family for m in cls.methods}):
            for write in writes.outside(change.new, family, attribute):
                yield change.regression(
                    change.after.node,
                    f"`{attribute}` is set ({write.module.path.name}:{write.line}), so a worker may open another "
                    f"`{name}` than the parent had",
                )
                return


class _Delayed:
    """The reads of one piece of delayed code, and of the methods it calls."""

    def __init__(
        self, change: ClassChange, owner: Class, function: Function, nodes: list[ast.stmt]
    ) -> None:
        self.change, self.owner, self.function, self.nodes = change, owner, function, nodes
        self.new = change.new
        self.family = change.new.family(change.after)
        self.seen: set[str] = {function.name}
        self.visited = [function]

    def regressions(self) -> Iterator[Regression]:
        yield from self._of(self.owner, self.function, self.nodes)

    def _of(self, owner: Class, function: Function, nodes: list[ast.stmt]) -> Iterator[Regression]:
        own = bound_in(function)
        for node in executed(nodes):
            if isinstance(node, ast.Call):
                yield from self._call(node, own, self_name(function))
                yield from self._asked_of_process(owner.module, node)
                yield from self._passed_on(owner, node, self_name(function))
                yield from self._in_function(owner.module, node)
                yield from self._writing(node)
                yield from self._replaced(node, self_name(function))
            elif reads_environment(owner.module, node):
                yield from self._environment(node)
        for read in reads(nodes, self_name(function)):
            if read.name.startswith("."):
                yield from self._attribute(owner, read)
            elif read.name not in own:
                yield from self._global(owner.module, read)

    # Calls

    def _replaced(self, node: ast.Call, me: str) -> Iterator[Regression]:
        """Yield a method that other code replaces: a later call runs another."""
        func = node.func
        if not is_attribute(func, me):
            return
        if self.new.method(self.change.after, func.attr) is None:
            return
        for write in writes.outside(self.new, self.family, func.attr):
            yield self.change.regression(
                self.function,
                f"`{func.attr}` is called later than before (line {node.lineno}), but "
                f"other code replaces it ({write.module.path.name}:{write.line})",
            )
            return

    def _call(self, node: ast.Call, own: Collection[str], owner: str) -> Iterator[Regression]:
        name = last_part(node.func)
        if name not in _IMPURE:
            return
        acted_on = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "next" and node.args:
            acted_on = node.args[0]
        root = dotted(acted_on).partition(".")[0] if acted_on is not None else ""
        if root in own and root != owner:
            return
        if (
            root == owner
            and dotted(acted_on).split(".")[1:2]
            and dotted(acted_on).split(".")[1] in self.change.lazy
        ):
            return
        if acted_on is not None and not root and isinstance(acted_on, ast.Call):
            return
        yield self.change.regression(
            node,
            f"`{name}()` runs later than before and may return another value (line {node.lineno})",
        )

    def _asked_of_process(self, module: Module, node: ast.Call) -> Iterator[Regression]:
        """Yield a library's function that tells what the parent has set up: a worker has not."""
        name = ImportTime(module.tree).full_name(node.func)
        row = load().function(name)
        if row is not None and row.of_process and self._was_there(node):
            yield self.change.regression(
                node,
                f"`{dotted(node.func)}()` is called later than before, and a worker process may get another value "
                f"(line {node.lineno})",
            )

    def _was_there(self, node: ast.Call) -> bool:
        """Return whether the program made a call before the fix: what the fix itself asks is meant for workers."""
        calls = self.change.before.module.calls_by_name.get(last_part(node.func), ())
        return any(said(node) == said(each) for each in calls)

    def _passed_on(self, cls: Class, call: ast.Call, owner: str) -> Iterator[Regression]:
        """Yield what a function or a constructor reads inside an attribute that it is given."""
        function = self._callee(cls, call)
        if function is None:
            return
        names = parameters(function)
        names = names[1:] if function.name == "__init__" else names
        for parameter, arg in zip(names, call.args, strict=False):
            if not is_attribute(arg, owner):
                continue
            for read in reads(function.body, ""):
                if read.name == parameter and read.use != "plain":
                    yield from self._content(arg.attr, Read(f".{arg.attr}", read.use, arg))

    def _in_function(self, module: Module, call: ast.Call) -> Iterator[Regression]:
        """Yield what a function of the program, which moved code calls, reads of the process's state."""
        known = self.new.function_of(module, call.func)
        if known is None or any(known[1] is each for each in self.visited):
            return
        where, function = known
        self.visited.append(function)
        own = bound_in(function)
        for node in executed(function.body):
            if isinstance(node, ast.Call):
                yield from self._call(node, own, "")
                yield from self._asked_of_process(where, node)
                yield from self._in_function(where, node)
            elif reads_environment(where, node):
                yield from self._environment(node)
        for read in reads(function.body, ""):
            if read.name not in own and not writes.changes_in_place(where, read.node):
                yield from self._global(where, read)

    def _callee(self, cls: Class, call: ast.Call) -> Function | None:
        made = self.new.class_of(cls.module, call.func)
        if made is not None:
            found = self.new.method(made, "__init__")
            return found[1] if found is not None else None
        known = self.new.function_of(cls.module, call.func)
        return known[1] if known is not None else None

    def _writing(self, call: ast.Call) -> Iterator[Regression]:
        if opens_to_write(call):
            yield self.change.regression(
                call,
                "the file, which is opened for writing, is now opened once per "
                f"process (line {call.lineno})",
            )

    def _environment(self, node: ast.AST) -> Iterator[Regression]:
        for each in environment_changes(self.new.project):
            line = getattr(node, "lineno", 1)
            yield self.change.regression(
                node,
                f"the environment is read later than before the fix (line {line}), "
                f"when it may have changed ({each.module.path.name}:{each.node.lineno})",
            )
            return

    # Attributes of self

    def _attribute(self, owner: Class, read: Read) -> Iterator[Regression]:
        name = read.name[1:]
        methods = [*self._methods(name)]
        for cls, method in methods:
            if not is_getter(method) and read.use != "called":
                continue  # kept for later, not called now
            if not any(method is each for each in self.visited) and self._is_delayed(method):
                self.visited.append(method)
                yield from self._of(cls, method, method.body)
        if methods:
            return
        if name.startswith("__"):
            return
        yield from self._binding(name, read)
        if not self._is_seen_as_before(owner, read):
            yield from self._content(name, read)
        yield from self._converted(name, read)

    def _methods(self, name: str) -> Iterator[tuple[Class, Function]]:
        """Yield the methods, or getters, that a name of the object means: an heir may have its own."""
        for cls in (self.change.after, *self.new.heirs(self.change.after)):
            found = self.new.method(cls, name)
            if found is not None:
                yield found

    def _is_seen_as_before(self, owner: Class, read: Read) -> bool:
        """Return whether all that is made of a dict is the view that the constructor made: that shows what is in it."""
        asked = owner.module.parent(read.node)
        view = owner.module.parent(asked) if asked is not None else None
        match view:
            case ast.Call(func=ast.Attribute(attr="keys" | "values" | "items"), args=[]):
                made = (n for _, f in self.change.constructed_before for n in executed(f.body))
                return any(isinstance(n, ast.Call) and same(n, view) for n in made)
        return False

    def _converted(self, name: str, read: Read) -> Iterator[Regression]:
        """Yield an object of the program that gives a path or a text when it is opened, which may be another by then."""
        in_text = any(
            isinstance(node, ast.JoinedStr) for each in self.visited for node in executed(each.body)
        )
        giving = ("__fspath__", *(("__str__", "__format__") if in_text else ()))
        classes = [
            cls
            for method in (giving if read.use == "plain" else ())
            for module in self.new.project.mentions(method)
            for cls in self.new.classes(module)
            if method in cls.methods and cls not in self.family
        ]
        for module, call in self.new.constructions(self.change.after) if classes else ():
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if any(is_object(self.change, module, each, classes) for each in given):
                yield self.change.regression(
                    read.node,
                    f"`{name}` is read later than before the fix (line {read.node.lineno}), and may give "
                    "another path by then",
                )
                return

    def _is_delayed(self, function: Function) -> bool:
        """Return whether a method ran while the object was made, and only then; what unpickling calls runs anew."""
        if function.name in self.change.lazy:
            return False  # looked at for itself
        if self.function.name == "__setstate__":
            return True
        if is_new(self.change, function):
            return True  # what an opener is made of
        ran = any(f.name == function.name for _, f in self.change.constructed_before)
        return ran and function.name not in self.change.late_before

    def _binding(self, name: str, read: Read) -> Iterator[Regression]:
        line = read.node.lineno
        constructors = [f for _, f in self.change.constructed_after]
        for write in writes.in_family(self.new, self.family, name):
            if write.function is None or self._sets_the_handle_too(write) or self._is_part(write):
                continue
            while_made = any(write.function is f for f in constructors) and write.cls is not None
            if while_made and not self._after_opening(write, name):
                continue
            if while_made and self._is_the_value_read(write):
                continue
            if not while_made and self._before_base(write):
                continue
            if write.cls is not None and write.function in write.cls.setters.values():
                yield from self._binding(write.function.name, read)
                continue
            yield self._reset(name, line, write)
            return
        for write in writes.outside(self.new, self.family, name):
            if self._is_own_reopening(write):
                continue
            yield self._reset(name, line, write)
            return

    def _reset(self, name: str, line: int, write: writes.Write) -> Regression:
        place = f"{write.module.path.name}:{write.line}"
        return self.change.regression(
            line,
            f"`{name}` is read later than before the fix (line {line}), when it may have been "
            f"reassigned ({place})",
        )

    def _is_part(self, write: writes.Write) -> bool:
        """Return whether a write is the rewrite's own, in the accessors and state methods it made."""
        if write.function is None or write.cls is not self.change.after:
            return False
        if write.function.name in STATE:
            return any(
                write.node is n for s in self.change.fresh(write.function) for n in within(s)
            )
        return write.function.name in self.change.lazy

    def _is_own_reopening(self, write: writes.Write) -> bool:
        """Return whether a write is in the code that is looked at: it sets what it has just read."""
        return write.function is self.function and any(
            write.node is node for node in executed(self.nodes)
        )

    def _sets_the_handle_too(self, write: writes.Write) -> bool:
        """Return whether what sets an attribute also replaces or drops what is opened from it."""
        if write.function is None or write.function.name in {"__init__", "__post_init__"}:
            return False
        opened = set(self.change.lazy) | {f"_{name}_by_pid" for name in self.change.lazy}
        opened |= restored(self.change)
        owner = self_name(write.function)
        return any(
            is_attribute(node, owner) and node.attr in opened and not isinstance(node.ctx, ast.Load)
            for node in within(write.function.body)
        )

    def _before_base(self, write: writes.Write) -> bool:
        """Return whether a subclass's constructor sets an attribute before it calls its base's."""
        if write.function is None or write.function.name != "__init__" or write.cls is None:
            return False
        if self.change.after not in self.new.lineage(write.cls):
            return False  # of another branch of the family
        for statement in write.function.body:
            nodes = list(executed(statement))
            if any(write.node is n for n in nodes):
                return True
            if any(isinstance(n, ast.Attribute) and n.attr == "__init__" for n in nodes):
                return False
        return False

    def _after_opening(self, write: writes.Write, name: str) -> bool:
        """Return whether construction sets an attribute after the point where it was read before."""
        sites = (
            list(writes.in_family(self.change.old, [self._same_before(write.cls)], name))
            if write.cls
            else []
        )
        if name in self.change.new_attributes or not sites:
            return False
        if write.function is None:
            return False
        steps = list(order.steps(self.change.old, self.change.before))
        at = self._opening(steps, name)
        return at is not None and any(
            is_attribute(node, self_name(function), name) and isinstance(node.ctx, ast.Store)
            for later in steps[at + 1 :]
            for function, statement in later[-1:]
            if not _exclusive(steps[at], later)
            for node in own_nodes(statement)
        )

    def _is_the_value_read(self, write: writes.Write) -> bool:
        """Return whether an attribute is set to the name that was read in its place before."""
        if write.function is None:
            return False
        statement = write.module.statement(write.node)
        value = getattr(statement, "value", None)
        before = next(
            (f for _, f in self.change.constructed_before if f.name == write.function.name), None
        )
        if not isinstance(value, ast.Name) or before is None:
            return False
        name = value.id
        used = next((s for s in _involved(self.change, before) if _reads_name(s, name)), None)
        if used is None:
            return False
        return _bindings_before(before, used, name) == _bindings_before(
            write.function, statement, name
        )

    def _same_before(self, cls: Class | None) -> Class:
        return next(
            (
                c
                for c in self.change.old.family(self.change.before)
                if cls and c.qualname == cls.qualname
            ),
            self.change.before,
        )

    def _visited_code(self) -> list[ast.stmt]:
        """Return the delayed code, and that of the methods it is made of, as far as they were looked at."""
        return [statement for function in self.visited for statement in function.body]

    def _opening(self, steps: Sequence[Steps], name: str) -> int | None:
        """Return the step of the construction before that read an attribute, or else did what is done later now."""
        code = self._visited_code()
        moved = {header(statement) for statement in statements(code)}
        calls = _calls(executed(code)) & self.change.calls_while_made
        gone = {id(s) for _, f in self.change.constructed_before for s in self.change.gone(f)}
        by_call = None
        for at, step in enumerate(steps):
            function, statement = step[-1]
            nodes, me = list(own_nodes(statement)), self_name(function)
            if header(statement) in moved and any(_reads_own(node, me, name) for node in nodes):
                return at
            if by_call is None and id(statement) in gone and _calls(nodes) & calls:
                by_call = at
        return by_call

    def _content(self, name: str, read: Read) -> Iterator[Regression]:
        kind, _, member = read.use.partition(":")
        line = read.node.lineno
        if read.use == "plain" or (kind in {"attr", "method"} and member in _OF_TEXT):
            return
        if name in self.change.lazy or name in self.change.after.values:
            return
        if kind == "attr" and self._is_frozen(name, member):
            return
        if read.use == "called" or (kind in {"attr", "method"} and member not in _OF_CONTAINERS):
            if not self._made_here(name) and not (read.use == "called" and self._is_named(name)):
                yield self.change.regression(
                    line,
                    f"`{name}` is read later than before the fix (line {line}), when it may have "
                    "been modified",
                )
            return
        constructors = [f for _, f in self.change.constructed_after]
        for write in writes.content(self.new, self.family, name):
            if write.cls is not None and any(write.function is f for f in constructors):
                continue
            if self._is_part(write):
                continue
            yield self.change.regression(
                line,
                f"`{name}` is read later than before the fix (line {line}), but its contents are "
                f"modified (line {write.line})",
            )
            return
        shared = self._shared(name)
        if shared is not None:
            yield self.change.regression(
                line, f"`{name}` is read later than before the fix (line {line}), but {shared}"
            )

    def _made_here(self, name: str) -> bool:
        """Return whether the class made what an attribute holds, for itself."""
        values = list(self._values(name))
        made = (ast.Call, ast.Dict, ast.List, ast.Constant)
        return bool(values) and all(isinstance(v, made) for _, v in values)

    def _is_frozen(self, name: str, field: str) -> bool:
        """Return whether an attribute holds an object whose field is a plain value that nothing can set."""
        values = list(self._values(name))
        return bool(values) and all(self._has_frozen(*each, field) for each in values)

    def _has_frozen(self, function: Function, value: ast.expr, field: str) -> bool:
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        annotation = next((a.annotation for a in arguments if a.arg == dotted(value)), None)
        if annotation is None or dotted(value) in stored_names(function.body):
            return False
        made = self.new.class_of(self.change.after.module, annotation)
        if made is None or field not in made.annotated:
            return False
        written = [ast.unparse(each) for each in made.node.decorator_list]
        frozen = any("frozen=True" in each for each in written)
        named = any(last_part(base) == "NamedTuple" for base in made.node.bases)
        names = {last_part(n) for n in ast.walk(made.annotated[field].annotation)
                 if isinstance(n, (ast.Name, ast.Attribute))}  # fmt: skip
        return (frozen or named) and names <= _PLAIN

    def _is_named(self, name: str) -> bool:
        """Return whether an attribute holds a function or class that the module or Python has a name for."""
        values = list(self._values(name))
        return bool(values) and all(self._names(function, value) for function, value in values)

    def _names(self, function: Function, value: ast.expr) -> bool:
        if isinstance(value, ast.IfExp):
            return self._names(function, value.body) and self._names(function, value.orelse)
        module = self.change.after.module
        match value:
            case (
                ast.Subscript(value=ast.Name(id=table))
                | ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="get"))
            ):
                given = value.args[1:] if isinstance(value, ast.Call) else []
                made = [b.value for b in module.scope.bindings.get(table, [])]
                items = [e for d in made if isinstance(d, ast.Dict) for e in d.values]
                dicts = bool(made) and all(isinstance(d, ast.Dict) for d in made)
                return dicts and all(self._names(function, e) for e in (*items, *given))
        root = dotted(value).partition(".")[0]
        scope = module.inner_scope(function)
        if root in scope.bindings:
            found = scope.bindings[root]
            return dotted(value) == root and all(
                b.kind == "assign" and not b.path and b.value is not None and b.value is not value
                and self._names(function, b.value)
                for b in found
            )  # fmt: skip
        kinds = {b.kind for b in module.scope.bindings.get(root, [])}
        return kinds <= {"import", "def", "class"} and (bool(kinds) or hasattr(builtins, root))

    def _values(self, name: str) -> Iterator[tuple[Function, ast.expr]]:
        for _, function in self.change.constructed_after:
            yield from ((function, value) for value in values_set(function, name))

    def _shared(self, name: str) -> str | None:
        """Say who else may hold and change the container that an attribute holds."""
        for function, value in self._values(name):
            root = dotted(value)
            if not root:
                continue
            if "." in root:
                if root.partition(".")[0] == self_name(function):
                    continue
                return f"`{root}` may be modified by other code that holds it"
            if root in parameters(function):
                if (function.args.vararg and function.args.vararg.arg == root) or (
                    function.args.kwarg and function.args.kwarg.arg == root
                ):
                    continue
                if root in stored_names(function.body):
                    continue
                reason = self._caller_changes(function, root)
                if reason is not None:
                    return reason
        return None

    def _caller_changes(self, function: Function, parameter: str) -> str | None:
        if function.name not in {_INIT, "__new__"}:
            return None
        calls = list(self.new.constructions(self.change.after))
        if not calls:
            return f"the caller that passed `{parameter}` may modify it"
        for module, call, given in self._passed(calls, function, parameter):
            name = dotted(given)
            if not name:
                continue
            if "." in name:
                return f"`{name}`, which other code may modify, is passed in ({module.path.name}:{call.lineno})"
            around = self.new.body_around(module, call)
            for changed in writes.changes_by_name(module, around, name):
                if comes_before(call, changed) or _in_loop(module, call):
                    where = f"{module.path.name}:{getattr(changed, 'lineno', 0)}"
                    return f"`{name}` is modified ({where})"
        return None

    def _passed(
        self, calls: list[tuple[Module, ast.Call]], function: Function, parameter: str
    ) -> Iterator[tuple[Module, ast.Call, ast.expr | None]]:
        """Yield what calls that make an object pass to a constructor, also by those of classes derived from it."""
        for module, call in calls:
            made = self.new.class_of(module, call.func)
            line = self.new.lineage(made) if made is not None else ()
            inits = [(cls.module, cls.methods[_INIT]) for cls in line if _INIT in cls.methods]
            above = [init for _, init in inits]
            inits = inits[: above.index(function) + 1] if function in above else []
            yield from _passed_up(inits or [(module, function)], module, call, parameter)

    # Names of the module

    def _global(self, module: Module, read: Read) -> Iterator[Regression]:
        name, line = read.name, read.node.lineno
        if hasattr(builtins, name) and name not in stored_names(module.tree.body):
            return
        around = partial(is_around_objects, self.change)
        again = writes.global_rebinding(self.new, module, name, around)
        if again is not None:
            yield self.change.regression(
                line,
                f"`{name}` is read later than before the fix (line {line}), when it may have been "
                f"reassigned (line {getattr(again, 'lineno', 0)})",
            )
            return
        yield from self._of_context(module, name, line)
        kind, _, attribute = read.use.partition(":")
        if kind == "attr":
            yield from self._module_attribute(module, read, attribute)
            yield from self._class_attribute(module, read, attribute)
        if kind not in {"attr", "item", "iterate", "method"} or self._is_import(module, name):
            return
        for user in self.new.project.users(module, name):
            for node in user.nodes_by_name.get(name, ()):
                if self.new.enclosing(user, node) in self.visited:
                    continue  # what it changes itself, when it is called
                if isinstance(node, ast.Attribute) and not self._is_of(user, node, module):
                    continue
                if writes.changes_in_place(user, node):
                    yield self.change.regression(
                        line,
                        f"`{name}` is read later than before the fix (line {line}), when it may "
                        f"have been modified ({user.path.name}:{node.lineno})",
                    )
                    return

    def _is_of(self, user: Module, node: ast.Attribute, module: Module) -> bool:
        """Return whether an attribute is a name of a module: `places.FOLDERS`."""
        found = self.new.bound(user, dotted(node.value))
        return found is not None and found[0] is module and isinstance(found[1], ast.Module)

    def _of_context(self, module: Module, name: str, line: int) -> Iterator[Regression]:
        """Yield a variable that has another value in each context, or thread, where code sets it."""
        for value in writes.values_of(self.new, module, module.tree, name):
            sets = any(
                other.calls_by_name.get("set")
                for other in (module, *self.new.project.users(module, name))
            )
            if isinstance(value, ast.Call) and last_part(value.func) == "ContextVar" and sets:
                yield self.change.regression(
                    line, f"`{name}` is a context variable, which is read later than before the fix"
                )
                return

    def _module_attribute(self, module: Module, read: Read, attribute: str) -> Iterator[Regression]:
        """Yield a name of another module that functions of it, or other code, assign again."""
        found = self.new.bound(module, read.name)
        if found is None or not isinstance(found[1], ast.Module):
            return
        yield from self._of_context(found[0], attribute, read.node.lineno)
        again = writes.global_rebinding(self.new, found[0], attribute)
        if again is not None:
            yield self.change.regression(
                read.node.lineno,
                f"`{read.name}.{attribute}` is read later than before the fix (line "
                f"{read.node.lineno}), when it may have been reassigned "
                f"({found[0].path.name}:{getattr(again, 'lineno', 0)})",
            )

    def _class_attribute(self, module: Module, read: Read, attribute: str) -> Iterator[Regression]:
        """Yield an attribute of a class that its own methods assign again."""
        cls = self.new.class_of(module, ast.Name(read.name, ast.Load()))
        again = next(writes.on_class(self.new, cls, attribute), None) if cls is not None else None
        if again is not None:
            yield self.change.regression(
                read.node.lineno,
                f"`{read.name}.{attribute}` is read later than before the fix (line "
                f"{read.node.lineno}), when it may have been reassigned "
                f"({again.module.path.name}:{again.line})",
            )

    def _is_import(self, module: Module, name: str) -> bool:
        return any(
            name in stored_names(node)
            for node in (*module.nodes(ast.Import), *module.nodes(ast.ImportFrom))
        ) and not any(
            name in stored_names(n)
            for n in module.tree.body
            if isinstance(n, (ast.Assign, ast.AnnAssign))
        )


def _reads_own(node: ast.AST, owner: str, name: str) -> bool:
    return is_attribute(node, owner, name) and isinstance(getattr(node, "ctx", None), ast.Load)


def _calls(nodes: Iterable[ast.AST]) -> set[str]:
    return {last_part(node.func) for node in nodes if isinstance(node, ast.Call)}


def _exclusive(one: Steps, other: Steps) -> bool:
    """Return whether two steps are in different branches of one condition."""
    for (function, first), (_, second) in zip(one, other, strict=False):
        if first is not second:
            return any(
                _is_in(first, here) and _is_in(second, there)
                for node in executed(function.body)
                if isinstance(node, ast.If)
                for here, there in ((node.body, node.orelse), (node.orelse, node.body))
            )
    return False


def _is_in(statement: ast.stmt, block: list[ast.stmt]) -> bool:
    return any(statement is node for node in executed(block))


def _in_loop(module: Module, call: ast.Call) -> bool:
    ancestors = module.ancestors(call)
    for node in ancestors:
        if isinstance(node, (ast.For, ast.While)):
            return True
        if isinstance(node, FUNCTIONS):
            return False
    return False


def _passed_up(
    inits: list[tuple[Module, Function]], module: Module, call: ast.Call, parameter: str
) -> Iterator[tuple[Module, ast.Call, ast.expr | None]]:
    """Yield what reaches a parameter of the last of some constructors, each of which calls the next."""
    *below, (_, goal) = inits
    if not below:
        yield module, call, _argument(goal, call, parameter)
        return
    home, caller = below[-1]
    for each in calls_in(caller.body):
        if not isinstance(each.func, ast.Attribute) or each.func.attr != _INIT:
            continue
        starred = any(keyword.arg is None for keyword in each.keywords)
        given = _argument(goal, _without_self(each), parameter)
        if given is None and starred:
            yield module, call, _argument(goal, call, parameter)
        elif isinstance(given, ast.Name) and given.id in parameters(caller):
            yield from _passed_up(below, module, call, given.id)
        else:
            yield home, each, given


def _without_self(call: ast.Call) -> ast.Call:
    """Return the call of a constructor without the object, which `Base.__init__(self, x)` passes."""
    above = call.func.value if isinstance(call.func, ast.Attribute) else None
    bound = isinstance(above, ast.Call)
    return call if bound else ast.Call(call.func, call.args[1:], call.keywords)


def _argument(function: Function, call: ast.Call, parameter: str) -> ast.expr | None:
    """Return what a call of a constructor passes for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]][1:]
    if parameter in names and names.index(parameter) < len(call.args):
        given = call.args[names.index(parameter)]
        return None if isinstance(given, ast.Starred) else given
    return None


def reads(nodes: list[ast.stmt], owner: str) -> Iterator[Read]:
    """Yield what code reads: names, and attributes of its object, each with its use."""
    for statement in nodes:
        yield from _reads(statement, "plain", owner)


def _reads(node: ast.AST, use: str, owner: str) -> Iterator[Read]:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id != owner:
            yield Read(node.id, use, node)
        return
    if isinstance(node, ast.Attribute):
        if is_attribute(node, owner):
            if isinstance(node.ctx, ast.Load):
                yield Read(f".{node.attr}", use, node)
            return
        kind = "method" if use == "called" else "attr"
        yield from _reads(node.value, f"{kind}:{node.attr}", owner)
        return
    if isinstance(node, ast.Subscript):
        yield from _reads(node.value, "item", owner)
        yield from _reads(node.slice, "plain", owner)
        return
    if isinstance(node, ast.Call):
        yield from _reads(node.func, "called", owner)
        inside = "iterate" if dotted(node.func) in _OVER else "plain"
        for arg in node.args:
            starred = isinstance(arg, ast.Starred)
            given = arg.value if isinstance(arg, ast.Starred) else arg
            yield from _reads(given, "iterate" if starred else inside, owner)
        for keyword in node.keywords:
            yield from _reads(keyword.value, "plain" if keyword.arg else "iterate", owner)
        return
    if isinstance(node, COMPREHENSIONS):
        targets = stored_names([g.target for g in node.generators])
        for generator in node.generators:
            found = [*_reads(generator.iter, "iterate", owner)]
            found += [r for test in generator.ifs for r in _reads(test, "plain", owner)]
            yield from (r for r in found if r.name not in targets)
        for part in ("key", "elt", "value"):
            inner = getattr(node, part, None)
            if inner is not None:
                yield from (r for r in _reads(inner, "plain", owner) if r.name not in targets)
        return
    if isinstance(node, (ast.For, ast.AsyncFor)):
        yield from _reads(node.iter, "iterate", owner)
        for statement in (*node.body, *node.orelse):
            yield from _reads(statement, "plain", owner)
        return
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        own = bound_in(node)
        body = node.body if isinstance(node.body, list) else [node.body]
        for each in body:
            yield from (r for r in _reads(each, "plain", owner) if r.name not in own)
        return
    if isinstance(node, ast.AnnAssign):
        if node.value is not None:
            yield from _reads(node.value, "plain", owner)
        return
    for child in ast.iter_child_nodes(node):
        yield from _reads(child, "plain", owner)


# What is kept for later


def _kept_at_another_time(change: ClassChange) -> Iterator[Regression]:
    for _, after in change.constructed_after:
        before = next((f for _, f in change.constructed_before if f.name == after.name), None)
        if before is None:
            continue
        gone, fresh = change.gone(before), change.fresh(after)
        local = {n for s in fresh if isinstance(s, ast.With) for n in _entered(s)}
        for statement in fresh:
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
                continue
            if not _keeps_anew(change, after, statement):
                continue
            for name in {n.id for n in executed(statement.value) if isinstance(n, ast.Name)}:
                if name == self_name(after) or name in local:
                    continue
                used = next((s for s in gone if _reads_name(s, name)), None)
                if used is None:
                    continue
                then = _bindings_before(before, used, name)
                now = _bindings_before(after, statement, name)
                if then != now:
                    yield change.regression(
                        statement,
                        f"the stored value of `{name}` differs from the value that was "
                        f"used (line {statement.lineno})",
                    )


def _entered(statement: ast.With) -> Iterator[str]:
    """Yield the names that a `with` gives to what it opens."""
    yield from (last_part(item.optional_vars) for item in statement.items if item.optional_vars)


def _keeps_anew(
    change: ClassChange, function: Function, statement: ast.Assign | ast.AnnAssign
) -> bool:
    """Return whether a statement stores what was not stored before: no local handle, no residue."""
    owner = self_name(function)
    return any(
        is_attribute(each, owner) and each.attr in change.new_attributes
        for target in targets_of(statement)
        for each in ast.walk(target)
    )


def _involved(change: ClassChange, before: Function) -> list[ast.stmt]:
    """Return the statements that went, and those around them: their conditions and loops."""
    gone = change.gone(before)
    inside = {id(statement) for statement in gone}
    return [
        s
        for s in statements(before.body)
        if id(s) in inside or any(id(n) in inside for n in executed(s) if n is not s)
    ]


def _reads_name(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        for n in own_nodes(statement)
    )


def _bindings_before(function: Function, point: ast.stmt, name: str) -> list[str]:
    found = []
    for statement in statements(function.body):
        if statement is point:
            break
        own = {
            n.id
            for n in own_nodes(statement)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        if name in own:
            found.append(header(statement))
    return found
