"""The abstract interpreter: what an expression may stand for, worked out on demand.

`evaluate(expression, frame)` is memoised by both; a cycle is cut at the second visit; every step is
counted, and when the budget is spent what is left is unknown (and that is told).
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from dlfix.catalog import Catalog
from dlfix.project.bindings import EACH, Attribute, Binding, Key
from dlfix.project.flow import reaching
from dlfix.project.module import Module, Scope
from dlfix.project.order import begins_before
from dlfix.project.project import Project
from dlfix.project.trees import COMPREHENSIONS
from dlfix.reach.access_paths import constant_key
from dlfix.reach.call_contexts import Contexts
from dlfix.reach.callers import Callers
from dlfix.reach.calls import Calls
from dlfix.reach.conditions import is_dead, outcome
from dlfix.reach.container_subclasses import Filled
from dlfix.reach.containers import ANY_PART, Containers, item_of
from dlfix.reach.copied_entries import of_rounds, rounds
from dlfix.reach.correlated import excluded, replaced_unless
from dlfix.reach.described import NAMESPACES, as_dicts, own_line
from dlfix.reach.dynamic import Members
from dlfix.reach.enums import is_enum, members
from dlfix.reach.escape import Escape
from dlfix.reach.evaluator import K, V
from dlfix.reach.handed_on import handed_to
from dlfix.reach.instances import Instances
from dlfix.reach.items_taken import ItemsTaken
from dlfix.reach.kept_by_call import KeptByCall
from dlfix.reach.module_state import ModuleState
from dlfix.reach.must import MustEvaluator
from dlfix.reach.named_elsewhere import NamedElsewhere
from dlfix.reach.narrowing import is_asked, is_never_taken, narrowed, passed_over
from dlfix.reach.open_world import Audience
from dlfix.reach.operators import Operators, joined
from dlfix.reach.predicates import truth
from dlfix.reach.process_roles import RoleReader
from dlfix.reach.programs import Programs
from dlfix.reach.set_on_results import SetOnResults
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Frame,
    Function,
    Generator,
    Instance,
    Kind,
    Member,
    ModuleValue,
    Partial,
    Passed,
    Reached,
    Unknown,
    Value,
)
from dlfix.source.text import Place

BUDGET = 1_000_000  # evaluations in one analysis
ALLOWANCE = 50_000  # evaluations for one boundary, so that none starves the others
_DEEPEST = 60  # nested evaluations; beyond lies no path a person would read
_MOST_VALUES = 96  # of one expression
DECORATED = "returned by its decorators"  # the note of a place where a def was decorated
_NO_HEAD = _DEEPEST + 2  # deeper than any evaluation
_REPLACING = frozenset({"assign", "annotated", "def", "class", "import"})
_UNKNOWN = Unknown()
_BUILTINS = frozenset(dir(builtins))


_Key: TypeAlias = tuple[ast.AST, Frame]


class Interpreter:
    """Evaluates expressions of one project."""

    def __init__(self, project: Project, catalog: Catalog) -> None:
        self.project = project
        self.catalog = catalog
        self.spent = 0
        self.work: Counter[Kind] = Counter()  # evaluations in each function's own code
        self.operators = Operators(self)
        self.calls = Calls(self)
        self.displays = Containers(self)
        self.audience = Audience()
        self.callers = Callers(self)
        self.instances = Instances(self)
        self.modules = ModuleState(self)
        self.roles = RoleReader(self)
        self.items_taken = ItemsTaken(self)
        self.escape = Escape(self)
        self.kept_by_call = KeptByCall(self)
        self.must = MustEvaluator(self)
        self.set_on_results = SetOnResults(self)
        self.contexts = Contexts(self)
        self.members = Members(self)
        self.named_elsewhere = NamedElsewhere(self)
        self.filled = Filled(self)
        self.programs = Programs(self)
        self._memo: dict[_Key, tuple[Reached, ...]] = {}
        self._open: dict[_Key, int] = {}  # what is being evaluated, and how deep that is
        # Answers that lack what an outer evaluation will add, with its depth; and which end with one.
        self._provisional: dict[_Key, tuple[tuple[Reached, ...], int]] = {}
        self._parts: dict[int, list[_Key]] = {}
        self._head = _NO_HEAD  # the outermost evaluation that the current one goes back to
        self._frames: dict[tuple[Scope, ast.AST | None, Frame | None, int], Frame] = {}
        self._asked: set[tuple[Module, str]] = set()
        self._depth = 0
        self._importing: set[object] = set()
        self._starred_by: dict[Module, tuple[str, ...]] = {}
        self._outside: dict[Module, tuple[str, ...]] = {}
        self._stars: dict[tuple[Module, str], tuple[Reached, ...]] = {}
        self._cycles = 0  # how often imports led back to a module that is being asked
        self._limit = BUDGET
        self._until_fed: list[tuple[dict[Any, Any], Any]] = []  # memos, and keys of what starved
        self._cut_short = False
        self.following: Place | None = None  # the boundary that is followed now
        self.cut_at: dict[Place, None] = {}  # the boundaries that were not followed to their end

    @property
    def cut_short(self) -> bool:
        """Whether something was not followed to its end."""
        return self._cut_short

    def cut(self, *, when: bool = True) -> None:
        """Note that what is followed now is not followed to its end."""
        self._cut_short = self._cut_short or when
        if when and self.following is not None:
            self.cut_at[self.following] = None

    @property
    def exhausted(self) -> bool:
        """Whether the budget was spent before everything was followed."""
        return self.spent >= BUDGET or self.cut_short

    @property
    def starved(self) -> bool:
        """Whether what is worked out now is cut by the budget, and so not to be remembered."""
        return self.spent >= self._limit

    @property
    def is_settled(self) -> bool:
        """Whether what is worked out now is the last word: no evaluation is under way, and none is cut by the budget."""
        return not self._open and not self.starved

    @contextmanager
    def allowance(self, place: Place | None = None) -> Iterator[None]:
        """Bound what is worked out within, for a boundary: beyond it all is unknown, and nothing is remembered."""
        outer, self._limit = self._limit, min(BUDGET, self.spent + ALLOWANCE)
        around, self.following = self.following, place or self.following
        try:
            yield
        finally:
            self.cut(when=self.spent >= self._limit)
            self._limit, self.following = outer, around
            while self._until_fed:
                memo, key = self._until_fed.pop()
                memo.pop(key, None)

    def kept_if_fed(self, memo: dict[Any, Any], key: Any) -> None:
        """Let a memo forget an answer that starved when the allowance ends: until then none is better."""
        if self.starved:
            self._until_fed.append((memo, key))

    def whole(self, memo: dict[K, V], key: K, work_out: Callable[[], V]) -> V:
        """Return what a memo holds; an answer is put there unless it lacks what an evaluation under way will add."""
        if key in memo:
            return memo[key]
        outer, self._head = self._head, _NO_HEAD
        try:
            found = work_out()
            if self._head == _NO_HEAD and not self.starved:
                memo[key] = found
        finally:
            self._head = min(outer, self._head)
        return found

    # Frames

    def frame(self, scope: Scope) -> Frame:
        """Return the frame of a scope whose callers are not known."""
        key = (scope, None, None, 0)
        if key not in self._frames:
            enclosing = self.frame(scope.parent) if scope.parent is not None else None
            owner = self._owner(scope, enclosing)
            self._frames[key] = Frame(scope, enclosing, None, owner)
        return self._frames[key]

    def frame_at(self, module: Module, node: ast.AST) -> Frame:
        """Return the frame a node is evaluated in, callers unknown."""
        return self.frame(module.scope_of(node))

    def _owner(self, scope: Scope, enclosing: Frame | None) -> Value | None:
        if enclosing is None or not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return enclosing.owner if enclosing is not None and not scope.is_class else None
        if not enclosing.scope.is_class:
            return enclosing.owner
        cls = self.class_value(enclosing.scope.node, enclosing.enclosing)
        return self.instances.anyone(cls)

    def class_value(self, node: ast.AST, frame: Frame | None) -> Class:
        """Return the one value that stands for a class statement in a frame."""
        assert isinstance(node, ast.ClassDef)
        assert frame is not None
        return self.calls.made(node, frame, lambda: Class(node, frame))

    def inner(self, node: ast.AST, frame: Frame) -> Frame:
        """Return the frame of a comprehension or class body that runs where it stands."""
        scope = frame.module.inner_scope(node)
        key = (scope, node, frame, 0)
        if key not in self._frames:
            self._frames[key] = Frame(scope, frame, {}, frame.owner, None, frame)
        return self._frames[key]

    # Expressions

    def values(self, argument: Argument | None) -> list[Value]:
        """Return what an argument may be."""
        return [reached.value for reached in self.reached(argument)]

    def values_at(self, node: ast.expr, frame: Frame) -> list[Value]:
        """Return what an expression may stand for in a frame, without the places passed."""
        return [reached.value for reached in self.evaluate(node, frame)]

    def reached(self, argument: Argument | None) -> tuple[Reached, ...]:
        """Return what an argument may be, with the places passed."""
        if argument is None:
            return ()
        if not isinstance(argument, Bound):
            return (Reached(argument),)
        found = self.evaluate(argument.node, argument.frame)
        if argument.rounds and found:
            found = tuple(of_rounds(found, argument.rounds)) or (Reached(_UNKNOWN),)
        if argument.more:
            found = tuple(self.displays.with_more(found, argument.more))
        if not argument.passed:
            return found
        return tuple(Reached(one.value, (*one.steps, *argument.passed)) for one in found)

    def evaluate(self, node: ast.expr, frame: Frame) -> tuple[Reached, ...]:
        """Return what an expression may stand for in a frame; never empty but for a cycle."""
        key = (node, frame)
        if key in self._memo:
            return self._memo[key]
        if key in self._provisional:
            found, head = self._provisional[key]
            self._head = min(self._head, head)
            return found
        if key in self._open:  # a cycle: it adds nothing to what it is a part of
            self._head = min(self._head, self._open[key])
            return ()
        if self._depth > _DEEPEST or self.spent >= self._limit:
            self.cut()
            self._head = 0
            return (Reached(_UNKNOWN),)
        self.spent += 1
        self.work[frame.kind] += 1
        outer, self._head = self._head, _NO_HEAD
        here = self._open[key] = self._depth
        self._depth += 1
        try:
            found = self._bounded(_distinct(self._expression(node, frame)))
            if any(isinstance(one.value, Container) for one in found):
                found = tuple(self.displays.held(found, node, frame))
        except RecursionError:
            self.cut()
            self._head = 0
            found = (Reached(_UNKNOWN),)
        finally:
            self._depth -= 1
            del self._open[key]
            for part in self._parts.pop(here, ()):
                self._provisional.pop(part, None)
        if self.spent < self._limit:
            self._remember(key, found, here)
        self._head = min(outer, self._head)
        return found

    def _remember(self, key: _Key, found: tuple[Reached, ...], here: int) -> None:
        """Keep an answer; one that lacks what an outer evaluation will add is kept until that one ends."""
        if self._head >= here:
            self._head = _NO_HEAD
            self._memo[key] = found
        else:
            self._provisional[key] = found, self._head
            self._parts.setdefault(self._head, []).append(key)

    def _bounded(self, found: Iterable[Reached]) -> tuple[Reached, ...]:
        """Return as many values as are followed; it is told where some are left out."""
        every = tuple(found)
        left_out = every[_MOST_VALUES:]
        if any(not isinstance(one.value, (Constant, Unknown)) for one in left_out):
            self.cut()
        return every[:_MOST_VALUES]

    def _expression(self, node: ast.expr, frame: Frame) -> Iterable[Reached]:
        handler = _HANDLERS.get(type(node))
        return iter((Reached(_UNKNOWN),)) if handler is None else handler(self, node, frame)

    def _on_constant(self, node: ast.Constant, frame: Frame) -> Iterator[Reached]:
        yield Reached(Constant(node.value))

    def _on_unary_op(self, node: ast.UnaryOp, frame: Frame) -> Iterable[Reached]:
        return self.operators.unary(node, frame)

    def _on_lambda(self, node: ast.Lambda, frame: Frame) -> Iterator[Reached]:
        yield Reached(self.calls.made(node, frame, lambda: Function(node, frame)))

    def _on_named_expr(self, node: ast.NamedExpr, frame: Frame) -> Iterable[Reached]:
        return self.evaluate(node.value, frame)

    def _on_starred(self, node: ast.Starred, frame: Frame) -> Iterable[Reached]:
        return self.evaluate(node.value, frame)

    def _on_if_exp(self, node: ast.IfExp, frame: Frame) -> Iterator[Reached]:
        held = outcome(node.test, frame, self)
        for part, wanted in ((node.body, True), (node.orelse, False)):
            if held is not (not wanted):
                passed = Passed(frame.module, part, "")
                for reached in self.evaluate(part, frame):
                    yield Reached(reached.value, (*reached.steps, passed))

    def _on_bool_op(self, node: ast.BoolOp, frame: Frame) -> Iterator[Reached]:
        """Yield the parts of `a or b` that may be its outcome, up to one that surely is."""
        last = node.values[-1]
        outcome = isinstance(node.op, ast.Or)
        for part in node.values:
            found = self.evaluate(part, frame)
            for reached in found:
                if part is last or truth(reached.value, self) is not (not outcome):
                    yield reached
            if found and all(truth(reached.value, self) is outcome for reached in found):
                return

    def _on_bin_op(self, node: ast.BinOp, frame: Frame) -> Iterable[Reached]:
        return self.operators.binary(node, frame)

    def _on_joined_str(self, node: ast.JoinedStr, frame: Frame) -> Iterable[Reached]:
        plain = [each.value if _is_plain(each) else each for each in node.values]  # type: ignore[attr-defined]
        return joined(plain, frame, self) or [Reached(_UNKNOWN)]

    def _on_list(self, node: ast.List, frame: Frame) -> Iterator[Reached]:
        yield Reached(self.displays.sequence("list", node.elts, node, frame))

    def _on_tuple(self, node: ast.Tuple, frame: Frame) -> Iterator[Reached]:
        yield Reached(self.displays.sequence("tuple", node.elts, node, frame))

    def _on_set(self, node: ast.Set, frame: Frame) -> Iterator[Reached]:
        yield Reached(self.displays.sequence("set", node.elts, node, frame))

    def _on_dict(self, node: ast.Dict, frame: Frame) -> Iterator[Reached]:
        yield Reached(self.displays.mapping(node, frame))

    def _comprehension(self, node: ast.expr, frame: Frame, kind: str, item: ast.expr) -> Reached:
        items = [(None, Bound(item, self.inner(node, frame)))]
        return Reached(self.displays.new(kind, items, node, frame))

    def _on_list_comp(self, node: ast.ListComp, frame: Frame) -> Iterator[Reached]:
        yield self._comprehension(node, frame, "list", node.elt)

    def _on_set_comp(self, node: ast.SetComp, frame: Frame) -> Iterator[Reached]:
        yield self._comprehension(node, frame, "set", node.elt)

    def _on_dict_comp(self, node: ast.DictComp, frame: Frame) -> Iterator[Reached]:
        copied = self.displays.filtered(node, frame)
        if not copied:
            yield Reached(self.displays.comprehension(node, frame))
        for container, steps in copied:
            yield Reached(container, steps)

    def _on_generator_exp(self, node: ast.GeneratorExp, frame: Frame) -> Iterator[Reached]:
        yield Reached(self.calls.made(node, frame, lambda: Generator(node, frame)))

    def _on_call(self, node: ast.Call, frame: Frame) -> Iterable[Reached]:
        return self.calls.evaluate(node, frame)

    def _on_subscript(self, node: ast.Subscript, frame: Frame) -> Iterator[Reached]:
        for reached in self.evaluate(node.value, frame):
            namespace = self._namespace(reached.value)
            if namespace is not None:
                yield from along(reached, self.members.named_by(namespace, node.slice, node, frame))
                continue
            for key, of in self.keys(node.slice, reached.value, frame):
                for found in self.item(reached.value, key, node, frame):
                    yield Reached(found.value, (*found.steps, *of, *reached.steps))

    def _namespace(self, value: Value) -> Value | None:
        """Return the module whose names a mapping gives: `globals()`, `module.__dict__`."""
        if isinstance(value, ModuleValue):
            return value
        if isinstance(value, External) and value.name.endswith(".__dict__"):
            return External(value.name.removesuffix(".__dict__"))
        if isinstance(value, ExternalCall) and value.name == "globals":
            return ModuleValue(value.frame.module.name, value.frame.module)
        return None

    def keys(
        self, node: ast.expr, value: Value, frame: Frame
    ) -> list[tuple[object, tuple[Passed, ...]]]:
        """Return what a subscript's key may be, in which rounds of loops; None: it is not known."""
        known = constant_key(node)
        if known is None and isinstance(node, ast.Slice):
            return [(ANY_PART, ())]
        by_name = isinstance(value, Container) or (
            self.filled.of_call(value) is not None
            if isinstance(value, ExternalCall)
            else isinstance(value, Instance) and self.filled.kind(value.cls) is not None
        )
        if known is None and by_name:
            keys = self.evaluate(node, frame)
            found = [(k.value.value, rounds(k)) for k in keys if isinstance(k.value, Constant)]
            if found and len(found) == len(keys):
                return found
        return [(known, ())]

    def item(self, value: Value, key: object, node: ast.expr, frame: Frame) -> Iterator[Reached]:
        """Yield what `value[key]` may be; a key of None is one that is not known."""
        if isinstance(value, Container):
            yield from self._contained(value, key, node, frame)
        elif isinstance(value, (ExternalCall, Derived)):
            held = self.filled.of_call(value)
            if held is not None and item_of(held, key):
                yield from self._contained(held, key, node, frame)
            else:
                yield Reached(self._item_of_result(value, key, node, frame))
        elif isinstance(value, Instance):
            method = self.instances.method(value.cls, "__getitem__")
            held = self.filled.container(value) if method is None else None
            if method is not None:
                yield from self.calls.run(method, None, node, frame, owner=value)
            elif held is not None and any(key is None or at == key for at, _ in held.items):
                yield from self._contained(held, key, node, frame)
            else:
                yield Reached(_UNKNOWN)
        elif isinstance(value, Class) and isinstance(key, str) and is_enum(value, self):
            yield Reached(Constant(Member(value, key)))
        elif isinstance(value, (Class, External)):
            yield Reached(value)  # a generic: `Dataset[T]`
        else:
            yield Reached(_UNKNOWN)

    def _item_of_result(
        self, value: ExternalCall | Derived, key: object, node: ast.expr, frame: Frame
    ) -> Derived:
        of_list = isinstance(value, ExternalCall) and self.calls.gives_list(value)
        at = key if of_list and isinstance(key, int) else None
        return self.calls.made(
            node, frame, lambda: Derived(value, "__getitem__", node, frame, key=at), value, at
        )

    def _contained(
        self, value: Container, key: object, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        if isinstance(key, slice):
            yield Reached(self.displays.part(value, key, node, frame))
            return
        found = item_of(value, key)
        for item in found:
            yield from self.reached(item)
        if not found:
            yield Reached(_UNKNOWN)

    # Names

    def _on_name(self, node: ast.Name, frame: Frame) -> Iterable[Reached]:
        return narrowed(node, list(self.name(node.id, frame, node)), frame, self)

    def name(self, name: str, frame: Frame, use: ast.AST | None) -> Iterator[Reached]:
        """Yield what a name may stand for, read at `use` (None: once the scope has run)."""
        binder = frame.scope.lookup(name)
        if binder is None:
            yield from self._unbound(name, frame)
            return
        at: Frame | None = frame
        direct = True  # whether the code of the binding scope is what runs here
        while at is not None and at.scope is not binder:
            direct = direct and (at.scope.is_class or isinstance(at.scope.node, COMPREHENSIONS))
            at = at.enclosing
        if at is None:
            at = self.frame(binder)
        yield from self._bound_name(name, at, use if direct else None)

    def _bound_name(self, name: str, frame: Frame, use: ast.AST | None) -> Iterator[Reached]:
        scope = frame.scope
        found = reaching(scope, name, use)
        if use is not None and len(found) > 1:
            found = tuple(b for b in found if not excluded(b.statement, use, frame.module))
        later: list[Binding] = []
        replacing = {each.statement for each in found if each.kind in _REPLACING}
        for index, binding in enumerate(found):
            if len(found) == 1:
                yield from self.binding(binding, frame)
                continue
            asks = is_asked(binding, frame.module)
            if asks and frame.arguments is not None:  # else others may call it
                before = (one for each in found[index + 1 :] for one in self.binding(each, frame))
                if is_never_taken(binding, list(before), frame, self):
                    continue
            if not is_dead(binding.statement, frame, self):
                given = list(self.binding(binding, frame))
                given = passed_over(binding, later, given, frame, self)
                told = replaced_unless(binding.statement, replacing, use, frame.module)
                if told:
                    left = Passed(frame.module, binding.node, "", told=told)
                    given = [Reached(each.value, (*each.steps, left)) for each in given]
                yield from given
            if asks:
                later.append(binding)
        if scope.is_module:
            for binding in scope.module_globals.get(name, ()):
                inside = self.frame_at(scope.module, binding.node)
                if not is_dead(binding.statement, inside, self):
                    yield from self.binding(binding, inside)
        elif scope.is_function:
            yield from self._rebound_by_nonlocal(name, frame, use)

    def _rebound_by_nonlocal(
        self, name: str, frame: Frame, use: ast.AST | None
    ) -> Iterator[Reached]:
        for scope in frame.scope.walk():
            if name in scope.nonlocals and scope.outer(name) is frame.scope:
                if use is not None and not _read_before(frame.scope, scope.name, use):
                    continue
                for binding in scope.bindings.get(name, ()):
                    yield from self.binding(binding, self.frame(scope))

    def _unbound(self, name: str, frame: Frame) -> Iterator[Reached]:
        starred = () if name in _BUILTINS else self._star_imported(name, frame.module)
        if starred:
            yield from starred
        elif name == "__class__" and isinstance(frame.owner, Instance):
            yield Reached(frame.owner.cls)
        else:
            yield Reached(External(self._from_outside(name, frame.module)))

    def _from_outside(self, name: str, module: Module) -> str:
        """Return the dotted name of what a star import of a library brings, if it is known."""
        for dotted in self._starred_outside(module):
            if self.catalog.knows(f"{dotted}.{name}"):
                return f"{dotted}.{name}"
        return name

    def _starred_outside(self, module: Module) -> tuple[str, ...]:
        """Return those modules of libraries that a module imports all names of."""
        if module not in self._outside:
            self._outside[module] = tuple(
                dotted
                for dotted in self._starred(module)
                if not self.project.contains(dotted, module)
            )
        return self._outside[module]

    def _starred(self, module: Module) -> tuple[str, ...]:
        """Return the modules that a module imports all names of, the last first."""
        if module not in self._starred_by:
            self._starred_by[module] = tuple(
                self._imported_from(binding.statement, module)
                for binding in reversed(module.scope.bindings.get("*", []))
                if isinstance(binding.statement, ast.ImportFrom)
            )
        return self._starred_by[module]

    def _giving(self, name: str, module: Module) -> Iterator[str]:
        """Yield the modules whose star imports may bring a name to a module."""
        return self.project.bringing(module, self._starred(module), name)

    def _star_imported(self, name: str, module: Module) -> tuple[Reached, ...]:
        """Return what a star import brings under a name; kept, unless a cycle or a limit cut it."""
        key = (module, name)
        if key not in self._stars:
            before = self._cycles
            found = self._first_star(name, module)
            if self._cycles > before or self.spent >= self._limit:
                return found
            self._stars[key] = found
        return self._stars[key]

    def _first_star(self, name: str, module: Module) -> tuple[Reached, ...]:
        for dotted in self._giving(name, module):
            source = self.project.find(dotted, module)
            if source is None or not source.exports(name):
                continue
            key = (source, name)
            if key in self._importing:
                self._cycles += 1
                continue
            self._importing.add(key)
            try:
                found = [r for r in self.global_name(source, name) if r.value != External(name)]
            finally:
                self._importing.discard(key)
            if found:
                return tuple(found)
        return ()

    def global_name(self, module: Module, name: str) -> Iterator[Reached]:
        """Yield what a module's global stands for once the module is imported."""
        if (module, name) in self._asked:  # modules that import from one another
            self._cycles += 1
            return
        self._asked.add((module, name))
        try:
            found = list(self.name(name, self.frame(module.scope), None))
            found += self.modules.set_elsewhere(module, name)
        finally:
            self._asked.discard((module, name))
        yield from found

    def binding(self, binding: Binding, frame: Frame) -> Iterator[Reached]:
        """Yield what one binding gives its name."""
        if binding.kind == "parameter":
            yield from self._parameter(binding, frame)
        elif binding.kind == "def":
            yield from self._definition(binding.node, frame)
        elif binding.kind == "class":
            yield Reached(self.class_value(binding.node, frame))
        elif binding.kind == "import":
            yield from self._import(binding, frame)
        elif binding.value is None:
            yield Reached(_UNKNOWN)
        else:
            where = self._value_frame(binding, frame)
            passed = Passed(frame.module, binding.node, f"bound to `{binding.name}`")
            for reached in self.evaluate(binding.value, where):
                if binding.kind == "augmented":
                    yield from along(reached, self._added(binding, reached.value, where))
                    continue
                start = [reached]
                if binding.kind == "with":
                    start = list(
                        along(reached, self.calls.entered(reached.value, binding.value, where))
                    )
                for step in self.follow(start, binding.path, binding.value, where):
                    yield Reached(step.value, (*step.steps, passed))

    def _added(self, binding: Binding, value: Value, frame: Frame) -> list[Reached]:
        """Return what `x += ...` leaves in a name, besides what was there."""
        target, statement = binding.node, binding.statement
        if isinstance(statement, ast.AugAssign) and isinstance(target, ast.Name):
            own = self.operators.in_place(target, statement, frame)
            if own:
                return own
        if not isinstance(value, Container) or binding.value is None:
            return [Reached(_UNKNOWN)]
        return [Reached(self.displays.loosened(value, binding.value, frame))]

    def _value_frame(self, binding: Binding, frame: Frame) -> Frame:
        """Return the frame of the bound expression: a comprehension's first iterable is outside."""
        if isinstance(binding.statement, COMPREHENSIONS) and frame.enclosing is not None:
            first = binding.statement.generators[0]
            return frame.enclosing if binding.value is first.iter else frame
        return frame

    def follow(
        self, start: Iterable[Reached], path: tuple[object, ...], node: ast.expr, frame: Frame
    ) -> Iterable[Reached]:
        """Follow an unpacking path from values to what a target takes of them."""
        found = list(start)
        for step in path:
            found = [r for reached in found for r in self._unpack(reached, step, node, frame)]
        return found

    def _unpack(
        self, reached: Reached, step: object, node: ast.expr, frame: Frame
    ) -> Iterable[Reached]:
        value = reached.value
        if step == EACH:
            return along(reached, self._rounds(value, node, frame))
        if isinstance(step, Attribute):
            return along(reached, self.attribute(value, step.name, node, frame))
        key = step.key if isinstance(step, Key) else step
        if isinstance(value, Generator) or _gives_items(value):  # `a, b = map(open, paths)`
            return along(
                reached, (r for one in self.items(value, node, frame) for r in self.reached(one))
            )
        return along(reached, self.item(value, key, node, frame))

    def _rounds(self, value: Value, node: ast.expr, frame: Frame) -> Iterator[Reached]:
        """Yield what a loop's target is in each round; more than one are told apart by their places."""
        items = self.items(value, node, frame)
        for index, item in enumerate(items):
            passed = (Passed(frame.module, node, "", index),) if len(items) > 1 else ()
            for reached in self.reached(item):
                yield Reached(reached.value, (*reached.steps, *passed))

    # Items

    def containers(self, argument: Argument) -> list[Container]:
        """Return the containers an argument may be."""
        found = (each if isinstance(each, Container) else self.filled.of_call(each)
                 for each in self.values(argument))  # fmt: skip
        return [each for each in found if each is not None]

    def each(self, argument: Argument) -> list[Argument]:
        """Return what iterating an argument may give."""
        node, frame = (
            (argument.node, argument.frame) if isinstance(argument, Bound) else (None, None)
        )
        return [item for value in self.values(argument) for item in self.items(value, node, frame)]

    def items(self, value: Value, node: ast.expr | None, frame: Frame | None) -> list[Argument]:
        """Return what iterating a value may give."""
        if isinstance(value, Container):
            if value.kind == "dict":
                return [Constant(key) for key, _ in value.items if key is not None]
            return [item for _, item in value.items]
        if isinstance(value, (ExternalCall, Derived)):
            mapping = self.filled.of_call(value)
            if mapping is not None and mapping.items:
                return self.items(mapping, node, frame)
            return self.calls.iterated(value, node, frame)
        if isinstance(value, Class) and is_enum(value, self):
            return [Constant(Member(value, name)) for name, _ in members(value)]
        if isinstance(value, Generator):
            return self.calls.generated(value)
        if isinstance(value, Instance):
            iterator = self.instances.method(value.cls, "__iter__")
            if iterator is not None:
                return self.calls.iterated_by(iterator, value)
            held = self.filled.container(value) if self.filled.kind(value.cls) == "list" else None
            return self.items(held, node, frame) if held is not None else [_UNKNOWN]
        return [_UNKNOWN]

    # Definitions, imports, parameters

    def _definition(self, node: ast.AST, frame: Frame) -> Iterator[Reached]:
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        function = self.calls.function(node, frame)
        for reached in self.decorated(function):
            value = reached.value
            if isinstance(value, Function) and value.bearer is function:
                yield Reached(function)  # `wraps`: the name leads to this very object
            elif isinstance(value, Function) and value.node is node:
                yield reached
            else:
                passed = Passed(frame.module, node, DECORATED)
                yield Reached(value, (*reached.steps, passed))

    def decorated(self, function: Function | Class) -> list[Reached]:
        """Return what the decorators of a `def`, or of a class, make of it."""
        found: list[Reached] = [Reached(function)]
        for decorator in reversed(getattr(function.node, "decorator_list", ())):
            found = [
                r for one in found for r in self.calls.decorate(decorator, one, function.frame)
            ]
        return found

    def _import(self, binding: Binding, frame: Frame) -> Iterator[Reached]:
        alias, statement, module = binding.node, binding.statement, frame.module
        assert isinstance(alias, ast.alias)
        if isinstance(statement, ast.Import):
            yield Reached(self._module(alias.name if alias.asname else binding.name, module))
        elif isinstance(statement, ast.ImportFrom):
            dotted = self._imported_from(statement, module)
            passed = (Passed(module, statement, f"imported from `{dotted}`"),)
            if alias in self._importing:  # modules that import a name from each other
                self._cycles += 1
                return
            self._importing.add(alias)
            try:
                found = list(self.member(dotted, alias.name, module))
            finally:
                self._importing.discard(alias)
            for reached in found:
                yield Reached(reached.value, (*reached.steps, *passed))

    def imported(self, binding: Binding, module: Module) -> tuple[Module, str] | None:
        """Return the module of the tree that an import names, and which global of it; "" for the module.

        What a module imports itself, to hand it on, is the global of the module that it is from.
        """
        return self._source_of(binding, module, set())

    def _source_of(
        self, binding: Binding, module: Module, seen: set[tuple[Module, str]]
    ) -> tuple[Module, str] | None:
        alias, statement = binding.node, binding.statement
        assert isinstance(alias, ast.alias)
        if isinstance(statement, ast.Import):
            found = self.project.find(alias.name if alias.asname else binding.name, module)
            return None if found is None else (found, "")
        if not isinstance(statement, ast.ImportFrom):
            return None
        return self._source_in(self._imported_from(statement, module), alias.name, module, seen)

    def _source_in(
        self, dotted: str, name: str, importer: Module, seen: set[tuple[Module, str]]
    ) -> tuple[Module, str] | None:
        """Return where a global of a module is from, looked up in the order of `member`."""
        module = self.project.find(dotted, importer)
        if module is not None and module is not importer:
            found = self.source_in(module, name, seen)
            if found is not None:
                return found
        submodule = self.project.find(f"{dotted}.{name}", importer)
        if submodule is not None:
            return submodule, ""
        return None if module is None else (module, name)

    def source_in(
        self, module: Module, name: str, seen: set[tuple[Module, str]]
    ) -> tuple[Module, str] | None:
        """Return where a global of a module is from; None where the module gives no such name."""
        if (module, name) in seen:
            return None
        seen.add((module, name))
        bindings = module.scope.bindings.get(name, ())
        if len(bindings) == 1 and bindings[0].kind == "import":
            return self._source_of(bindings[0], module, seen)
        if bindings or name in module.scope.module_globals:
            return module, name
        for starred in self._giving(name, module):
            source = self.project.find(starred, module)
            if source is not None and source.exports(name):
                return self._source_in(starred, name, module, seen)
        return None

    def _imported_from(self, statement: ast.ImportFrom, module: Module) -> str:
        if statement.level:
            return self.project.relative(module, statement.level, statement.module)
        return statement.module or ""

    def _module(self, dotted: str, importer: Module) -> ModuleValue:
        return ModuleValue(dotted, self.project.find(dotted, importer))

    def member(self, dotted: str, name: str, importer: Module) -> Iterator[Reached]:
        """Yield what `dotted.name` stands for: a global of the module, or a submodule."""
        module = self.project.find(dotted, importer)
        if module is not None and module is not importer:
            scope = module.scope
            if name in scope.bindings or name in scope.module_globals:
                yield from self.global_name(module, name)
                return
            starred = self._star_imported(name, module)
            if starred:
                yield from starred
                return
        submodule = self.project.find(f"{dotted}.{name}", importer)
        if submodule is not None:
            yield Reached(ModuleValue(f"{dotted}.{name}", submodule))
        elif self.project.is_folder(f"{dotted}.{name}", importer):
            yield Reached(ModuleValue(f"{dotted}.{name}", None))
        elif module is not None:
            yield from self._asked_for(module, name)
        else:
            yield Reached(External(f"{dotted}.{name}"))

    def _asked_for(self, module: Module, name: str) -> Iterator[Reached]:
        """Yield what a module's own `__getattr__` gives for a name that it does not bind."""
        key = (module, name)
        if "__getattr__" not in module.scope.bindings or key in self._importing:
            yield Reached(_UNKNOWN)
            return
        self._importing.add(key)
        try:
            for asked in list(self.global_name(module, "__getattr__")):
                node = asked.value.node if isinstance(asked.value, Function) else None
                if node is not None:
                    given = Arguments((Constant(name),))
                    where = self.frame(module.scope)
                    yield from self.calls.run(asked.value, given, node, where)  # type: ignore[arg-type]
        finally:
            self._importing.discard(key)

    def _parameter(self, binding: Binding, frame: Frame) -> Iterator[Reached]:
        found = self._passed(binding, frame)
        added = list(self.displays.put_in_parameter(binding.name, frame))
        if not added:
            yield from found
            return
        node: Any = binding.node
        for reached in found:
            value = reached.value
            if isinstance(value, Container):
                items = [*value.items, *added]
                is_open = value.is_open
                value = self.displays.new(value.kind, items, node, frame, value, is_open=is_open)
            yield Reached(value, reached.steps)
        if frame.arguments is None:
            yield Reached(self.displays.new("dict", added, node, frame, is_open=True))

    def _passed(self, binding: Binding, frame: Frame) -> Iterator[Reached]:
        node = binding.node
        assert isinstance(node, ast.arg)
        if frame.arguments is None:
            yield from self.callers.parameter(binding.name, node, frame)
            return
        note = Passed(frame.module, node, f"passed as `{binding.name}`")
        passed = frame.arguments.get(binding.name, ())
        for argument in passed:
            for reached in self.reached(argument):
                yield Reached(reached.value, (*reached.steps, note))
        if not passed:
            yield Reached(_UNKNOWN)

    # Attributes

    def _on_attribute(self, node: ast.Attribute, frame: Frame) -> Iterator[Reached]:
        above = self.instances.above(node.value, frame)
        if above is not None:
            yield from self.instances.super_attribute(above, node.attr, node, frame)
            return
        owners = self.evaluate(node.value, frame)
        set_here = self.set_on_results.here(owners, node, frame)
        if set_here:
            yield from set_here
            return
        found = [
            further
            for reached in owners
            for further in along(reached, self.attribute(reached.value, node.attr, node, frame))
        ]
        yield from narrowed(node, found, frame, self) if isinstance(node.value, ast.Name) else found

    def attribute(self, value: Value, name: str, node: ast.expr, frame: Frame) -> Iterable[Reached]:
        """Return what an attribute of a value may be."""
        if isinstance(value, ModuleValue):
            if name == "__dict__":
                return [Reached(value)]
            return (
                self.member(value.name, name, value.module or frame.module)
                if (value.module is None)
                else self._module_attribute(value, name)
            )
        if isinstance(value, Instance) and name == "__class__":
            return [Reached(value.cls)]
        if isinstance(value, (Instance, Class)) and name == "__dict__":
            return as_dicts(value, node, frame, self)
        if isinstance(value, BoundMethod) and name in ("__self__", "__func__"):
            return [Reached(value.owner if name == "__self__" else value.function)]
        if isinstance(value, Class) and name == "__mro__":
            return [own_line(value, node, frame, self)]
        if isinstance(value, Instance):
            return self.instances.attribute(value, name, node, frame)
        if isinstance(value, Class):
            return self.instances.class_attribute(value, name, value, node, frame)
        if isinstance(value, Constant) and isinstance(value.value, Member):
            return self.instances.member_attribute(value, name, node, frame)
        if isinstance(value, External):
            return [Reached(External(f"{value.name}.{name}"))]
        if isinstance(value, ExternalCall) and value.name in NAMESPACES:
            return self._in_namespace(value, name, frame)
        kept = list(self.calls.kept_under(value, name))
        if not kept and isinstance(value, Derived):
            modules = (value.frame.module, frame.module)
            kept = [each for key, each in self.kept_by_call.by(value, modules) if key == name]
        if kept and isinstance(value, (ExternalCall, Derived)):
            return self.set_on_results.kept(value, name, kept, node, frame)
        if kept:
            return [reached for argument in kept for reached in self.reached(argument)]
        if isinstance(value, (ExternalCall, Derived, Container, Partial, BoundMethod)):
            made = self.calls.made(node, frame, lambda: Derived(value, name, node, frame), value)
            return [*self._set_on_result(value, name, frame), Reached(made)]
        return [Reached(_UNKNOWN)]

    def _set_on_result(self, value: Value, name: str, frame: Frame) -> Iterator[Reached]:
        """Yield what code sets on what a method of a library returns: `args.collate = f`."""
        if not isinstance(value, Derived) or not value.called or not self.project.sets(name):
            return
        near = (value.frame.module, frame.module, *handed_to(value.node, value.frame.module, self))
        for module in dict.fromkeys(near):
            if any(isinstance(n.ctx, ast.Store) for n in module.attributes_by_name.get(name, ())):
                for store in self.instances.set_on(value.node, module):
                    if store.attribute == name:
                        yield from self.instances.stored(store)

    def _in_namespace(self, value: ExternalCall, name: str, frame: Frame) -> Iterator[Reached]:
        """Yield what `SimpleNamespace(name=...)` has under a name, and what is set on it."""
        given = value.arguments.keywords.get(name) or self._given_in(value, name)
        set_later = [
            store
            for store in self.instances.set_on(value.node, value.frame.module)
            if store.attribute == name
        ]
        yield from self.reached(given)
        for store in set_later:
            yield from self.instances.stored(store)
        if given is None and not set_later:
            yield Reached(_UNKNOWN)

    def _given_in(self, value: ExternalCall, name: str) -> Argument | None:
        """Return what the dict that a namespace is made of has under a name."""
        first = value.arguments.get(0, None)
        found = [
            item
            for container in (self.containers(first) if first is not None else ())
            for key, item in container.items
            if key == name
        ]
        return found[0] if len(found) == 1 else None

    def _module_attribute(self, value: ModuleValue, name: str) -> Iterator[Reached]:
        module = value.module
        assert module is not None
        if name in module.scope.bindings or name in module.scope.module_globals:
            yield from self.global_name(module, name)
            return
        starred = self._star_imported(name, module)
        if starred:
            yield from starred
            return
        submodule = self.project.find(f"{value.name}.{name}", module)
        if submodule is None and module.is_package:
            submodule = self.project.find(f"{module.name}.{name}", module)
        if submodule is not None:
            yield Reached(ModuleValue(f"{value.name}.{name}", submodule))
        else:
            yield from self._asked_for(module, name)


def _gives_items(value: Value) -> bool:
    return isinstance(value, ExternalCall) and value.name in ("map", "filter", "reversed", "zip")


def _is_plain(node: ast.expr) -> bool:
    """Return whether a part of an f-string is a value as it is."""
    return isinstance(node, ast.FormattedValue) and (
        node.conversion == -1 and node.format_spec is None
    )


def _read_before(scope: Scope, name: str, use: ast.AST) -> bool:
    """Return whether a scope names a function before it comes to a use."""
    return any(not begins_before(use, read) for read in scope.reads.get(name, ()))


def along(reached: Reached, further: Iterable[Reached]) -> Iterator[Reached]:
    """Yield what was reached further on, with the places passed before."""
    for one in further:
        yield Reached(one.value, (*one.steps, *reached.steps)) if reached.steps else one


def _distinct(found: Iterable[Reached]) -> Iterator[Reached]:
    seen: set[Value] = set()
    for reached in found:
        try:
            if reached.value in seen:
                continue
            seen.add(reached.value)
        except TypeError:  # an unhashable constant
            pass
        yield reached


# What evaluates each kind of expression; any other is unknown.
_HANDLERS: dict[type[ast.expr], Callable[[Interpreter, Any, Frame], Iterable[Reached]]] = {
    ast.Constant: Interpreter._on_constant,
    ast.UnaryOp: Interpreter._on_unary_op,
    ast.Lambda: Interpreter._on_lambda,
    ast.NamedExpr: Interpreter._on_named_expr,
    ast.Starred: Interpreter._on_starred,
    ast.IfExp: Interpreter._on_if_exp,
    ast.BoolOp: Interpreter._on_bool_op,
    ast.BinOp: Interpreter._on_bin_op,
    ast.JoinedStr: Interpreter._on_joined_str,
    ast.List: Interpreter._on_list,
    ast.Tuple: Interpreter._on_tuple,
    ast.Set: Interpreter._on_set,
    ast.Dict: Interpreter._on_dict,
    ast.ListComp: Interpreter._on_list_comp,
    ast.SetComp: Interpreter._on_set_comp,
    ast.DictComp: Interpreter._on_dict_comp,
    ast.GeneratorExp: Interpreter._on_generator_exp,
    ast.Call: Interpreter._on_call,
    ast.Subscript: Interpreter._on_subscript,
    ast.Name: Interpreter._on_name,
    ast.Attribute: Interpreter._on_attribute,
}
