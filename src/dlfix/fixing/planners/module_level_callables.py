"""Plans the moves of lambdas, local functions and the like to where pickle finds them by name."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing import naming
from dlfix.fixing.hoisting import (
    private_methods,
    rebinding,
    sent_with_tasks,
    sentinels,
    star_imports,
    static_methods,
    wrapping,
)
from dlfix.fixing.hoisting.captures import CannotHoist, Draft, guard_of, is_global
from dlfix.fixing.hoisting.classes import ClassMoves
from dlfix.fixing.hoisting.consumers import Consumers, Question
from dlfix.fixing.hoisting.instances import member_of
from dlfix.fixing.hoisting.moves import Move, Moves
from dlfix.fixing.hoisting.parent_state import numbers_passed, refuse_asking
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused, in_file
from dlfix.fixing.plans_callables import CallablesPlan, Definition, Expression, Use, Wraps
from dlfix.fixing.plans_classes import ClassesPlan
from dlfix.project.module import Module, Scope
from dlfix.project.syntax import callee_name, decorators, last_name
from dlfix.reach.crossing import Crossing, Edge
from dlfix.reach.dict_keys import is_told_apart
from dlfix.reach.interpreter import DECORATED
from dlfix.reach.object_graph import Walk
from dlfix.reach.values import (
    Bound,
    BoundMethod,
    Class,
    External,
    ExternalCall,
    Frame,
    Function,
    Generator,
    Instance,
    ModuleValue,
    Value,
)
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.dlf303_global_set_in_main import GlobalSetInMain
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

CODEMOD = "module_level_callables"
CLASSES = "module_level_classes"
# Codemods for which this one stands in: an object that a method takes along is not sent.
_OF_RESOURCES = frozenset({"lazy_resources", "pickle_state"})
# Libraries whose functions were measured: what is not in the catalogue is found by its name.
_MEASURED = {"torch", "numpy"}
_DEPTH = 6  # how deep a captured value is looked into
# What goes through its argument as a loop does: with numbers, or a progress bar.
_GOING_THROUGH = frozenset({"enumerate", "islice", "iter", "track", "tqdm"})


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer each finding; equal functions of a file share one fix."""
    planning = _Planning(analysis)
    groups: dict[object, list[Finding]] = {}
    held = [each for each in findings if each.rule.codemods[0] in _OF_RESOURCES]
    yield from planning.static(held)
    for finding in findings:
        if finding not in held:
            groups.setdefault(planning.key(finding), []).append(finding)
    for group in groups.values():
        yield from planning.planned(group)


@dataclass
class _Work:
    """The moves of one fix, by file."""

    width: Callable[[Path], int]
    message: str = ""
    moves: dict[Path, list[Move]] = field(default_factory=dict)
    definitions: dict[Path, list[Definition]] = field(default_factory=dict)
    uses: dict[Path, list[Use]] = field(default_factory=dict)
    wraps: dict[Path, list[Wraps]] = field(default_factory=dict)
    # Of captured functions that are equal, the first.
    captured: dict[object, Function] = field(default_factory=dict)
    classes: dict[Path, dict[ast.ClassDef, ClassesPlan]] = field(default_factory=dict)
    done: set[ast.AST] = field(default_factory=set)

    def fix(self) -> Fix:
        """Return the fix that does all of it."""
        paths = dict.fromkeys([*self.moves, *self.definitions, *self.uses, *self.wraps])
        doubts = [doubt for moves in self.moves.values() for move in moves for doubt in move.doubts]
        edits = tuple(
            Edit(path, CLASSES, plan)
            for path, plans in self.classes.items()
            for plan in plans.values()
        )
        edits += tuple(Edit(path, CODEMOD, self._plan(path)) for path in paths)
        if doubts:
            return Fix(self.message, Applicability.UNSAFE, edits, doubts[0])
        return Fix(self.message, Applicability.SAFE, edits)

    def _plan(self, path: Path) -> CallablesPlan:
        moves = self.moves.get(path, [])
        hoists = {hoist.source: hoist for move in moves for hoist in move.hoists}
        uses = {use.span: use for move in moves for use in move.uses}
        uses.update({use.span: use for use in self.uses.get(path, ())})
        return CallablesPlan(
            tuple(hoists.values()),
            tuple(uses.values()),
            tuple(self.definitions.get(path, ())),
            tuple(self.wraps.get(path, ())),
            self.width(path),
        )


class _Planning:
    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.modules: dict[Path, Moves] = {}
        self.crossing: Crossing | None = None
        self.newly = False  # whether what is captured is pickled with tasks, and was not before
        self.walk = Walk(analysis.interpreter)
        self.consumers = Consumers(analysis)
        self.carried: set[ast.ClassDef] = set()  # classes of what is captured
        self.methods: set[str] = set()  # names that private methods get

    def moves(self, module: Module) -> Moves:
        if module.path not in self.modules:
            self.modules[module.path] = Moves(
                module,
                lambda func: self._found_by_name(module, func),
                self._crosses,
                lambda owner, attribute: self._set_again(module, owner, attribute),
                lambda owner, attribute: self._member(module, owner, attribute),
                lambda node: self._only_parent(module, node),
                lambda node: self._is_loader(module, node),
                lambda node: self._passes_all_on(module, node),
                self._name_read,
                self._signature_read,
                lambda name: star_imports.may_replace(self.analysis.project, module, name),
                lambda node: numbers_passed(module, node, self.analysis),
            )
        return self.modules[module.path]

    def _width(self, path: Path) -> int:
        return self.moves(self.analysis.project.module(path)).width

    def planned(self, group: list[Finding]) -> Iterator[Planned]:
        """Plan one fix for some findings; one for each where not all of them can move."""
        try:
            yield Planned(tuple(group), self.fix(group))
        except CannotHoist as reason:
            if len(group) == 1 or not isinstance(group[0].evidence, Crossing):
                yield Planned(tuple(group), Refused(str(reason)))
                return
            self._part(group)
            for finding in group:
                yield from self.planned([finding])

    def static(self, findings: Sequence[Finding]) -> Iterator[Planned]:
        """Plan static methods where bound ones send what cannot be sent along with their objects."""
        groups: dict[ast.AST, list[Finding]] = {}
        for finding in findings:
            sent = _sent_by(finding)
            if sent is None:
                yield Planned((finding,), Refused("the resource is not sent by a bound method"))
            else:
                groups.setdefault(sent[0].function.node, []).append(finding)
        for group in groups.values():
            try:
                yield Planned(tuple(group), self._static(group))
            except CannotHoist as reason:
                yield Planned(tuple(group), Refused(str(reason)))

    def _static(self, group: list[Finding]) -> Fix:
        """Plan one static method, which reads none of the attributes that some findings are about."""
        plan: CallablesPlan | None = None
        for finding in group:
            sent = _sent_by(finding)
            assert sent is not None
            method, below = sent
            refuse_asking(method, self.analysis)
            module, node = method.function.module, method.function.node
            owner = module.parent(node)
            cls = self._class_of(module, owner) if isinstance(owner, ast.ClassDef) else None
            if cls is None:
                raise CannotHoist("the method is not defined in this project")
            line = [*self.analysis.mro(cls), *self.analysis.interpreter.instances.subclasses(cls)]
            names = _names_on_the_way(finding.evidence)
            for question in self.consumers.asks(module, node, names):
                raise CannotHoist(f"{question.asked_of('the method')} ({question.place})")
            work = static_methods.StaticMethod(self.analysis, method, self._set_again)
            plan = work.plan(line, below)
        assert plan is not None
        name = getattr(node, "name", "")
        message = f"Make the method `{name}` static, so that it is sent without its object"
        edits = (Edit(module.path, CODEMOD, plan),)
        if name.startswith("_"):
            return Fix(message, Applicability.SAFE, edits)
        doubt = f"code outside the project that calls `{name}` or overrides it is not changed"
        return Fix(message, Applicability.UNSAFE, edits, doubt)

    def _part(self, group: list[Finding]) -> None:
        for finding in group:
            value = finding.evidence.value
            if isinstance(value, Function):
                self.moves(value.module).forget([value.node])

    def key(self, finding: Finding) -> object:
        """Return what findings share that one fix mends."""
        crossing = finding.evidence
        value = _sent(crossing) if isinstance(crossing, Crossing) else crossing
        if isinstance(value, Function):
            if private_methods.is_private(value.module, value.node):
                return ("private", value.module.path, value.node)
            if not _is_local(value) or self._takes_a_name(value, finding):
                return ("named", value.module.path, value.node)
            alone = isinstance(crossing, Crossing) and is_told_apart(crossing)
            same = None if alone else self.moves(value.module).key(value.node)
            return ("equal", value.module.path, same or value.node)
        if isinstance(value, External):
            return ("external", finding.place.path, value.name)
        return id(finding)

    def fix(self, group: list[Finding]) -> Fix:
        crossing = group[0].evidence
        if not isinstance(crossing, Crossing):
            raise CannotHoist("the name is not read by a function that is passed to the workers")
        self.crossing = crossing
        sentinels.refuse_copied(crossing, self.analysis)
        work = _Work(self._width)
        value = _sent(crossing)
        self._refuse_asking(value, group[0])
        self.newly = any(sent_with_tasks.newly_sends(each.evidence, value) for each in group)
        if isinstance(value, External):
            self._define_library_function(work, value, group)
        elif isinstance(value, Function) and private_methods.is_private(value.module, value.node):
            self._rename_private(work, value, group)
        elif isinstance(value, Function) and self._takes_a_name(value, group[0]):
            self._refuse_asked(value, group)
            self._wrap(work, value)
        elif isinstance(value, Function) and _is_local(value):
            self._move(work, value, crossing)
            for other in group[1:]:
                self._follow(work, value, other.evidence.value, other.evidence)
        elif isinstance(value, (Function, Class)):
            self._rename(work, value, group)
        else:
            raise CannotHoist("the function is not defined in this project")
        return work.fix()

    def _refuse_asking(self, value: Value, finding: Finding | None = None) -> None:
        """Refuse what asks for state of the parent, but for a local function that is passed it."""
        refuse_asking(value, self.analysis, is_moved=self._moves_out(value, finding))

    def _moves_out(self, value: Value, finding: Finding | None) -> bool:
        """Return whether the fix moves a function, and does not give it a name where it is."""
        if not isinstance(value, Function) or not _is_local(value):
            return False
        stays = private_methods.is_private(value.module, value.node)
        return not stays and (finding is None or not self._takes_a_name(value, finding))

    # Functions

    def _move(self, work: _Work, value: Function, crossing: Crossing | None) -> None:
        if value.node in work.done:
            return
        work.done.add(value.node)
        moves = self.moves(value.module)
        try:
            move = moves.move(value.node, _parameter(crossing), _is_called_by_loader(crossing))
        except CannotHoist as reason:
            if not work.moves:
                raise
            # A captured function may be of another file.
            raise CannotHoist(in_file(str(reason), value.module.path)) from None
        for draft in move.drafts:
            work.done.add(draft.node)
            self._check_consumers(draft, move, crossing)
        work.message = work.message or move.message
        work.moves.setdefault(value.module.path, []).append(move)
        for draft in move.drafts:
            self._move_captured(work, draft, value.frame, move)
            for cls in draft.classes:
                self._move_class(work, value.module, cls)

    def _move_class(self, work: _Work, module: Module, node: ast.ClassDef) -> None:
        """Move a local class that a function uses along with it, if it can move as it is."""
        if any(each is node for each in work.classes.get(module.path, {})):
            return
        _, plan = ClassMoves(module, self.analysis.project, self.analysis.bases_at(module)).move(
            node
        )
        changed = (*plan.renames, *plan.parameters, *plan.arguments, *plan.helpers)
        if changed or [each.name for each in plan.moves] != [node.name]:
            raise CannotHoist(
                f"the function uses the local class `{node.name}` (line {node.lineno})"
            )
        work.classes.setdefault(module.path, {})[node] = plan

    def _follow(
        self, work: _Work, first: Function, value: Function, crossing: Crossing | None
    ) -> None:
        """Let an equal function use what the first one became."""
        if value.node in work.done:
            return
        work.done.add(value.node)
        move = self.moves(value.module).follow(value.node, first.node)
        work.moves[first.module.path].append(move)
        for draft in move.drafts:
            self._check_consumers(draft, move, crossing)
            self._move_captured(work, draft, value.frame, move)

    def _check_consumers(self, draft: Draft, move: Move, crossing: Crossing | None) -> None:
        """What code asks of a function must be answered as before."""
        names = _names_on_the_way(crossing)
        is_plain = bool(draft.new_name) and not draft.captures and not draft.instance
        if draft.wrapped:
            wrapping.check(draft, self.analysis.project)
        for question in self.consumers.asks(draft.module, draft.node, names):
            if question.of_methods and not draft.instance:
                continue  # no function is a method, before or after
            lasts = bool(draft.keeps_name or draft.wrapped)
            if question.is_name and lasts and self._only_of_parent(question):
                continue
            if question.is_name and question.only_shown:
                move.doubts.append(
                    f"`{question.about}` of the function is shown ({question.place}), and the fix "
                    "changes it"
                )
                continue
            if question.is_signature and draft.positional:
                continue  # what a partial binds by position is no parameter of it
            if not is_plain:
                raise CannotHoist(
                    f"{question.asked_of(draft.what)} ({question.place}), but the fix "
                    "would change the result"
                )
            if question.is_name and draft.new_name != getattr(draft.node, "name", ""):
                move.doubts.append(
                    f"`{question.about}` of the function is read ({question.place}), but "
                    "the fix changes the name"
                )

    def _name_read(self, draft: Draft) -> bool:
        """Return whether code of the parent, and none of workers, reads the name of a function."""
        names = _names_on_the_way(self.crossing)
        asked = self.consumers.asks(draft.module, draft.node, names)
        return bool(asked) and all(each.is_name and self._only_of_parent(each) for each in asked)

    def _signature_read(self, draft: Draft) -> bool:
        """Return whether code may ask for the parameters of a function."""
        names = _names_on_the_way(self.crossing)
        return self.consumers.may_ask_signature(draft.module, draft.node, names)

    def _only_of_parent(self, question: Question) -> bool:
        """Return whether no code of a worker asks this: multiprocessing drops what is set on a partial."""
        return WorkerCode.of(self.analysis).runs(question.module, question.asked) is None

    def _refuse_asked(self, function: Function, group: list[Finding]) -> None:
        """Refuse a wrapper of which code asks something that `functools.wraps` changes."""
        names = {name for each in group for name in _names_on_the_way(each.evidence)}
        for question in self.consumers.asks(function.module, function.node, names):
            if not question.is_type:
                raise CannotHoist(
                    f"{question.asked_of('the function')} ({question.place}), but "
                    "`functools.wraps` would change the result"
                )

    def _refuse_name_read(self, function: Function, group: list[Finding]) -> None:
        """Refuse another name for a function of which code reads it."""
        names = {name for each in group for name in _names_on_the_way(each.evidence)}
        for question in self.consumers.asks(function.module, function.node, names):
            if question.is_name:
                raise CannotHoist(
                    f"{question.asked_of('the method')} ({question.place}), but the fix would "
                    "change the result"
                )

    # Captures

    def _move_captured(self, work: _Work, draft: Draft, frame: Frame, move: Move) -> None:
        """What is captured must survive itself; a closure among it is moved along."""
        for capture in draft.captures.values():
            if capture.scope is None:
                continue
            place = _frame_of(frame, capture.scope)
            read = _read_of(draft, capture.value)
            if read is None or place is None:
                continue
            values = self._values(Bound(read, place))
            for value in values:
                self._survive(work, value, f"the captured `{capture.name}`", draft, _DEPTH)
            if self.newly and not sent_with_tasks.are_small(capture, values, place, self.analysis):
                move.doubts.append(
                    f"`{capture.name}` is then pickled with every task of the pool, and it may be "
                    "large or not picklable"
                )

    def _survive(self, work: _Work, value: Value, what: str, draft: Draft, depth: int) -> None:
        """Refuse what cannot be pickled of a captured value: `what` says which part it is."""
        if depth == 0:
            return
        why = sent_with_tasks.unpicklable(value, self.analysis, draft.module) if self.newly else ""
        if why:
            raise CannotHoist(f"{what} {why}")
        self._refuse_asking(value)
        match value:
            case Function() if _is_local(value):
                same = self.moves(value.module).key(value.node) or value.node
                first = work.captured.setdefault((value.module.path, same), value)
                if first is value:
                    self._move(work, value, None)
                else:
                    self._follow(work, first, value, None)
            case Instance(cls=Class(node=cls) as made):
                if _is_local(made):
                    raise CannotHoist(
                        f"{what} cannot be pickled because its class "
                        f"`{cls.name}` is local ({made.module.path.name}:{cls.lineno})"
                    )
                self.carried.add(cls)
            case ExternalCall(name=maker):
                row = self.analysis.catalog.resource(maker)
                if row is not None and row.fails:
                    where = f"{value.frame.scope.module.path.name}:{value.node.lineno}"
                    raise CannotHoist(
                        f"{what}, which is returned by `{maker}`, cannot be pickled ({where})"
                    )
            case Generator() | ModuleValue():
                raise CannotHoist(f"{what} cannot be pickled")
            case External(name=dotted):
                if self.analysis.catalog.callable(dotted) is not None:
                    raise CannotHoist(f"the captured `{dotted}` cannot be pickled")
        if self.crossing is not None:
            for edge, reached in self.walk.children(value, self.crossing.boundary):
                self._survive(work, reached.value, _part_of(what, edge), draft, depth - 1)

    def _values(self, argument: Bound | Value) -> list[Value]:
        return list(self.analysis.values(argument))

    # Instances

    def _crosses(self, owner: ast.ClassDef) -> bool:
        """Return whether an instance of a class goes to the workers by this path anyway."""
        if self.crossing is None:
            return False
        if owner in self.carried:
            return True
        return any(self._is_of(owner, value) for value in self._shipped(self.crossing))

    def _shipped(self, crossing: Crossing) -> Iterator[Value]:
        """Yield what holds a value, and what else the same loader sends."""
        for above in crossing.above():
            yield above.value.owner if isinstance(above.value, BoundMethod) else above.value
        waiting = [tree for tree in self.analysis.trees if tree.boundary is crossing.boundary]
        while waiting:
            each = waiting.pop()
            yield each.value
            waiting += each.children

    def _is_of(self, owner: ast.ClassDef, value: Value) -> bool:
        """Return whether a value is an instance of a class, or of one derived from it."""
        return isinstance(value, Instance) and any(
            isinstance(each, Class) and each.node is owner for each in self.analysis.mro(value.cls)
        )

    def _set_again(self, module: Module, owner: ast.ClassDef, attribute: str) -> str:
        """Return where an attribute is set other than once in `__init__`."""
        for other in self.analysis.project.mentions(attribute):
            for node in other.nodes_by_name.get(attribute, ()):
                if not isinstance(node, ast.Attribute):
                    continue
                if isinstance(node.ctx, ast.Load) or _in_init(other, node, owner):
                    continue
                if _is_foreign(other, node, owner):
                    continue
                return f"`{attribute}` is reassigned ({other.path.name}:{node.lineno})"
        return ""

    def _member(self, module: Module, owner: ast.ClassDef, attribute: str) -> str:
        """Return what an attribute is, by the class and its bases and subclasses."""
        cls = self._class_of(module, owner)
        if cls is None:
            return ""
        line = [*self.analysis.mro(cls), *self.analysis.interpreter.instances.subclasses(cls)]
        found = ""
        for each in line:
            if isinstance(each, Class):
                found = found or member_of(each.node, attribute)
            else:
                found = found or "attribute"  # of a base that is not in view
        return found

    def _class_of(self, module: Module, owner: ast.ClassDef) -> Class | None:
        scope = module.scope_of(owner)
        frame = self.analysis.frame(scope)
        for binding in scope.bindings.get(owner.name, ()):
            if binding.node is owner:
                for reached in self.analysis.interpreter.binding(binding, frame):
                    if isinstance(reached.value, Class):
                        return reached.value
        return None

    # Globals

    def _only_parent(self, module: Module, node: ast.AST) -> set[str]:
        """Return the names a function reads that are set by functions of the parent only."""
        scopes = list(module.inner_scope(node).walk())
        read = {name for scope in scopes for name in scope.reads}
        if not read & module.scope.module_globals.keys():
            return set()
        return {name for reader, name in self.settings if reader in {each.node for each in scopes}}

    @cached_property
    def settings(self) -> set[tuple[ast.AST, str]]:
        """The functions that would read another value in a worker, and the names: DLF303."""
        found = [each.evidence for each in GlobalSetInMain().check(self.analysis)]
        return {
            (read.function.node, read.name)
            for read in WorkerCode.of(self.analysis).global_reads()
            if any(
                same.name.module is read.module and same.name.name == read.name for same in found
            )
        }

    def _is_loader(self, module: Module, node: ast.expr) -> bool:
        """Return whether iterating over what an expression gives yields samples, not what it holds."""
        while isinstance(node, ast.Call) and last_name(node.func) in _GOING_THROUGH and node.args:
            node = node.args[0]
        values = self._values(Bound(node, self.analysis.frame(module.scope_of(node))))
        return bool(values) and all(
            isinstance(each, ExternalCall) and self.analysis.catalog.boundary(each.name)
            for each in values
        )

    def _passes_all_on(self, module: Module, decorator: ast.expr) -> bool:
        """Return whether a decorator's function calls what it wraps with all that it is given."""
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        values = self._values(Bound(func, self.analysis.frame(module.scope_of(decorator))))
        return bool(values) and all(
            isinstance(each, Function) and _passes_all_on(each.node) for each in values
        )

    # Library functions

    def _found_by_name(self, module: Module, func: ast.expr) -> bool:
        values = self._values(Bound(func, self.analysis.frame(module.scope)))
        return bool(values) and all(self._is_named(value) for value in values)

    def _is_named(self, value: Value) -> bool:
        """Return whether pickle is known to find a function or class by its name."""
        match value:
            case External(name=dotted):
                return _is_measured(dotted) and self.analysis.catalog.callable(dotted) is None
            case Function(node=ast.FunctionDef() as node):
                is_static = value.frame.scope.is_class and decorators(node) == {"staticmethod"}
                return not _is_local(value) and (is_static or not node.decorator_list)
            case Class():
                return not _is_local(value)
        return False

    def _define_library_function(self, work: _Work, value: External, group: list[Finding]) -> None:
        found: dict[Span, ast.expr] = {}
        module: Module | None = None
        for finding in group:
            where, nodes = self._written(value, finding.evidence)
            module = module or where
            found.update({where.span(node): node for node in nodes if where is module})
        if module is None or not found:
            raise CannotHoist(f"`{value.name}` is not passed by name")
        first = found[min(found)]
        text = module.segment(first)
        root = text.partition(".")[0]
        if not is_global(module, module.scope_of(first), root):
            raise CannotHoist(f"`{root}` is not imported at module level (line {first.lineno})")
        moves = self.moves(module)
        bare = value.name.rpartition(".")[2]
        name = naming.free_name(naming.private(bare), moves.taken | moves.given)
        moves.given.add(name)
        body = f"def {name}(*args, **kwargs):\n    return {text}(*args, **kwargs)\n"
        work.message = f"Wrap `{text}` in the module-level function `{name}`"
        work.definitions[module.path] = [Definition(body, min(found))]
        work.uses[module.path] = [Use(span, Expression(name)) for span in found]

    def _written(self, value: External, crossing: Crossing) -> tuple[Module, list[ast.expr]]:
        """Return where a library's function is named, on the way it is handed over."""
        places = [(passed.module, passed.module.span(passed.node)) for passed in crossing.passed]
        for step in reversed(crossing.path):
            places.append((self.analysis.project.module(step.place.path), step.place.span))
        for module, span in places:
            nodes = self._named_at(value, module, span)
            if nodes:
                return module, nodes
        raise CannotHoist(f"`{value.name}` is not passed by name")

    def _named_at(self, value: External, module: Module, span: Span) -> list[ast.expr]:
        statements = [
            node
            for node in module.parents
            if isinstance(node, ast.stmt) and module.span(node).contains(span)
        ]
        if not statements:
            return []
        innermost = max(statements, key=lambda node: module.span(node).start)
        last = value.name.rpartition(".")[2]
        return [
            node
            for written in _expressions(innermost)
            for node in ast.walk(written)
            if isinstance(node, (ast.Attribute, ast.Name))
            and isinstance(node.ctx, ast.Load)
            and not _is_called(module, node)
            and (_is_imported(module, node) if isinstance(node, ast.Name) else node.attr == last)
            and self._is(value, module, node)
        ]

    def _is(self, value: External, module: Module, node: ast.expr) -> bool:
        frame = self.analysis.frame(module.scope_of(node))
        return any(
            isinstance(each, External) and each.name == value.name
            for each in self._values(Bound(node, frame))
        )

    # Names bound again

    def _rename(self, work: _Work, value: Function | Class, group: list[Finding]) -> None:
        """Give what lost its name to something made of it a private one."""
        node, module = value.node, value.module
        if isinstance(node, ast.Lambda):
            raise CannotHoist(f"the lambda cannot be found by its name (line {node.lineno})")
        wanted = rebinding.name_of_registered(module, node) if self._is_kept_here(value) else ""
        if wanted and isinstance(value, Function):
            self._refuse_name_read(value, group)
        reads = rebinding.reads_before(module, node) if not wanted else []
        moves = self.moves(module)
        wanted = wanted or naming.private(node.name)
        name = naming.free_name(wanted, moves.taken | moves.given)
        moves.given.add(name)
        spans = [rebinding.name_span(module, node), *(module.span(read) for read in reads)]
        work.uses[module.path] = [Use(span, Expression(name)) for span in spans]
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        work.message = f"Rename the {kind} `{node.name}` to `{name}`"

    def _is_kept_here(self, value: Function | Class) -> bool:
        """Return whether all that decorates a function is in view: a library may go by its name."""
        places = [
            Bound(each.func if isinstance(each, ast.Call) else each, value.frame)
            for each in getattr(value.node, "decorator_list", ())
        ]
        own = (Function, BoundMethod, Class, Instance)
        found = [self._values(place) for place in places]
        return all(values and all(isinstance(v, own) for v in values) for values in found)

    def _rename_private(self, work: _Work, value: Function, group: list[Finding]) -> None:
        """Give a method with a class-private name one that its class keeps it under."""
        node, module = value.node, value.module
        owner = module.parent(node)
        assert isinstance(node, private_methods.Method)
        assert isinstance(owner, ast.ClassDef)
        self._refuse_name_read(value, group)
        cls = self._class_of(module, owner)
        if cls is None:
            raise CannotHoist(f"its class cannot be read (line {node.lineno})")
        line = [*self.analysis.mro(cls), *self.analysis.interpreter.instances.subclasses(cls)]
        name, places = private_methods.renamed(
            self.analysis.project, module, node, line, self.methods
        )
        work.uses[module.path] = [Use(span, Expression(text)) for span, text in places]
        work.message = f"Rename the method `{node.name}` of `{owner.name}` to `{name}`"

    # Decorators

    def _takes_a_name(self, value: Function, finding: Finding) -> bool:
        """Return whether a function takes the place, and so the name, of one that it decorates."""
        if any(callee_name(each) == "wraps" for each in getattr(value.node, "decorator_list", ())):
            return False
        if _was_decorated(finding):
            return True
        outer = value.frame.scope.node
        if not isinstance(outer, ast.FunctionDef) or not isinstance(value.node, ast.FunctionDef):
            return False
        returned = [each.value for each in value.module.inner_scope(outer).returns]
        taken = any(isinstance(r, ast.Name) and r.id == value.node.name for r in returned)
        return taken and bool(self.analysis.interpreter.callers.decorated(value.frame))

    def _wrap(self, work: _Work, value: Function) -> None:
        """Give the function a decorator puts in place `functools.wraps`."""
        inner, module = value.node, value.module
        outer = value.frame.scope.node
        if isinstance(inner, ast.Lambda) or not isinstance(outer, ast.FunctionDef):
            raise CannotHoist(
                f"the decorator does not return a function that it defines (line {inner.lineno})"
            )
        parameters = [*outer.args.posonlyargs, *outer.args.args]
        names = {inner.name, *(each.arg for each in parameters[:1])}  # what is decorated, as it is
        if not parameters or _returns_other(module, outer, names):
            raise CannotHoist(
                f"the decorator `{outer.name}` does not always return `{inner.name}` (line "
                f"{outer.lineno})"
            )
        wraps = Wraps(module.span(inner), parameters[0].arg)
        work.wraps[module.path] = [wraps]
        name = _decorator_name(module, outer)
        work.message = f"Add `functools.wraps` to the decorator `{name}`"


def _sent_by(finding: Finding) -> tuple[BoundMethod, Crossing] | None:
    crossing = finding.evidence
    return static_methods.sent_by(crossing) if isinstance(crossing, Crossing) else None


def _passes_all_on(function: ast.AST) -> bool:
    for inner in ast.walk(function):
        if not isinstance(inner, ast.FunctionDef) or not (inner.args.vararg and inner.args.kwarg):
            continue
        rest, named = inner.args.vararg.arg, inner.args.kwarg.arg
        for call in ast.walk(inner):
            if not isinstance(call, ast.Call):
                continue
            starred = [ast.unparse(each) for each in call.args]
            doubled = [ast.unparse(each.value) for each in call.keywords if each.arg is None]
            if f"*{rest}" in starred and named in doubled:
                return True
    return False


def _decorator_name(module: Module, outer: ast.FunctionDef) -> str:
    scope = module.scope_of(outer)
    return scope.name if scope.is_function else outer.name


def _expressions(statement: ast.stmt) -> list[ast.AST]:
    """Return what a statement works out itself: of a function, its defaults."""
    match statement:
        case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            return [each for each in [*args.defaults, *args.kw_defaults] if each is not None]
        case ast.ClassDef():
            return []
    return [statement]


def _is_imported(module: Module, node: ast.Name) -> bool:
    """Return whether a name is the library's, not a variable that may hold others another time."""
    scope = module.scope_of(node).lookup(node.id)
    bindings = scope.bindings.get(node.id, []) if scope is not None else []
    return bool(bindings) and all(each.kind == "import" for each in bindings)


def _is_measured(dotted: str) -> bool:
    """Return whether a function or class of a library is known to be found by its name."""
    root, _, rest = dotted.partition(".")
    if root in _MEASURED or dotted.rpartition(".")[2][:1].isupper():
        return True
    plain = "." not in rest or dotted.startswith("os.path.")
    return plain and root in sys.stdlib_module_names and root != "random"


def _is_called(module: Module, node: ast.expr) -> bool:
    parent = module.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _was_decorated(finding: Finding) -> bool:
    """Return whether a finding is about what a decorator put in a function's place."""
    crossing = finding.evidence
    if not isinstance(crossing, Crossing):
        return False
    if isinstance(crossing.value, BoundMethod):
        return not isinstance(crossing.value.function.node, ast.Lambda)
    notes = [each.note for each in crossing.passed]
    return isinstance(crossing.value, Function) and DECORATED in notes and _is_local(crossing.value)


def _sent(crossing: Crossing) -> Value:
    """Return what crosses; of a method its function."""
    value = crossing.value
    return value.function if isinstance(value, BoundMethod) else value


def _returns_other(module: Module, outer: ast.FunctionDef, names: set[str]) -> bool:
    returns = module.inner_scope(outer).returns
    return not returns or any(
        not isinstance(each.value, ast.Name) or each.value.id not in names for each in returns
    )


def _is_local(value: Function | Class) -> bool:
    """Return whether a function is a lambda, or cannot be found by its name."""
    if isinstance(value.node, ast.Lambda):
        return True
    scope = value.module.scope_of(value.node)
    above: Scope | None = scope
    while above is not None:
        if above.is_function:
            return True
        above = above.parent
    return guard_of(value.module, value.node) is not None


def _parameter(crossing: Crossing | None) -> str:
    """Return the parameter or attribute a value hangs by, as a hint for its name."""
    if crossing is None or crossing.edge.kind not in ("argument", "attribute"):
        return ""
    return crossing.edge.name


def _names_on_the_way(crossing: Crossing | None) -> set[str]:
    """Return the parameters and attributes that hold a value, or what holds it."""
    if crossing is None:
        return set()
    return {each.edge.name for each in [crossing, *crossing.above()] if each.edge.name}


def _part_of(what: str, edge: Edge) -> str:
    """Say which part of a captured value something is: `config.parser` of `config`."""
    if edge.kind == "attribute" and what.endswith("`"):
        return f"{what[:-1]}.{edge.name}`"
    return f"`.{edge.name}` of {what}" if edge.kind == "attribute" else f"a part of {what}"


def _is_called_by_loader(crossing: Crossing | None) -> bool:
    """Return whether it is the loader itself that calls a function: no keyword comes with it."""
    if crossing is None or crossing.edge.kind != "argument":
        return False
    return crossing.edge.name in ("collate_fn", "worker_init_fn")


def _frame_of(frame: Frame | None, scope: Scope) -> Frame | None:
    """Return the activation of the scope that binds a captured name."""
    while frame is not None and frame.scope is not scope:
        frame = frame.enclosing
    return frame


def _read_of(draft: Draft, name: str) -> ast.Name | None:
    for scope in draft.scope.walk():
        for read in scope.reads.get(name, ()):
            return read
    return None


def _in_init(module: Module, node: ast.AST, owner: ast.ClassDef) -> bool:
    for above in module.ancestors(node):
        if isinstance(above, (ast.For, ast.While)):
            return False
        if isinstance(above, ast.FunctionDef):
            return above.name in ("__init__", "__post_init__") and above in owner.body
    return False


def _is_foreign(module: Module, node: ast.Attribute, owner: ast.ClassDef) -> bool:
    """Return whether this sets `self.x` in a class that has nothing to do with `owner`."""
    if not isinstance(node.value, ast.Name) or node.value.id != "self":
        return False
    for above in module.ancestors(node):
        if isinstance(above, ast.ClassDef):
            bases = {last_name(base) for base in above.bases}
            mine = {last_name(base) for base in owner.bases}
            return above is not owner and owner.name not in bases and above.name not in mine
    return False
