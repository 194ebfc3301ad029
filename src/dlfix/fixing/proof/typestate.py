"""Abstract interpretation of methods: which names and attributes are surely set, and surely not None."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from dlfix.fixing.proof import order
from dlfix.fixing.proof.program import NO_STATE, Class, Program, is_cached
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    SCOPES,
    Function,
    bound_in,
    is_attribute,
    last_part,
    named_target,
    positive,
    self_name,
)
from dlfix.project.syntax import attribute_named, is_name
from dlfix.project.trees import children, kept, said, walk

_HELD = ".="  # marks an attribute that was set in this process: its property opens nothing
_PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_ANSWERS = (ast.Compare, ast.UnaryOp, ast.BoolOp, ast.Name, ast.Attribute, ast.Subscript)
_DEEP = 8  # how far calls of own methods are followed


@dataclass(frozen=True)
class State:
    """What is sure at one point: attributes are written `.name`, locals `name`."""

    bound: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()  # of the bound attributes: surely not None
    # what is bound where a condition holds (or does not)
    implied: frozenset[tuple[str, bool, str]] = frozenset()
    answers: frozenset[tuple[str, str, bool]] = frozenset()  # a name, and the condition it keeps

    def binding(self, name: str, *, present: bool = True) -> State:
        """Return the state after an assignment."""
        if name in self.bound and (name in self.present) == present:
            return self
        kept = self.present | {name} if present else self.present - {name}
        return replace(self, bound=self.bound | {name}, present=kept)

    def without(self, name: str) -> State:
        """Return the state after a deletion."""
        implied = frozenset(fact for fact in self.implied if fact[2] != name)
        return replace(
            self, bound=self.bound - {name}, present=self.present - {name}, implied=implied
        )

    def asking_anew(self, name: str) -> State:
        """Return the state after a name got another value: conditions on it may hold no longer."""
        word = re.compile(rf"\b(id|attr)='_?{re.escape(name.lstrip('_'))}'")
        implied = frozenset(fact for fact in self.implied if not word.search(fact[0]))
        answers = frozenset(a for a in self.answers if not word.search(a[0] + a[1]))
        if len(implied) == len(self.implied) and len(answers) == len(self.answers):
            return self
        return replace(self, implied=implied, answers=answers)

    def where(self, text: str, holds: bool) -> Iterator[str]:
        """Yield what is bound where a condition holds, or does not."""
        asked = {(text, holds)}
        for kept_as, value, same in self.answers:
            for told, other in ((kept_as, value), (value, kept_as)):
                if same:
                    asked.add((text.replace(told, other), holds))
                elif text == told:
                    asked.add((other, not holds))
        yield from (name for condition, held, name in self.implied if (condition, held) in asked)

    @cached_property
    def attributes(self) -> State:
        """What is sure of the object, whatever the locals are."""
        bound, present = (
            frozenset(n for n in s if n.startswith(".")) for s in (self.bound, self.present)
        )
        implied = frozenset(fact for fact in self.implied if fact[2].startswith("."))
        return State(bound, present, implied, self.answers)


def merged(one: State | None, other: State | None) -> State | None:
    """Return what is sure on both ways to a point; None stands for a way that is never taken."""
    if one is None or other is None or one is other:
        return one or other
    return State(
        one.bound & other.bound,
        one.present & other.present,
        one.implied & other.implied,
        one.answers & other.answers,
    )


@kept
def _condition(test: ast.expr) -> tuple[str, bool]:
    """Return a condition as text, and whether it asks that this holds: the text is the same for a parameter and the attribute it is kept as, and for a condition and its opposite."""
    asked, holds = positive(test)
    text = re.sub(
        r"Attribute\(value=Name\(id='self', ctx=Load\(\)\), attr='_?(\w+)', ctx",
        r"Name(id='\1', ctx",
        said(asked),
    )
    return text, holds


@dataclass(frozen=True)
class Reading:
    """A read of what may be unset, or a use of what may be None."""

    name: str
    function: str
    line: int
    through: tuple[str, ...] = ()  # the methods that led there
    home: Path | None = None  # the file of the line, which may be that of a base

    def by_way_of(self, way: tuple[str, ...]) -> Reading:
        """Return the same reading, where other methods led to the one it is in."""
        through = (*way, *self.through[len(way) :])
        return replace(self, through=through)


@dataclass
class _Frame:
    function: Function
    owner: Class | None
    self_name: str
    locals: frozenset[str]
    returns: list[State] = field(default_factory=list)
    breaks: list[list[State]] = field(default_factory=list)
    continues: list[list[State]] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """What one function came to on one state: the state at its end, and its notes."""

    end: State | None
    unset: set[Reading]
    empty: set[Reading]

    def in_order(self) -> list[Reading]:
        """Return what was read though it may be unset, by line."""
        return sorted(self.unset, key=lambda r: r.line)


class Interpreter:
    """Runs methods of objects of one class; collects what is read though it may be unset or None.

    Where only some attributes are asked for (`watched`), nothing is told of others, and methods that do not lead
    to one of them are not entered.
    """

    def __init__(
        self, program: Program, cls: Class | None, watched: frozenset[str] | None = None
    ) -> None:
        self.program, self.cls, self.watched = program, cls, watched
        self.unset: set[Reading] = set()
        self.empty: set[Reading] = set()
        self.companions: dict[str, set[str]] = {}  # attributes that are only set together
        self._frames: list[_Frame] = []
        self._runs: dict[tuple[Class | None, Function, int, State], Run] = {}
        self._cut = _DEEP  # the lowest frame whose function was called again, and not entered
        self._given = self._always_there()

    def _always_there(self) -> frozenset[str]:
        """Return the attributes that the classes define, whatever the methods do."""
        if self.cls is None:
            return frozenset()
        return frozenset(
            name
            for each in self.program.lineage(self.cls)
            for name in (*each.methods, *each.values)
        ) | {"__dict__", "__class__", "__doc__", "__module__"}

    @cached_property
    def _words(self) -> frozenset[str] | None:
        """The names of watched attributes, and of methods that lead to one; None where every method is entered."""
        if self.watched is None or self.cls is None:
            return None
        line = self.program.lineage(self.cls)
        if any(not self.watched.isdisjoint(each.setters) for each in line):
            return None  # what an assignment to a property keeps is forgotten by many statements
        return order.leading_to(self.watched, line)

    def _leads_nowhere(self, function: Function) -> bool:
        words = self._words
        return words is not None and words.isdisjoint(order.words_of(function))

    def _is_watched(self, name: str) -> bool:
        return self.watched is None or not name.startswith(".") or name[1:] in self.watched

    def _binding(self, state: State, name: str, *, present: bool = True) -> State:
        return state.binding(name, present=present) if self._is_watched(name) else state

    def constructed(self) -> State:
        """Return what is sure of an object that was just made."""
        assert self.cls is not None
        fields = (f".{name}" for name in self._fields())
        state = State(frozenset(name for name in fields if self._is_watched(name)))
        for name in order.CONSTRUCTORS[1:]:
            found = self.program.method(self.cls, name)
            if found is not None:
                state = self.run(*found, state) or state
        return _elsewhere(state)

    def _fields(self) -> Iterable[str]:
        """Yield what a generated `__init__` sets, of a decorator or of a base outside the project."""
        assert self.cls is not None
        line = self.program.lineage(self.cls)
        outside = set(self.program.unknown_bases(self.cls)) - NO_STATE
        if not outside and not any(each.node.decorator_list for each in line):
            return
        for each in line:
            for name, node in each.annotated.items():
                call = node.value
                options = call.keywords if isinstance(call, ast.Call) else []
                later = any(
                    k.arg == "init" and isinstance(k.value, ast.Constant) and not k.value.value
                    for k in options
                )
                filled = any(k.arg in {"default", "default_factory", "factory"} for k in options)
                if not later or filled:
                    yield name

    def alone(self, owner: Class | None, function: Function, state: State) -> Run:
        """Return what one function comes to, without the notes of what ran before."""
        return self._noted(lambda: self.run(owner, function, state))

    def _noted(self, work: Callable[[], State | None]) -> Run:
        """Do some work with notes of its own."""
        unset, empty = self.unset, self.empty
        self.unset, self.empty = set(), set()
        try:
            return Run(work(), self.unset, self.empty)
        finally:
            self.unset, self.empty = unset, empty

    def run(self, owner: Class | None, function: Function, state: State) -> State | None:
        """Run one function on a state; return the attributes that are sure afterwards."""
        if self._leads_nowhere(function):
            return state
        depth = len(self._frames)
        called = [frame.function for frame in self._frames]
        if depth >= _DEEP or function in called:
            self._cut = min(self._cut, called.index(function) if function in called else depth)
            return state
        key = (owner, function, depth, state.attributes)
        if key not in self._runs:
            outer, self._cut = self._cut, depth
            done = self._noted(lambda: self._body(owner, function, state))
            inner, self._cut = self._cut, min(outer, self._cut)
            if inner < depth:  # a function that is still running was not entered again
                return self._replayed(done)
            self._runs[key] = done
        return self._replayed(self._runs[key])

    def _replayed(self, run: Run) -> State | None:
        """Take over the notes of a run, as made by way of the functions that run now."""
        way = tuple(frame.function.name for frame in self._frames)
        for own, noted in ((self.unset, run.unset), (self.empty, run.empty)):
            own.update(each.by_way_of(way) for each in noted)
        return run.end

    def _body(self, owner: Class | None, function: Function, state: State) -> State | None:
        frame = _Frame(function, owner, self_name(function) if owner else "", bound_in(function))
        outer = state.attributes
        args = function.args
        names = [a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]]
        names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
        self._frames.append(frame)
        end = self._block(function.body, replace(outer, bound=outer.bound | set(names)))
        self._frames.pop()
        for returned in frame.returns:
            end = merged(end, returned)
        return end.attributes if end is not None else None

    @property
    def _frame(self) -> _Frame:
        return self._frames[-1]

    def _block(self, body: Sequence[ast.stmt], state: State | None) -> State | None:
        for statement in body:
            if state is None:
                return None
            state = self._statement(statement, state)
        return state

    def _statement(self, node: ast.stmt, state: State) -> State | None:
        method = _method_of(node.__class__.__name__)
        if method is not None:
            result: State | None = method(self, node, state)
            return result
        return self._simple(node, state)

    # Statements

    def _simple(self, node: ast.AST, state: State) -> State | None:
        for child in children(node):
            if isinstance(child, ast.expr):
                state = self._expression(child, state)
        return state

    def _expr(self, node: ast.Expr, state: State) -> State | None:
        state = self._expression(node.value, state)
        call = node.value
        if isinstance(call, ast.Call) and last_part(call.func) in {"exit", "_exit"}:
            return None
        return state

    def _assign(self, node: ast.Assign, state: State) -> State:
        state = self._expression(node.value, state)
        present = not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for target in node.targets:
            state = self._store(target, state, present, node.value)
        return state

    def _annassign(self, node: ast.AnnAssign, state: State) -> State:
        if node.value is None:
            return state
        state = self._expression(node.value, state)
        present = not (isinstance(node.value, ast.Constant) and node.value.value is None)
        return self._store(node.target, state, present, node.value)

    def _augassign(self, node: ast.AugAssign, state: State) -> State:
        state = self._expression(node.value, state)
        if isinstance(node.target, (ast.Name, ast.Attribute)):
            self._read(node.target, state)
            return self._store(node.target, state, True)
        return self._expression(node.target, state)

    def _delete(self, node: ast.Delete, state: State) -> State:
        for target in node.targets:
            if isinstance(target, ast.Name):
                state = state.without(target.id)
            elif is_attribute(target, self._frame.self_name):
                self._delete_lazy(target, state)
                state = state.without(f".{target.attr}")
            else:
                state = _elsewhere(self._expression(target, state))
        return state

    def _delete_lazy(self, target: ast.Attribute, state: State) -> None:
        """Note the deletion of a cached value that the constructor has not asked for."""
        getter = self._getter(target.attr) if self.cls is not None else None
        making = any(frame.function.name in order.CONSTRUCTORS for frame in self._frames)
        if making and getter is not None and f".{target.attr}" not in state.bound:
            self._note(self.unset, f".{target.attr}", target)

    def _return(self, node: ast.Return, state: State) -> None:
        if node.value is not None:
            state = self._expression(node.value, state)
        self._frame.returns.append(state)

    def _raise(self, node: ast.Raise, state: State) -> None:
        self._simple(node, state)

    def _break(self, node: ast.Break, state: State) -> None:
        if self._frame.breaks:
            self._frame.breaks[-1].append(state)

    def _continue(self, node: ast.Continue, state: State) -> None:
        return None

    def _if(self, node: ast.If, state: State) -> State | None:
        state = self._expression(node.test, state)
        positive = self._assuming(node.test, state, True)
        negative = self._assuming(node.test, state, False)
        one, other = self._block(node.body, positive), self._block(node.orelse, negative)
        end = merged(one, other)
        if one is None or other is None or end is None:
            return end
        text, holds = _condition(node.test)
        facts = {(text, holds, name) for name in one.bound - other.bound}
        facts |= {(text, not holds, name) for name in other.bound - one.bound}
        return replace(end, implied=end.implied | facts)

    def _while(self, node: ast.While, state: State) -> State | None:
        state = self._expression(node.test, state)
        self._frame.breaks.append([])
        self._block(node.body, self._assuming(node.test, state, True))
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        end = None if endless else self._block(node.orelse, self._assuming(node.test, state, False))
        return self._after_loop(end)

    def _for(self, node: ast.For | ast.AsyncFor, state: State) -> State | None:
        state = self._expression(node.iter, state)
        self._frame.breaks.append([])
        self._block(node.body, self._store(node.target, state, True))
        return self._after_loop(self._block(node.orelse, state))

    _asyncfor = _for

    def _after_loop(self, end: State | None) -> State | None:
        for each in self._frame.breaks.pop():
            end = merged(end, each)
        return end

    def _with(self, node: ast.With | ast.AsyncWith, state: State) -> State | None:
        swallows = False
        for item in node.items:
            state = self._expression(item.context_expr, state)
            call = item.context_expr
            swallows |= isinstance(call, ast.Call) and last_part(call.func) == "suppress"
            if item.optional_vars is not None:
                state = self._store(item.optional_vars, state, True)
        end = self._block(node.body, state)
        return merged(end, self._interrupted(node.body, state)) if swallows else end

    _asyncwith = _with

    def _try(self, node: ast.Try, state: State) -> State | None:
        entry = self._interrupted(node.body, state)
        end = self._block(node.orelse, self._block(node.body, state))
        for handler in node.handlers:
            start = entry.binding(handler.name) if handler.name else entry
            end = merged(end, self._block(handler.body, start))
        if not node.finalbody:
            return end
        after = self._block(node.finalbody, end if end is not None else entry)
        return after if end is not None else None

    _trystar = _try

    def _interrupted(self, body: Sequence[ast.stmt], state: State) -> State:
        """Return what is sure when any statement of a block may have been the last."""
        for statement in body:
            for node in walk(statement):
                if isinstance(node, ast.Delete):
                    for target in node.targets:
                        name = f".{target.attr}" if isinstance(target, ast.Attribute) else ""
                        state = state.without(name or getattr(target, "id", ""))
        return state

    def _match(self, node: ast.Match, state: State) -> State | None:
        state = self._expression(node.subject, state)
        end: State | None = None
        complete = False
        for case in node.cases:
            start = state
            for each in ast.walk(case.pattern):
                name = getattr(each, "name", None) or getattr(each, "rest", None)
                start = start.binding(name) if isinstance(name, str) else start
            complete |= (
                case.guard is None
                and isinstance(case.pattern, ast.MatchAs)
                and case.pattern.pattern is None
            )
            end = merged(end, self._block(case.body, start))
        return end if complete else merged(end, state)

    def _functiondef(self, node: Function, state: State) -> State:
        for outside in [
            *node.decorator_list,
            *node.args.defaults,
            *filter(None, node.args.kw_defaults),
        ]:
            state = self._expression(outside, state)
        return state.binding(node.name)

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef, state: State) -> State:
        for outside in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            state = self._expression(outside, state)
        return state.binding(node.name)

    def _import(self, node: ast.Import | ast.ImportFrom, state: State) -> State:
        for alias in node.names:
            state = state.binding(alias.asname or alias.name.partition(".")[0])
        return state

    _importfrom = _import

    # Expressions

    def _expression(self, node: ast.AST, state: State) -> State:
        if isinstance(node, _PLAIN):
            return self._plain(node, state)
        if isinstance(node, ast.NamedExpr):
            return self._store(node.target, self._expression(node.value, state), True)
        if isinstance(node, SCOPES):
            return state
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node, state)
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, state)
        if isinstance(node, ast.IfExp):
            state = self._expression(node.test, state)
            one = self._expression(node.body, self._assuming(node.test, state, True))
            other = self._expression(node.orelse, self._assuming(node.test, state, False))
            return merged(one, other) or state
        for child in children(node):
            state = self._expression(child, state)
        return state

    def _plain(self, node: ast.AST, state: State) -> State:
        """Return what is sure after a constant, a name, an attribute, an item or a call."""
        if isinstance(node, ast.Constant) or self._swallows(node):
            return state
        for child in children(node):
            state = self._expression(child, state)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            state = self._read(node, state)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            self._use(node.value, state)
        if isinstance(node, ast.Call):
            self._use(node.func, state)
            state = self._call(node, state)
        return state

    def _comprehension(self, node: ast.AST, state: State) -> State:
        generators: Sequence[ast.comprehension] = getattr(node, "generators", ())
        state = self._expression(generators[0].iter, state)
        inner = state
        for generator in generators:
            inner = self._store(generator.target, self._expression(generator.iter, inner), True)
            for test in generator.ifs:
                inner = self._assuming(test, self._expression(test, inner), True)
        for name in ("key", "elt", "value"):
            part = getattr(node, name, None)
            if part is not None:
                self._expression(part, inner)
        return state

    def _boolean(self, node: ast.BoolOp, state: State) -> State:
        first: State | None = None
        for value in node.values:
            state = self._expression(value, state)
            first = first or state
            state = self._assuming(value, state, isinstance(node.op, ast.And))
        return first or state

    def _swallows(self, node: ast.AST) -> bool:
        """Return whether an expression asks for an attribute without needing it."""
        if not isinstance(node, ast.Call):
            return False
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        return name == "hasattr" or (name == "getattr" and len(node.args) == 3)

    def _read(self, node: ast.Name | ast.Attribute, state: State) -> State:
        frame = self._frame
        if isinstance(node, ast.Name):
            if (
                node.id in frame.locals
                and node.id not in state.bound
                and not hasattr(builtins, node.id)
            ):
                self._note(self.unset, node.id, node)
            return state
        if not is_attribute(node, frame.self_name) or self.cls is None:
            return state
        getter = self._getter(node.attr)
        if getter is not None and f"{_HELD}{node.attr}" in state.bound:
            return state
        if getter is not None:
            state = _back(self.run(*getter, state) or state, state)
            bound = frozenset({f".{node.attr}"} if self._is_watched(f".{node.attr}") else ())
            return replace(state, bound=state.bound | bound)
        if node.attr not in self._given and f".{node.attr}" not in state.bound:
            self._note(self.unset, f".{node.attr}", node)
        return state

    def _getter(self, name: str) -> tuple[Class, Function] | None:
        assert self.cls is not None
        for each in self.program.lineage(self.cls):
            if name in each.getters:
                return each, each.getters[name]
        return None

    def _setter(self, name: str) -> tuple[Class, Function] | None:
        for each in self.program.lineage(self.cls) if self.cls is not None else ():
            if name in each.setters:
                return each, each.setters[name]
        return None

    def _is_held(self, name: str, setter: Function) -> bool:
        """Return whether a getter asks for what its setter keeps before it opens anything."""
        getter = self._getter(name)
        tests = [n.test for n in ast.walk(getter[1]) if isinstance(n, ast.If)] if getter else []
        kept = {n.attr for n in ast.walk(setter) if isinstance(n, ast.Attribute)} - {"getpid"}
        return any(kept & {getattr(n, "attr", "") for n in ast.walk(test)} for test in tests)

    def _use(self, node: ast.expr, state: State) -> None:
        """Note the use of an attribute of self as something that is there."""
        name = f".{node.attr}" if isinstance(node, ast.Attribute) else ""
        if is_attribute(node, self._frame.self_name) and name not in state.present:
            self._note(self.empty, name, node)

    def _note(self, found: set[Reading], name: str, node: ast.expr) -> None:
        if not self._is_watched(name):
            return
        through = tuple(frame.function.name for frame in self._frames)
        owner = self._frame.owner
        home = owner.module.path if owner is not None else None
        found.add(Reading(name, self._frame.function.name, node.lineno, through, home))

    def _call(self, node: ast.Call, state: State) -> State:
        frame, func = self._frame, node.func
        if self.cls is None or frame.owner is None:
            return state
        found = None
        by_name = named_target(node, frame.self_name)
        if by_name:
            return self._binding(state, f".{by_name}")
        if isinstance(func, ast.Attribute):
            base = func.value
            if is_attribute(func, frame.self_name):
                found = self.program.method(self.cls, func.attr)
            elif isinstance(base, ast.Call) and last_part(base.func) == "super":
                found = order.meant(self.program, self.cls, frame.owner, f"super {func.attr}")
            else:
                above = self.program.class_of(frame.owner.module, base)
                if above is not None and above in self.program.lineage(self.cls):
                    found = self.program.method(above, func.attr)
        if found is None:
            return _elsewhere(state) if self._forgets(func) else state
        after = self.run(*found, state)
        return _back(after, state) if after is not None else state

    def _forgets(self, func: ast.expr) -> bool:
        """Return whether a call takes something out of what an attribute of the object holds."""
        return (
            isinstance(func, ast.Attribute)
            and func.attr in {"clear", "pop", "popitem"}
            and is_attribute(func.value, self._frame.self_name)
        )

    def _kept(self, target: ast.expr, state: State, value: ast.expr | None) -> State:
        """Return what is sure of conditions once a name or an attribute of the object has another value."""
        if isinstance(target, ast.Name):
            name = target.id
        elif is_attribute(target, self._frame.self_name):
            name = target.attr
        else:
            return state
        if value is None:
            return state.asking_anew(name)
        text, told = _condition(value)
        kept_as = _condition(target)[0].replace("Store()", "Load()")
        if text == kept_as:  # under its own name
            return state
        state = state.asking_anew(name)
        if not isinstance(value, _ANSWERS):
            return state
        return replace(state, answers=state.answers | {(kept_as, text, told)})

    def _store(
        self, target: ast.expr, state: State, present: bool, value: ast.expr | None = None
    ) -> State:
        state = self._kept(target, state, value)
        if isinstance(target, ast.Name):
            return state.binding(target.id, present=present)
        if isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                state = self._store(each, state, present)
            return state
        if isinstance(target, ast.Starred):
            return self._store(target.value, state, present)
        if is_attribute(target, self._frame.self_name):
            setter = self._setter(target.attr)
            if setter is not None:
                state = _back(self.run(*setter, state) or state, state)
                if self._is_held(target.attr, setter[1]):
                    state = state.binding(f"{_HELD}{target.attr}")
            return self._binding(state, f".{target.attr}", present=present)
        if isinstance(target, ast.Subscript):
            owner, name = attribute_named(target) or (None, "")
            if is_name(owner, self._frame.self_name):
                return self._binding(state, f".{name}", present=present)
        for child in children(target):
            state = self._expression(child, state)
        return state if self._is_of_held(target, state) else _elsewhere(state)

    def _is_of_held(self, target: ast.expr, state: State) -> bool:
        """Return whether a target is no item, or one of what a property gives that holds its handle: it stays open."""
        if not isinstance(target, ast.Subscript):
            return True
        owner = target.value
        return is_attribute(owner, self._frame.self_name) and f"{_HELD}{owner.attr}" in state.bound

    def _assuming(self, test: ast.expr, state: State, holds: bool) -> State:
        """Return what is sure once a condition was found to hold, or not to."""
        text, asked = _condition(test)
        for name in state.where(text, asked == holds):
            state = state.binding(name)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._assuming(test.operand, state, not holds)
        if isinstance(test, ast.BoolOp):
            if isinstance(test.op, ast.And) == holds:
                for value in test.values:
                    state = self._assuming(value, state, holds)
            return state
        name, sure = self._asks(test, holds)
        if not name or not sure:
            return state
        for getter in self._opening_nothing(name[1:], test):
            state = state.binding(f"{_HELD}{getter}")
        for companion in (name, *self.companions.get(name, ())):
            state = self._binding(state, companion)
        return state

    def _opening_nothing(self, kept: str, test: ast.expr) -> Iterator[str]:
        """Yield the properties that surely give what they have, once a test has found it in their table or in `__dict__`."""
        words = order.words_of(test)
        for each in self.program.lineage(self.cls) if self.cls is not None else ():
            for name, getter in each.getters.items():
                tests = [n.test for n in ast.walk(getter) if isinstance(n, ast.If)]
                by_process = "getpid" in words and any(kept in order.words_of(t) for t in tests)
                if by_process or (name == kept and "__dict__" in words and is_cached(getter)):
                    yield name

    def _asks(self, test: ast.expr, holds: bool) -> tuple[str, bool]:
        """Return the attribute a condition asks for, and whether it is there for sure."""
        owner = self._frame.self_name
        if is_attribute(test, owner):
            return f".{test.attr}", holds
        match test:
            case ast.Call(func=ast.Attribute(value=held, attr="get")) if _got(held, owner):
                return f".{_got(held, owner)}", holds  # something is in it
            case ast.Call(func=ast.Attribute()):  # `self.__dict__.get("file")`
                taken = attribute_named(test)
                if taken is not None and is_name(taken[0], owner):
                    return f".{taken[1]}", holds
            case ast.Compare(ops=[ast.In() | ast.NotIn() as within], comparators=[held]):
                name = _got(held, owner)  # `os.getpid() in getattr(self, "_file_by_pid", ())`
                if name:
                    return f".{name}", holds == isinstance(within, ast.In)
        if isinstance(test, ast.Call) and len(test.args) >= 2 and isinstance(test.func, ast.Name):
            named = test.args[1]
            if test.func.id in {"hasattr", "getattr"} and isinstance(named, ast.Constant):
                return f".{named.value!s}", holds
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            op, left, right = test.ops[0], test.left, test.comparators[0]
            if isinstance(right, ast.Constant) and right.value is None:
                negated = isinstance(op, (ast.IsNot, ast.NotEq))
                if is_attribute(left, owner):
                    return f".{left.attr}", holds == negated
                if isinstance(left, ast.Call):
                    return self._asks(left, holds == negated)
            if isinstance(left, ast.Constant) and isinstance(left.value, str):
                return f".{left.value}", holds == isinstance(op, ast.In)
        return "", False


def _got(node: ast.expr, owner: str) -> str:
    """Return the attribute that an expression gives, or an empty container where it is unset."""
    if is_attribute(node, owner) and node.attr != "__dict__":
        return node.attr
    match node:
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[held, ast.Constant(value=str(name)), ast.Dict(keys=[]) | ast.Tuple(elts=[])],
        ) if is_name(held, owner):
            return name
    return ""


@cache
def _method_of(kind: str) -> Callable[[Interpreter, Any, State], State | None] | None:
    """Return the method that runs a kind of statement; None where it only reads."""
    return getattr(Interpreter, f"_{kind.lower()}", None)


def _elsewhere(state: State) -> State:
    """Return what is sure where nobody knows which handles this process has opened."""
    return replace(state, bound=frozenset(n for n in state.bound if not n.startswith(_HELD)))


def _back(inner: State, outer: State) -> State:
    """Return the state after a call: the callee's attributes, the caller's locals."""
    attributes = inner.attributes
    own = frozenset(n for n in outer.bound if not n.startswith("."))
    return replace(attributes, bound=attributes.bound | own)
