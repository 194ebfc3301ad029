"""Functions and classes that moved to module level: what they capture, and who looks at them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeGuard

from dlfix.fixing.proof import (
    class_partials,
    kept_names,
    new_arguments,
    shared_functions,
    unbound,
    writes,
)
from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.decorating import is_of_decorated
from dlfix.fixing.proof.evaluated_after import EvaluatedAfter
from dlfix.fixing.proof.iterations import used_up
from dlfix.fixing.proof.observed_values import Sources, makes_function, observed
from dlfix.fixing.proof.parent_state import is_number_of_parent
from dlfix.fixing.proof.pool_methods import methods_of_pools
from dlfix.fixing.proof.program import Class, whose_class
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    Function,
    bound_in,
    dotted,
    executed,
    free_names,
    last_part,
    parameters,
    self_name,
    stored_names,
    within,
)
from dlfix.fixing.proof.unbound import OF_MODULES, functions_of
from dlfix.fixing.proof.value_flow import Known, is_about, known_as
from dlfix.project.bindings import Binding
from dlfix.project.importing import beside_tests, is_of_sphinx, together
from dlfix.project.module import Module
from dlfix.project.order import begins_before, comes_before
from dlfix.project.trees import said

Defined: TypeAlias = Function | ast.ClassDef
Callable_: TypeAlias = Function | ast.Lambda | ast.ClassDef
# What tells a function from a partial, or one function from another.
_OF_FUNCTIONS = frozenset(
    "__code__ __defaults__ __kwdefaults__ __annotations__ __closure__ __globals__ signature"
    " getfullargspec getargspec FunctionType LambdaType isfunction getsource get_type_hints"
    " isroutine getclosurevars getmodule".split()
)
_TYPES = frozenset({"FunctionType", "LambdaType", "isfunction", "isroutine"})
_NAMES = frozenset({"__name__", "__qualname__"})
_OF_WRAPPERS = frozenset({"__wrapped__", "unwrap"})
_OF_PARTIALS = frozenset({"func", "keywords"})  # where these are asked for as texts
_OF_CODE = frozenset("__closure__ co_freevars getclosurevars getsource".split())
# What gives a class a `__repr__` with its name.
_SHOWS_ITS_NAME = frozenset(
    "NamedTuple namedtuple dataclass define frozen attrs BaseModel Enum IntEnum StrEnum Flag IntFlag".split()
)
# Functions of C that cannot be pickled by their name.
_NOT_BY_NAME = frozenset({"lmdb.open", "lmdb.Environment"})
# Calls that make another object each time, as a lambda did.
_EACH_ITS_OWN = frozenset({"itemgetter", "attrgetter", "methodcaller"})
_DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.Set)
_CONSUMES = frozenset("list tuple set dict sorted sum min max next any all len print".split())


def check(change: FileChange) -> Iterator[Regression]:
    """Yield what a moved function, or what it captures, no longer is."""
    yield from unbound.check(change)
    yield from Moved(change).regressions()


@dataclass(frozen=True)
class _Capture:
    """A value that a moved callable is given where it was captured before."""

    call: ast.Call
    parameter: str
    value: ast.expr
    partial: bool

    @property
    def binds_a_value(self) -> bool:
        """Whether a partial binds it, by keyword or by position."""
        return self.partial and self.value is not self.call.args[0]


def _origin(statement: ast.Import | ast.ImportFrom, name: str) -> tuple[str, int, str]:
    """Return the module, its level and the name there that an import binds to a name."""
    for alias in statement.names:
        bound = alias.asname or (
            alias.name.partition(".")[0] if isinstance(statement, ast.Import) else alias.name
        )
        if bound == name and isinstance(statement, ast.ImportFrom):
            return statement.module or "", statement.level, alias.name
        if bound == name:
            return alias.name if alias.asname else bound, 0, ""
    return "", 0, name


def _makes_object(call: ast.Call) -> bool:
    """Return whether a partial is of the object's own class: `functools.partial(type(self), ...)`."""
    made = call.args[0] if call.args else None
    return isinstance(made, ast.Call) and last_part(made.func) == "type"


_OF_FLATTENED = frozenset({"keywords"})  # of a partial of a partial
_PROCESSES = frozenset({"multiprocessing.Process", "torch.multiprocessing.Process"})


class Moved:
    """The functions and classes of one file that are at module level now."""

    def __init__(self, change: FileChange) -> None:
        self.change, self.old, self.new = change, change.before, change.after
        self._answered: frozenset[str] = frozenset()

    def regressions(self) -> Iterator[Regression]:
        """Yield what is no longer as it was."""
        for node in self.defined:
            yield from self._names_inside(node)
            yield from self._name_taken(node)
            yield from self._shape(node)
            yield from self._unpassed(node)
            yield from self._unset(node)
        for site, capture in self.captures:
            yield from self._capture(site, capture)
        yield from self._looked_at()
        yield from self._shown_names()
        yield from self._parts_left()

    @cached_property
    def defined(self) -> list[Defined]:
        """The functions and classes that module level did not have before."""
        had = {
            node.name for node in self.old.tree.body if isinstance(node, (*FUNCTIONS, ast.ClassDef))
        }
        had |= stored_names(self.old.tree.body) if not self._guarded else had
        return [
            node
            for node in self.new.tree.body
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name not in had
        ]

    @cached_property
    def _guarded(self) -> set[str]:
        """The functions and classes that stood in a block of the module before."""
        return {
            inner.name
            for node in self.old.tree.body
            if isinstance(node, (ast.If, ast.Try, ast.With))
            for inner in executed(node)
            if isinstance(inner, (*FUNCTIONS, ast.ClassDef))
        }

    @cached_property
    def new_names(self) -> set[str]:
        """The names of these."""
        return {node.name for node in self.defined}

    @cached_property
    def gone(self) -> list[Callable_]:
        """The lambdas, local functions and local classes that are not there any more."""
        kinds = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
        left = [said(node) for node in self.new.nodes(*kinds)]
        found: list[Callable_] = []
        for node in self.old.nodes(*kinds):
            text = said(node)
            if text in left and not self._is_hoisted_as_is(node):
                left.remove(text)
            elif isinstance(node, ast.Lambda) or not self._is_at_top(node):
                found.append(node)  # type: ignore[arg-type]
        return found

    def _is_hoisted_as_is(self, node: ast.AST) -> bool:
        return getattr(node, "name", None) in self.new_names and not self._is_at_top(node)

    def _is_at_top(self, node: ast.AST) -> bool:
        parent = self.old.parent(node)
        return isinstance(parent, (ast.Module, ast.ClassDef)) and not isinstance(node, ast.Lambda)

    def _around(self, module: Module, node: ast.AST) -> Function | None:
        return next((a for a in module.ancestors(node) if isinstance(a, FUNCTIONS)), None)

    def _qualname(self, module: Module, node: ast.AST) -> str:
        names = [
            a.name for a in module.ancestors(node) if isinstance(a, (*FUNCTIONS, ast.ClassDef))
        ]
        return ".".join(reversed(names))

    # The moved code itself

    def _users(self, name: str) -> list[Function]:
        """Return the functions before that stand for those which use a moved name now."""
        before = functions_of(self.old)
        found = []
        for node in self.new.nodes_by_name.get(name, ()):
            if isinstance(node, ast.Name):
                for around in self.new.ancestors(node):
                    if isinstance(around, FUNCTIONS) and around.name not in self.new_names:
                        qualname = ".".join(
                            filter(None, (self._qualname(self.new, around), around.name))
                        )
                        if qualname in before:
                            found.append(before[qualname])
        return found

    def _names_inside(self, node: Defined) -> Iterator[Regression]:
        at_top = stored_names(self.new.tree.body) | OF_MODULES
        star = any(alias.name == "*" for alias in self.new.nodes(ast.alias))
        users = self._users(node.name)
        for name, line in _free(node).items():
            if name in self.new_names or (name == "__class__"):
                continue
            if name not in at_top and not hasattr(builtins, name) and not star:
                yield self._about(
                    node,
                    line,
                    f"`{node.name}` reads `{name}` (line {line}), which is not a module-level name",
                )
                continue
            for function in users:
                if name in bound_in(function) and not self._same_import(function, name):
                    yield self._about(
                        node,
                        line,
                        f"`{name}` was local to `{function.name}` but now refers to a "
                        f"module-level name (line {line})",
                    )
                    break
        inside = [n for n in within(node) if n is not node]
        if isinstance(node, FUNCTIONS):
            for inner in inside:
                if isinstance(inner, ast.Call) and dotted(inner.func) == "super" and not inner.args:
                    yield self._about(
                        node,
                        inner.lineno,
                        f"`super()` would be called outside a class (line {inner.lineno})",
                    )
                if isinstance(inner, (ast.Attribute, ast.Name)):
                    name = inner.attr if isinstance(inner, ast.Attribute) else inner.id
                    if name == "__class__" and isinstance(inner, ast.Name):
                        yield self._about(
                            node,
                            inner.lineno,
                            f"`__class__` would be used outside a class (line {inner.lineno})",
                        )
                    if self._is_private(name):
                        yield self._about(
                            node,
                            inner.lineno,
                            f"`{name}` is a class-private name, which has a different "
                            f"meaning outside its class (line {inner.lineno})",
                        )

    def _is_private(self, name: str) -> bool:
        """Return whether a name meant something else where it was: in a class, Python adds the name of that."""
        return (
            name.startswith("__")
            and not name.endswith("__")
            and any(
                isinstance(around, ast.ClassDef)
                for read in self.old.nodes_by_name.get(name, ())
                for around in self.old.ancestors(read)
            )
        )

    def _same_import(self, function: Function, name: str) -> bool:
        """Return whether a function only imports by a name what the module imports too."""
        inner, outer = (
            {
                _origin(each, name)
                for each in executed(body)
                if isinstance(each, (ast.Import, ast.ImportFrom)) and name in stored_names(each)
            }
            for body in (function.body, self.new.tree.body)
        )
        return bool(inner) and inner == outer

    def _about(self, node: Defined, line: int, reason: str) -> Regression:
        return self.change.regression(node.name, line, reason)

    def _name_taken(self, node: Defined) -> Iterator[Regression]:
        """Yield reads of a name that meant something else before there was a function of it."""
        for read in self.old.nodes_by_name.get(node.name, ()):
            if not isinstance(read, ast.Name) or not isinstance(read.ctx, ast.Load):
                continue
            owners = [
                a for a in self.old.ancestors(read) if isinstance(a, (*FUNCTIONS, ast.Lambda))
            ]
            if any(node.name in bound_in(f) for f in owners):
                continue
            if node.name in self._guarded:
                continue
            yield self._about(
                node,
                node.lineno,
                f"`{node.name}` (line {node.lineno}) changes what the name refers to (line "
                f"{read.lineno} before the fix)",
            )
            return

    def _shape(self, node: Defined) -> Iterator[Regression]:
        """Yield defaults and decorators that are evaluated at another time, or are missing."""
        if isinstance(node, FUNCTIONS):
            for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                if not self._is_fixed(default):
                    yield self._about(
                        node,
                        default.lineno,
                        f"the default is now evaluated only once, on import (line {default.lineno})",
                    )
        for origin in self.gone:
            if isinstance(origin, ast.Lambda) or origin.name.strip("_") != node.name.strip("_"):
                continue
            if self._body(origin) != self._body(node):
                continue
            if _decorators(origin) != _decorators(node) and not self._is_dressed(origin, node):
                yield self._about(
                    node,
                    node.lineno,
                    f"the decorators of `{origin.name}` have changed (line {node.lineno})",
                )

    def _unset(self, node: Defined) -> Iterator[Regression]:
        """Yield a name that the body of a class bound, or that a method reads now, and that nothing sets."""
        lacking = [
            self._lacking(origin, node)
            for origin in self.gone
            if isinstance(origin, ast.ClassDef)
            and isinstance(node, ast.ClassDef)
            and origin.name.strip("_") == node.name.strip("_")
        ]
        # Of several classes of one name, it was the one that it has the most of.
        for name in min(lacking, key=len, default=[]):
            yield self._about(
                node, node.lineno, f"`{node.name}.{name}` is not set (line {node.lineno})"
            )

    def _lacking(self, origin: ast.ClassDef, node: ast.ClassDef) -> list[str]:
        bound = stored_names(node.body)
        gone = stored_names(origin.body) - bound - _set_in(node)
        fresh = _read_of_self(node) - _read_of_self(origin) - bound - _set_in(self.new.tree)
        return sorted(gone | fresh)

    def _unpassed(self, node: Defined) -> Iterator[Regression]:
        """Yield a call that does not pass what the constructor of a class takes now."""
        if isinstance(node, ast.ClassDef):
            for call, name in new_arguments.missing(self.new, node):
                yield self._about(
                    node,
                    call.lineno,
                    f"`{name}` is not passed to the constructor of `{node.name}` (line {call.lineno})",
                )

    def _is_dressed(self, origin: Defined, node: Defined) -> bool:
        """Return whether each partial of a function gets from `update_wrapper` what `wraps` gave before."""
        match origin.decorator_list:
            case [ast.Call(func=func, args=[ast.Name(id=wrapped)], keywords=[])]:
                if last_part(func) != "wraps" or node.decorator_list:
                    return False
            case _:
                return False
        reads = [
            read
            for read in self.new.nodes_by_name.get(node.name, ())
            if isinstance(read.ctx, ast.Load)
        ]
        return bool(reads) and all(kept_names.updated(self.new, each) == wrapped for each in reads)

    def _body(self, node: Defined) -> str:
        return ast.dump(ast.Module(body=node.body, type_ignores=[]))

    def _is_fixed(self, default: ast.expr) -> bool:
        if isinstance(default, (ast.Constant, ast.JoinedStr, ast.Lambda)):
            return True
        if isinstance(default, ast.Tuple):
            return all(self._is_fixed(each) for each in default.elts)
        if isinstance(default, ast.UnaryOp):
            return self._is_fixed(default.operand)
        name = dotted(default)
        root = name.partition(".")[0]
        if not root:
            return False
        plain = writes.global_rebinding(self.change.new, self.new, root) is None
        imported = any(root in stored_names(n) for n in self.new.nodes(ast.Import, ast.ImportFrom))
        return plain and (imported or "." not in name)

    # What is captured

    @cached_property
    def captures(self) -> list[tuple[ast.AST, _Capture]]:
        """The values given to moved callables, with the statement each stands in."""
        found: list[tuple[ast.AST, _Capture]] = []
        classes = {n.name for n in self.defined if isinstance(n, ast.ClassDef)}
        for call in self._fresh_calls:
            partial = last_part(call.func) == "partial"
            if not partial and last_part(call.func) not in classes:
                continue
            given = [(k.arg or "", k.value) for k in call.keywords]
            given += [("", a) for a in (call.args[1:] if partial else call.args)]
            statement = self.new.statement(call)
            if partial and call.args:
                found.append((statement, _Capture(call, "", call.args[0], partial)))
            found += [(statement, _Capture(call, name, value, partial)) for name, value in given]
        return found

    def _capture(self, site: ast.AST, capture: _Capture) -> Iterator[Regression]:
        if capture.partial and capture.call.args and capture.value is capture.call.args[0]:
            yield from self._target(capture)
            return
        qualname = self._qualname(self.new, capture.call) or "<module>"
        advanced = self._advanced(capture)
        if advanced is not None:
            yield self.change.regression(
                qualname,
                advanced,
                f"`{capture.parameter}` is advanced (line {advanced.lineno}), but each "
                "process advances its own copy",
            )
            return
        if self._is_super(capture):
            yield self.change.regression(
                qualname,
                capture.call,
                f"`{capture.parameter}` is the result of `super()` (line "
                f"{capture.call.lineno}), which cannot be pickled",
            )
            return
        for reason in self._late(site, capture):
            yield self.change.regression(qualname, capture.call, reason)
            return

    def _is_super(self, capture: _Capture) -> bool:
        """Return whether what is captured is bound to a call of `super`."""
        name = dotted(capture.value)
        values = writes.values_of(self.change.new, self.new, capture.call, name)
        return any(isinstance(v, ast.Call) and dotted(v.func) == "super" for v in values)

    def _advanced(self, capture: _Capture) -> ast.Call | None:
        """Return where a moved function takes the next item of what it is given."""
        target = last_part(capture.call.args[0]) if capture.call.args else ""
        for function in (n for n in self.defined if isinstance(n, FUNCTIONS) and n.name == target):
            for node in within(function.body):
                match node:
                    case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=taken), *_]):
                        if taken == capture.parameter:
                            return node
        return None

    def _target(self, capture: _Capture) -> Iterator[Regression]:
        target, call = capture.value, capture.call
        name, qualname = dotted(target), self._qualname(self.new, call) or "<module>"
        around = self._around(self.new, call)
        reason = ""
        statement = self.new.statement(call)
        in_class = isinstance(self.new.parent(statement), ast.ClassDef)
        if in_class and getattr(statement, "value", None) is call:
            reason = (
                "the partial is not bound to an instance, unlike the method that it "
                f"replaces (line {call.lineno})"
            )
        elif isinstance(target, ast.Lambda):
            reason = f"the partial holds a lambda (line {call.lineno})"
        elif name in _NOT_BY_NAME:
            reason = f"the partial holds `{name}`, which cannot be pickled by its name (line {call.lineno})"
        elif around is not None and name in bound_in(around) - set(parameters(around)):
            inner = [
                n for n in executed(around.body) if isinstance(n, FUNCTIONS) and n.name == name
            ]
            if inner:
                reason = f"the partial holds the local function `{name}` (line {call.lineno})"
        elif self._was_local_class(name):
            used = class_partials.used_otherwise(self.change.new, self.new, call)
            if used is not None:
                reason = (
                    f"the class `{name}` is now a partial and may be used other than by a call "
                    f"(line {getattr(used, 'lineno', 1)})"
                )
        if reason:
            yield self.change.regression(qualname, call, reason)

    def _was_local_class(self, name: str) -> bool:
        """Return whether a class of that name, which may have become private, left a function."""
        return any(
            isinstance(each, ast.ClassDef) and name.endswith(each.name.strip("_"))
            for each in self.gone
        )

    @cached_property
    def _by_reference(self) -> set[str]:
        """The names that what is gone read when it was called."""
        return {name for node in self.gone for name in _free(node)}

    def _late(self, site: ast.AST, capture: _Capture) -> Iterator[str]:
        line = capture.call.lineno
        if self._is_made_at_each_call(capture.value):
            yield (
                f"the value of `{capture.parameter or 'an argument'}` is now created once "
                f"instead of once per call (line {line})"
            )
        for node in executed(capture.value):
            if isinstance(node, ast.Name) and node.id in self._by_reference:
                reason = self._rebound(site, node.id, capture)
                if reason is not None:
                    yield reason
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                reason = self._attribute_set(site, node, capture)
                if reason is not None:
                    yield reason

    def _is_made_at_each_call(self, value: ast.expr) -> bool:
        if not isinstance(value, (ast.Call, ast.List, ast.Dict, ast.Set, *COMPREHENSIONS)):
            return False
        if isinstance(value, ast.Call) and is_number_of_parent(self.new, value):
            return False
        return not self._was_default(value) and not self._was_evaluated_there(value)

    def _was_default(self, value: ast.expr) -> bool:
        text = said(value)
        return any(
            said(d) == text
            for node in self.gone
            if not isinstance(node, ast.ClassDef)
            for d in [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        )

    def _was_evaluated_there(self, value: ast.expr) -> bool:
        """Return whether the same expression was no part of what is gone."""
        text = said(value)
        inside = any(
            said(n) == text for node in self.gone for n in within(node) if isinstance(n, ast.expr)
        )
        return not inside

    def _rebound(self, site: ast.AST, name: str, capture: _Capture) -> str | None:
        line = capture.call.lineno
        around = self._around(self.new, capture.call)
        nonlocals: list[ast.Nonlocal | ast.Global] = [*self.old.nodes(ast.Nonlocal)]
        for declared in [*nonlocals, *self.old.nodes(ast.Global)]:
            if name in declared.names:
                owner = self._around(self.old, declared)
                if owner is None or name not in stored_names(owner.body):
                    continue
                in_place = around is not None and owner.name == around.name
                if isinstance(declared, ast.Global) and in_place:
                    continue
                return (
                    f"`{name}` is captured by value (line {line}), but `{owner.name}` reassigns it"
                )
        if self._is_consumed(site):
            return None
        body = around.body if around is not None else self.new.tree.body
        if around is not None and name not in bound_in(around):
            again = writes.global_rebinding(self.change.new, self.new, name)
            owner = self._around(self.new, again) if again is not None else None
            if again is None or (owner is around) or self._is_default(name):
                return None
            return (
                f"`{name}` is captured by value (line {line}) but reassigned (line "
                f"{getattr(again, 'lineno', 0)})"
            )
        loops = [a for a in self.new.ancestors(capture.call) if isinstance(a, (ast.For, ast.While))]
        if around is not None:
            loops = [loop for loop in loops if any(loop is n for n in executed(body))]
        if self._is_of_comprehension(capture.call, name) and not self._is_default(name):
            return (
                f"`{name}` is captured by value (line {line}) in a comprehension that reassigns it"
            )
        changed = self._changed_inside(site, capture, body, name)
        if changed is not None:
            return (
                f"a part of `{name}` is captured by value (line {line}) but modified "
                f"(line {changed})"
            )
        for node in executed(body):
            if not isinstance(node, (ast.Name, *_BINDING)) or not _binds(node, name):
                continue
            if not self._after.may_follow(capture.call, node):
                continue
            if self._has_started(site, capture, node, body):
                continue
            if comes_before(site, node) or (
                not begins_before(node, site) and not any(node is n for n in executed(site))
            ):
                return (
                    f"`{name}` is captured by value (line {line}) but reassigned (line "
                    f"{node.lineno})"
                )
            turning = [loop for loop in loops if any(node is n for n in executed(loop))]
            if (
                turning
                and not self._is_default(name)
                and not any(
                    used_up(self.change.new, self.new, body, loop, site) for loop in turning
                )
            ):
                return (
                    f"`{name}` is captured by value (line {line}) in a loop that reassigns "
                    f"it (line {node.lineno})"
                )
        return None

    def _is_of_comprehension(self, call: ast.Call, name: str) -> bool:
        return any(
            name in stored_names([g.target for g in above.generators])
            for above in self.new.ancestors(call)
            if isinstance(above, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        )

    def _changed_inside(
        self, site: ast.AST, capture: _Capture, body: list[ast.stmt], name: str
    ) -> int | None:
        """Return the line that changes what an item or a method of a captured name gives."""
        if isinstance(capture.value, ast.Name):
            return None  # held by reference, as before
        named = (n for n in within(capture.value) if isinstance(n, ast.Name) and n.id == name)
        read = {*map(self._part_of, named)}
        for node in executed(body):
            if not isinstance(node, ast.Name) or node.id != name:
                continue
            if self._part_of(node) and not read & {self._part_of(node), ""}:
                continue
            later = self._comes_later(site, capture, node)
            if later and writes.changes_in_place(self.new, node):
                return node.lineno
        return None

    def _part_of(self, node: ast.AST) -> str:
        """Return the attribute by which a name is used; empty where it is used, or called, as a whole."""
        parent = self.new.parent(node)
        if not isinstance(parent, ast.Attribute):
            return ""
        call = self.new.parent(parent)
        return "" if isinstance(call, ast.Call) and call.func is parent else parent.attr

    def _is_default(self, name: str) -> bool:
        """Return whether the captured value was a default before: evaluated where the function was made."""
        return any(
            isinstance(d, ast.Name) and d.id == name
            for node in self.gone
            if not isinstance(node, ast.ClassDef)
            for d in [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        )

    def _is_consumed(self, site: ast.AST) -> bool:
        """Return whether a statement makes a callable and is done with it."""
        value = getattr(site, "value", None)
        if isinstance(value, ast.Await):
            value = value.value
        return isinstance(value, ast.Call) and dotted(value.func) in _CONSUMES

    def _attribute_set(self, site: ast.AST, node: ast.Attribute, capture: _Capture) -> str | None:
        """Say where an attribute that is captured by value is set after that."""
        text, line = dotted(node), capture.call.lineno
        if not any(
            text == dotted(n) for g in self.gone for n in within(g) if isinstance(n, ast.Attribute)
        ):
            return None
        if self._is_consumed(site):
            return None
        around = self._around(self.new, capture.call)
        cls = self._class_around(capture.call)
        if (
            cls is not None
            and around is not None
            and isinstance(node.value, ast.Name)
            and node.value.id == self_name(around)
        ):
            family = self.change.new.family(cls)
            for write in [
                *writes.in_family(self.change.new, family, node.attr),
                *writes.outside(self.change.new, family, node.attr),
            ]:
                later = write.function is not around or self._comes_later(site, capture, write.node)
                earlier = (
                    write.function is not None
                    and write.function.name == "__init__"
                    and write.function is not around
                )
                if later and not earlier:
                    return (
                        f"`{text}` is captured by value (line {line}) but reassigned (line "
                        f"{write.line})"
                    )
            return None
        for other in self.new.nodes(ast.Attribute):
            if dotted(other) != text or isinstance(other.ctx, ast.Load):
                continue
            if self._around(self.new, other) is not around or self._comes_later(
                capture.call, capture, other
            ):
                return (
                    f"`{text}` is captured by value (line {line}) but reassigned (line "
                    f"{other.lineno})"
                )
        return None

    @cached_property
    def _after(self) -> EvaluatedAfter:
        return EvaluatedAfter(self.new, self.change.facts)

    def _has_started(
        self, site: ast.AST, capture: _Capture, node: ast.AST, body: list[ast.stmt]
    ) -> bool:
        """Return whether the processes that get a capture have started before a node: they let go of it then."""
        reads: list[ast.expr] = [capture.call]
        match site:
            case ast.Assign(targets=[ast.Name(id=held)], value=value) if value is capture.call:
                reads = [n for n in within(body) if _is_load(n) and n.id == held]
                anew = [each for each in executed(body) if _binds(each, held)]
                if any(self._after.may_follow(node, each, anew) for each in reads):
                    return False
        made = [self._process_with(each) for each in reads]
        return bool(made) and all(
            each is not None and self._is_started_before(each, node, body) for each in made
        )

    def _process_with(self, target: ast.expr) -> ast.Name | None:
        """Return the name that gets a process which is made with a target."""
        call = self.new.parent(self.new.parent(target) or target)
        if not isinstance(call, ast.Call) or not any(
            each.arg == "target" and each.value is target for each in call.keywords
        ):
            return None
        match self.new.parent(call):
            case ast.Assign(targets=[ast.Name() as name], value=value) if value is call:
                made = imports_of(self.new.tree).full_name(call.func)
                return name if made in _PROCESSES else None
        return None

    def _is_started_before(self, process: ast.Name, node: ast.AST, body: list[ast.stmt]) -> bool:
        """Return whether a process has started wherever its name, or what a node binds, is bound again."""
        starts = [
            each
            for each in executed(body)
            if isinstance(each, ast.Call) and dotted(each.func) == f"{process.id}.start"
        ]
        again = [each for each in executed(body) if _binds(each, process.id)]
        return not any(self._after.may_follow(process, each, starts) for each in (node, *again))

    def _comes_later(self, site: ast.AST, capture: _Capture, node: ast.AST) -> bool:
        """Return whether a node stands below what captures a value, and may be come to from there."""
        return comes_before(site, node) and self._after.may_follow(capture.call, node)

    def _class_around(self, node: ast.AST) -> Class | None:
        owner = next((a for a in self.new.ancestors(node) if isinstance(a, ast.ClassDef)), None)
        return next((c for c in self.change.new.classes(self.new) if c.node is owner), None)

    def _shown_names(self) -> Iterator[Regression]:
        """Yield the classes that have another name now, where their objects show it when they are printed."""
        kinds = (ast.Call, ast.ClassDef)
        had = {name for node in self.old.nodes(*kinds) if (name := _printed_name(node))}
        for node in self.new.nodes(*kinds):
            name = _printed_name(node)
            if name and name not in had:
                yield self.change.regression(
                    name,
                    node,
                    f"objects of the class would be printed under another name, `{name}` "
                    f"(line {getattr(node, 'lineno', 1)})",
                )

    # Who looks at a function

    @cached_property
    def known_names(self) -> Known | None:
        """The names by which code could ask something of the functions that moved; None for any."""
        asked = [*self._seen_differently, *self._dressed()]
        return known_as(self.change.old, self.old, asked)

    def _wrapped(self) -> list[Function]:
        """Return the wrappers that get `functools.wraps`, which takes over what the wrapped function is."""
        before = functions_of(self.old)
        return [
            function
            for name, function in functions_of(self.new).items()
            if name in before
            and any("wraps" in text for text in _decorators(function))
            and not any("wraps" in text for text in _decorators(before[name]))
        ]

    def _dressed(self) -> list[Function]:
        """Return the functions of the file that were decorated with such a wrapper."""
        makers = {getattr(self.new.parent(each), "name", "") for each in self._wrapped()}
        return [
            function
            for function in functions_of(self.old).values()
            if any(last_part(each) in makers for each in function.decorator_list)
        ]

    @cached_property
    def _seen_differently(self) -> list[Callable_]:
        """What is a partial or has another name now; all that is gone where that is not known by names."""
        calls = (c.call for _, c in self.captures if c.binds_a_value)
        names = {last_part(call.args[0]) for call in calls if call.args}
        names |= {n.name for n in self.defined if self._is_renamed(n)}
        found = {
            name: [g for g in self.gone if getattr(g, "name", "").strip("_") == name.strip("_")]
            for name in names
        }
        known = names and "" not in names and all(found.values())
        return [g for same in found.values() for g in same] if known else self.gone

    @cached_property
    def _sources(self) -> Sources:
        before, after = functions_of(self.old), functions_of(self.new)
        fresh = {function.name for name, function in after.items() if name not in before}
        gone = {getattr(each, "name", "") for each in self.gone}
        classes = any(isinstance(each, ast.ClassDef) for each in (*self.gone, *self.defined))
        return Sources(self.change.new, self.new_names | fresh | gone, with_classes=classes)

    def _is_of_object(self, asked: ast.expr | None) -> bool:
        """Return whether the class of an object is asked, which a class that moved may be."""
        moves_class = any(isinstance(each, ast.ClassDef) for each in self.gone)
        return moves_class and asked is not None and whose_class(asked) is not None

    def may_be_about(self, module: Module, node: ast.AST) -> bool:
        """Return whether what a node asks may be asked of the functions that moved."""
        asked = observed(module, node)
        if not is_about(module, node, self.known_names) and not self._is_of_object(asked):
            return False
        if makes_function(module, node):
            return False
        if asked is not None and self._sources.are_others(module, asked):
            return False
        return self._were_decorated() or not is_of_decorated(self.change.old, module, node)

    def _were_decorated(self) -> bool:
        return any(getattr(each, "decorator_list", ()) for each in self.gone)

    def _is_for_workers(self, partial: ast.Call) -> bool:
        """Return whether a partial is an argument of a pool's own method: no code of the parent gets it."""
        call = self.new.parent(partial)
        func = call.func if isinstance(call, ast.Call) and partial in call.args else None
        if not isinstance(func, ast.Attribute) or func.attr not in methods_of_pools():
            return False
        return not any(
            getattr(function, "name", "") == func.attr
            for module in self.change.new.project.mentions(func.attr)
            for function in module.nodes(*FUNCTIONS)
        )

    def _is_bound_again(self, partial: ast.Call) -> bool:
        """Return whether another partial is made of a partial: it shows what both bind."""
        above = self.new.parent(partial)
        names = {dotted(each) for each in getattr(above, "targets", ())}
        return any(
            last_part(call.func) == "partial"
            and any(call.args[:1])
            and (call.args[0] is partial or dotted(call.args[0]) in names - {""})
            for call in self.new.calls
        )

    def _looked_at(self) -> Iterator[Regression]:
        partials = [
            c
            for _, c in self.captures
            if c.binds_a_value and not _makes_object(c.call) and not self._is_for_workers(c.call)
        ]
        renamed: list[Defined] = [n for n in self.defined if self._is_renamed(n)]
        renamed += self._were_lambdas()
        wrapped = self._wrapped()
        words = _changed_by(bool(partials), bool(renamed), bool(wrapped))
        if partials and not any(each.call.keywords for each in partials):
            words -= {
                "signature"
            }  # of a partial, it is without the parameters in front that it binds
        renamed += wrapped  # each goes by the name of what it wraps
        renamed += self.defined if not renamed else []
        if not partials and not renamed:
            yield from self._shared([])
            return
        # `hasattr(args, "func")` is also asked of command lines, whose parser has set it as a default
        of_commands = any(self.change.new.project.mentions("set_defaults"))
        is_asked = bool(partials) and not (of_commands and self.known_names is None)
        by_text = _OF_PARTIALS if is_asked else frozenset()
        defs = {each.name for each in self.gone if isinstance(each, FUNCTIONS)}
        answers = [kept_names.answered(self.new, each.call, defs) for each in partials]
        self._answered = frozenset.intersection(*answers) if answers else frozenset()
        wrap = bool(partials) and self._were_decorated()  # which may set `__wrapped__`
        wrap = wrap or any("__wrapped__" in each for each in answers)
        words |= _OF_WRAPPERS if wrap else frozenset()
        words |= (
            _OF_FLATTENED if any(self._is_bound_again(c.call) for c in partials) else frozenset()
        )
        for word in sorted(words | by_text):
            for module in self.change.new.project.mentions(word) if word in words else ():
                for node in module.nodes_by_name.get(word, ()):
                    if self._is_answered(word, module, node):
                        continue
                    if (
                        self.may_be_about(module, node)
                        and self._asks_of_a_function(module, node)
                        and self.may_meet(module)
                    ):
                        at = partials[0].call if partials else renamed[0]
                        name = self._qualname(self.new, at) or getattr(
                            renamed[0] if renamed else at, "name", "<module>"
                        )
                        what = "a partial" if partials else f"`{renamed[0].name}`"
                        yield self.change.regression(
                            name,
                            at,
                            f"`{word}` of a function is read "
                            f"({module.path.name}:{node.lineno}), but the function becomes "
                            f"{what} (line {at.lineno})",
                        )
                        return
            found = self._asked_by_name(word) or self._asked_by_format(word)
            if found is not None:
                at = partials[0].call if partials else renamed[0]
                yield self._replaced(at, f"`{word}` of a function is read ({found})")
                return
        computed = self._asked_by_computed_name()
        if computed is not None:
            at = partials[0].call if partials else renamed[0]
            asked = f"an attribute of a function is read by a computed name ({computed})"
            yield self._replaced(at, asked)
        yield from self._asked_for_type(partials)
        yield from self._taken_keywords(partials)
        yield from self._shared([c.call for c in partials])

    def _shared(self, partials: list[ast.Call]) -> Iterator[Regression]:
        """Yield what one function cannot be that stands for those which each call made."""
        made_anew = {last_part(call.func) for call in self._fresh_calls} & _EACH_ITS_OWN
        if partials or self.defined or not made_anew:
            functions = [each for each in self.gone if not isinstance(each, ast.ClassDef)]
            yield from shared_functions.check(self.change, functions, partials)

    @cached_property
    def _fresh_calls(self) -> list[ast.Call]:
        """The calls that the text before did not have."""
        had = [said(each) for each in self.old.calls]
        found: list[ast.Call] = []
        for call in self.new.calls:
            text = said(call)
            if text in had:
                had.remove(text)
            else:
                found.append(call)
        return found

    def _replaced(self, at: ast.Call | Defined, asked: str) -> Regression:
        return self.change.regression(
            self._qualname(self.new, at) or "<module>",
            at,
            f"{asked}, but another function replaces it (line {at.lineno})",
        )

    def _is_answered(self, word: str, module: Module, node: ast.AST) -> bool:
        """Return whether what replaces the functions answers a question as they did."""
        if word in _NAMES and kept_names.only_shown(module, node):
            return True
        if word == "__module__" and kept_names.only_compared(module, node, self._homes):
            return True
        if word not in self._answered:
            return False
        partials = [each.call for _, each in self.captures if each.binds_a_value]
        return kept_names.asked_by_parent(self.change.new, module, node) or any(
            kept_names.asked_of_wrapped(self.change.new, module, node, each) for each in partials
        )

    @cached_property
    def _homes(self) -> frozenset[str]:
        """The parts of the modules that functions, partials and what moved here are of."""
        path = self.new.path
        return frozenset({path.stem, *path.parts, "__main__", "builtins", "functools"})

    def may_meet(self, module: Module) -> bool:
        """Return whether some program may hand the functions that moved to code of a module."""
        if module is self.new:
            return True
        met = self._together is None or module in self._together
        return met and not is_of_sphinx(self.change.new.project, module)

    @cached_property
    def _together(self) -> frozenset[Module] | None:
        project = self.change.new.project
        found = together(project, self.new)
        return None if found is None else found | beside_tests(project)

    def _asked_for_type(self, partials: list[_Capture]) -> Iterator[Regression]:
        """Yield where code asks whether a function is a partial, or what its type is called."""
        for module in self.change.new.project.mentions("isinstance") if partials else ():
            for call in module.calls_by_name.get("isinstance", ()):
                if len(call.args) != 2 or not self.may_be_about(module, call.func):
                    continue
                if any(last_part(each) == "partial" for each in ast.walk(call.args[1])):
                    yield self.change.regression(
                        self._qualname(self.new, partials[0].call) or "<module>",
                        partials[0].call,
                        "`isinstance` checks for a partial "
                        f"({module.path.name}:{call.lineno}), but the function becomes a "
                        f"partial (line {partials[0].call.lineno})",
                    )
                    return

    def _asked_by_name(self, word: str) -> str | None:
        """Say where `getattr` asks for something of a function by its name."""
        for module in self.change.new.project.mentions(word):
            calls = module.calls_by_name
            for call in (*calls.get("getattr", ()), *calls.get("hasattr", ())):
                asked = call.args[1] if len(call.args) > 1 else None
                if not isinstance(asked, ast.Constant) or asked.value != word:
                    continue
                if self._is_answered(word, module, call):
                    continue
                if not is_about(module, call.func, self.known_names):
                    continue
                if self._sources.are_others(module, call.args[0]):
                    continue
                of_type = isinstance(call.args[0], ast.Call)
                if not of_type and last_part(call.args[0]) != "__class__" and self.may_meet(module):
                    return f"line {call.lineno} of {module.path.name}"
        return None

    def _asked_by_format(self, word: str) -> str | None:
        """Say where a text that is formatted asks for something of what it shows: `"{0.__name__}".format(f)`."""
        for module in self.change.new.project.mentions(word):
            for call in module.calls_by_name.get("format", ()):
                text = getattr(getattr(call.func, "value", None), "value", None)
                if f".{word}" in str(text) and self._is_known(module, call):
                    return f"line {call.lineno} of {module.path.name}"
        return None

    def _asked_by_computed_name(self) -> str | None:
        """Say where `getattr` asks a function for something whose name is computed: `getattr(f, f"__{what}__")`."""
        for module in self.change.new.project.mentions("getattr"):
            for call in module.calls_by_name.get("getattr", ()):
                if len(call.args) < 2 or isinstance(call.args[1], ast.Constant):
                    continue
                known = self.known_names
                if known is None or not known.has(module, call.args[0]):
                    continue
                if self.may_meet(module) and not self._sources.are_others(module, call.args[0]):
                    return f"line {call.lineno} of {module.path.name}"
        return None

    def _is_known(self, module: Module, call: ast.Call) -> bool:
        """Return whether a call gets something by a name under which the functions that moved go."""
        known = self.known_names
        return known is not None and is_about(module, call.func, known) and self.may_meet(module)

    def _were_lambdas(self) -> Iterator[Function]:
        """Yield the functions of the module that were lambdas under the same name."""
        named = {
            target.id
            for node in self.old.tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for name, function in functions_of(self.new).items():
            if name in named and name not in functions_of(self.old):
                yield function

    def _is_renamed(self, node: Defined) -> bool:
        return (
            isinstance(node, FUNCTIONS)
            and not any(getattr(g, "name", None) == node.name for g in self.gone)
            and any(not isinstance(g, ast.ClassDef) for g in self.gone)
        )

    def _asks_of_a_function(self, module: Module, node: ast.Name | ast.Attribute) -> bool:
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        if isinstance(node, ast.Name):
            if name in _NAMES | {"__annotations__"} or name.startswith("__"):
                return False
            if _is_data(module, node):
                return False
            return isinstance(module.parent(node), (ast.Call, ast.Tuple, ast.MatchClass))
        owner = node.value
        if last_part(owner) in ("cls", "f_code"):
            return False
        if name not in _NAMES:
            found = self.change.new.resolve(module, owner)
            other = found is not None and found[1] not in self.defined
            return isinstance(node.ctx, ast.Load) and not other
        if name == "__qualname__" and dotted(getattr(owner, "func", None)) == "type":
            return True
        if (
            not isinstance(node.ctx, ast.Load)
            or isinstance(owner, ast.Call)
            or last_part(owner) == "__class__"
        ):
            return False
        if last_part(owner)[:1].isupper() or self._is_class(module, owner):
            return False
        found = self.change.new.resolve(module, owner)
        if found is not None:
            return False  # a function or class of that very name
        around = self.change.new.enclosing(module, node)
        return around is not None or isinstance(owner, (ast.Subscript, ast.Attribute, ast.Name))

    def _is_class(self, module: Module, asked: ast.expr) -> bool:
        """Return whether an expression is a class: by its name, by what it is bound to, or as `issubclass` is asked about it."""
        if last_part(asked).endswith(("cls", "klass", "exc_type", "_class")):
            return True
        function, text = self.change.new.enclosing(module, asked), dotted(asked)
        for node in executed(function.body) if function is not None and text else ():
            match node:
                case ast.Call(func=ast.Name(id="issubclass"), args=args):
                    if text in map(dotted, args):
                        return True
                case ast.Assign(targets=[target], value=value) if dotted(target) == text:
                    return whose_class(value) is not None
        return False

    def _taken_keywords(self, partials: list[_Capture]) -> Iterator[Regression]:
        """Yield bound keywords that a call also passes, for a function that takes any."""
        open_ended = {
            n.name: n for n in self.defined if isinstance(n, FUNCTIONS) and n.args.kwarg is not None
        }
        for capture in partials:
            target = dotted(capture.call.args[0]) if capture.call.args else ""
            if target not in open_ended or not capture.parameter:
                continue
            for module in self.change.new.project.mentions(capture.parameter):
                for call in module.calls:
                    if call is capture.call or last_part(call.func) in {"partial", target}:
                        continue
                    if any(k.arg == capture.parameter for k in call.keywords) and (
                        self.change.new.resolve(module, call.func) is None
                    ):
                        yield self.change.regression(
                            target,
                            capture.call,
                            f"`{capture.parameter}` is passed ({module.path.name}:{call.lineno}) and also bound "
                            f"by the partial (line {capture.call.lineno})",
                        )
                        return

    def _parts_left(self) -> Iterator[Regression]:
        """Yield what is still done to a moved function in the function that held it."""
        for name in self.new_names:
            for node in self.new.nodes_by_name.get(name, ()):
                around = self._around(self.new, node)
                parent = self.new.parent(node)
                if around is None or not isinstance(parent, ast.Attribute):
                    continue
                is_decorator = not any(node is n for n in within(around.body))
                if is_decorator and self._around(self.new, around) is None:
                    continue  # it decorates a function of the module
                if parent.attr == "register" or isinstance(parent.ctx, ast.Store):
                    yield self.change.regression(
                        name,
                        node,
                        f"`{name}` is modified in each call (line {node.lineno}), but all "
                        "calls now share one object",
                    )
                    break


_BINDING = (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.Import, ast.ImportFrom)


def _is_data(module: Module, node: ast.Name) -> bool:
    """Return whether a name is a variable of a function that only has the name of what asks: `dump(signature)`."""
    scope = module.scope_of(node).lookup(node.id)
    if scope is None or not scope.is_function:
        return False
    above = module.parent(node)
    is_called = isinstance(above, ast.Call) and above.func is node
    return all(_binds_data(each, is_called=is_called) for each in scope.bindings.get(node.id, ()))


def _binds_data(binding: Binding, *, is_called: bool) -> bool:
    """Return whether a variable gets something else than the function of a library: what is not called may be any item."""
    if binding.kind not in ("assign", "annotated"):
        return binding.kind == "parameter" or (binding.kind == "for" and not is_called)
    if isinstance(binding.value, ast.Call):
        return True
    return not is_called and isinstance(binding.value, (ast.Subscript, ast.Constant, *_DISPLAYS))


def _changed_by(becomes_partial: bool, is_renamed: bool, is_wrapped: bool) -> frozenset[str]:
    """Return the words that ask a function for what a change of it changes."""
    if becomes_partial:
        return _NAMES | _OF_FUNCTIONS | {"__doc__", "__module__"}
    if is_wrapped:
        return _NAMES | _OF_WRAPPERS | (_OF_FUNCTIONS - _TYPES)
    renamed = _NAMES | {"co_name"} if is_renamed else frozenset({"__qualname__"})
    return _OF_CODE | renamed | {"co_qualname"}  # `main.<locals>.f` moves


def _set_in(node: ast.AST) -> set[str]:
    """Return the attributes that some code sets."""
    found = (each for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return {each.attr for each in found if not isinstance(each.ctx, ast.Load)}


def _read_of_self(cls: ast.ClassDef) -> set[str]:
    """Return the attributes that methods of a class read of their object."""
    return {
        each.attr
        for method in cls.body
        if isinstance(method, FUNCTIONS)
        for each in ast.walk(method)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and isinstance(each.value, ast.Name)
        and each.value.id == self_name(method)
    }


def _decorators(node: Defined) -> list[str]:
    """Return what decorates a function or class; a name that was made private is the same."""
    found = [said(decorator) for decorator in node.decorator_list]
    return [text.replace("id='_", "id='") for text in found]


def _printed_name(node: ast.AST) -> str:
    """Return the name of the class that its objects show when they are printed; empty where they do not."""
    match node:
        case ast.Call(func=func, args=[ast.Constant(value=str() as name), *_]):
            return name if last_part(func) in ("namedtuple", "NamedTuple") else ""
        case ast.ClassDef(name=name):
            own = {function.name for function in node.body if isinstance(function, FUNCTIONS)}
            called = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
            bases = (b.func if isinstance(b, ast.Call) else b for b in node.bases)
            shows = {last_part(each) for each in (*called, *bases)} & _SHOWS_ITS_NAME
            return name if shows and "__repr__" not in own else ""
    return ""


def _is_load(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _binds(node: ast.AST, name: str) -> bool:
    """Return whether one node itself binds a name."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return name in stored_names(node)
    return getattr(node, "name", None) == name


def _free(node: Callable_) -> dict[str, int]:
    """Return the names that a function or class reads and does not bind."""
    if not isinstance(node, ast.ClassDef):
        return free_names(node)
    own = stored_names(node.body)
    found: dict[str, int] = {}
    outside = [*node.bases, *(k.value for k in node.keywords), *node.decorator_list]
    for part in [*outside, *node.body]:
        for inner in executed(part):
            if isinstance(inner, (*FUNCTIONS, ast.Lambda)):
                for name, line in free_names(inner).items():
                    found.setdefault(name, line)
            elif (
                isinstance(inner, ast.Name)
                and isinstance(inner.ctx, ast.Load)
                and inner.id not in own
            ):
                found.setdefault(inner.id, inner.lineno)
    return found
