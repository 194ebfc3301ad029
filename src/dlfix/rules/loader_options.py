"""The options of a loader's call, and which of torch's checks they fail."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.bindings import Binding
from dlfix.project.module import enclosing_function
from dlfix.project.syntax import last_name
from dlfix.reach.must_run import conditions
from dlfix.reach.predicates import COMPARING
from dlfix.reach.values import (
    Bound,
    BoundMethod,
    Class,
    Constant,
    Container,
    ExternalCall,
    Frame,
    Function,
    Instance,
    ModuleValue,
    Partial,
)
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.loader_checks import CHECKS, DEFAULTS, FIXED, FURTHER, Check, Option, Thing

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.values import Value

ITERABLE = "torch.utils.data.IterableDataset"
CONTEXT = "multiprocessing_context"
MOST_COMBINATIONS = 64


@dataclass(frozen=True)
class WrongOption:
    """What the planner reads: the boundary, the check it fails, and the options as read."""

    boundary: Boundary
    check: Check
    options: dict[str, Option]
    reader: OptionReader


class OptionReader:
    """Reads the options of one loader: for each the values it may have, or None if not known."""

    def __init__(self, analysis: Analysis, boundary: Boundary) -> None:
        self.analysis = analysis
        self.boundary = boundary
        self.open_ended = _open_ended(boundary)

    def argument(self, name: str) -> Bound | Value | None:
        """Return what is passed for an option."""
        return self.boundary.arguments.get(name)

    def node(self, name: str) -> ast.expr | None:
        """Return the expression that is passed for an option."""
        argument = self.argument(name)
        return argument.node if isinstance(argument, Bound) else None

    def literal(self, name: str) -> bool:
        """Return whether an option is spelled out in the call, or left out of it."""
        argument = self.argument(name)
        if argument is None:
            return not self.open_ended
        node = self.node(name)
        return isinstance(argument, Constant) or (node is not None and _literal(node) is not None)

    def values(self, name: str) -> list[Option] | None:
        """Return the values an option may have, None where one of them is not known."""
        argument = self.argument(name)
        if argument is None:
            return None if self.open_ended or name not in DEFAULTS else [DEFAULTS[name]]
        node = self.node(name)
        if isinstance(argument, Bound) and _is_put_in(argument):
            return self._put_in_one_branch(name, argument)
        if name == "dataset":
            return self._things(argument, node)
        if isinstance(argument, Bound) and node is not None:
            constants = certain(node, argument.frame, rounded=name == "num_workers")
            if constants is not None:
                return list(constants)
            if name in ("num_workers", "batch_size", "timeout", "prefetch_factor"):
                return None
        elif isinstance(argument, Constant):
            return [argument.value]
        return self._things(argument, node)

    def _put_in_one_branch(self, name: str, argument: Bound) -> list[Option] | None:
        """Return the two values of an option that `if test: options[name] = 2` sets, where no other code sets it."""
        module = argument.frame.module
        statement = module.parent(argument.node)
        branch = module.parent(statement) if isinstance(statement, ast.Assign) else None
        constant = _literal(argument.node)
        only = not any(
            key.partition("[")[0] == name for key in self.boundary.arguments.keys() - {name}
        )
        if constant is None or name not in DEFAULTS or not only or argument.rounds:
            return None
        if not isinstance(branch, ast.If) or any(conditions(self.boundary.node, module)):
            return None
        return [DEFAULTS[name], *constant]

    def is_chosen_by_data(self) -> bool:
        """Return whether a factory decides by what it loaded if the dataset is an iterable one."""
        argument = self.argument("dataset")
        here = enclosing_function(self.boundary.frame.module, self.boundary.node)
        return any(
            _depends_on_locals(value.call, value.frame.module, here)
            for value in (self.analysis.values(argument) if argument is not None else ())
            if isinstance(value, Instance) and value.call is not None and value.frame is not None
        )

    def _things(self, argument: Bound | Value, node: ast.expr | None) -> list[Option] | None:
        if self._depends_on_callers(argument, node):
            return None
        text = ast.unparse(node) if node is not None else "..."
        options = [self._option(v, text) for v in self.analysis.values(argument)]
        if not options or any(option is None for option in options):
            return None
        return [option[0] for option in options if option is not None]

    def _depends_on_callers(self, argument: Bound | Value, node: ast.expr | None) -> bool:
        if not isinstance(argument, Bound) or node is None or argument is self.argument("dataset"):
            return False
        return _from_outside(node, argument.frame)

    def _option(self, value: Value, text: str) -> tuple[Option] | None:
        """Return an option's value in a tuple; None where it is not known."""
        if isinstance(value, Constant):
            return (value.value,)
        if isinstance(value, Instance):
            kind = self._dataset_kind(value.cls)
            return None if kind is None else (Thing(text, kind),)
        if isinstance(value, ExternalCall):
            last = value.name.rpartition(".")[2]
            if last in ("get_context", "_get_context"):
                return (Thing(text, "context"),)
            return (Thing(text),) if last[:1].isupper() else None
        if isinstance(value, (Function, BoundMethod, Partial, Class, ModuleValue)):
            return (Thing(text, "other"),)
        if isinstance(value, Container):
            return (Thing(text, "other"),) if value.items else None
        return None

    def _dataset_kind(self, cls: Class) -> str | None:
        names = [getattr(base, "name", "") for base in self.analysis.mro(cls)]
        bases = [name for name in names if "." in name]
        if any("IterDataPipe" in name for name in bases):
            return "datapipe"
        if any(name.endswith(".IterableDataset") for name in bases):
            return "iterable"
        return "" if _settled(cls, self.analysis) else None


def _settled(cls: Class, analysis: Analysis) -> bool:
    """Return whether all bases of a class are known, so that it is no IterableDataset."""
    known = ("torch.utils.data.", "torch.", "builtins.", "abc.", "typing.", "object")
    for base in analysis.mro(cls):
        if isinstance(base, Class):
            continue
        if not getattr(base, "name", "").startswith(known):
            return False
    return True


def _depends_on_locals(call: ast.Call, module: Module, here: ast.AST | None) -> bool:
    """Return whether a function other than `here` decides by its local names if a call is made."""
    around = enclosing_function(module, call)
    if around is None or around is here:
        return False
    bindings = module.inner_scope(around).bindings
    return any(
        isinstance(node, ast.Name) and any(b.kind != "parameter" for b in bindings.get(node.id, ()))
        for test in conditions(call, module)
        for node in ast.walk(test.test if isinstance(test, ast.If) else test)
    )


def _is_put_in(argument: Bound) -> bool:
    """Return whether an option is put into a mapping later, maybe not every time: `options[x] = 2`."""
    module = argument.frame.module
    if argument.rounds or any(_merges(step.node) for step in argument.passed):
        return True
    above = module.parent(argument.node)
    while isinstance(above, ast.keyword | ast.Dict):
        above = module.parent(above)
    if isinstance(above, ast.Call):
        return isinstance(above.func, ast.Attribute) and above.func.attr in ("update", "setdefault")
    return isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Subscript)


def _merges(node: ast.AST) -> bool:
    """Return whether a statement puts what one mapping holds into another."""
    match node:
        case ast.AugAssign() | ast.Expr(value=ast.Call(func=ast.Attribute(attr="update"))):
            return True
    return False


def _open_ended(boundary: Boundary) -> bool:
    """Return whether more options may be passed than those that were read."""
    call = boundary.node
    if not isinstance(call, ast.Call):
        return True
    if any(isinstance(a, ast.Starred) for a in call.args):
        return True
    return any(k.arg is None and not isinstance(k.value, ast.Dict) for k in call.keywords)


def certain(node: ast.expr, frame: Frame, *, rounded: bool) -> tuple[Option, ...] | None:
    """Return the constants an expression may be, by its own text; no parameter's default counts.

    With `rounded` what is rounded down may be 0: fewer workers than GPUs are usual, smaller batches are not.
    """
    constant = _literal(node)
    if constant is not None:
        return constant
    if _is_rounded_down(node):
        return (0, 1) if rounded else None
    if rounded and _is_share_of_processors(node):
        return (0.5,)
    if isinstance(node, ast.IfExp):
        parts = [certain(part, frame, rounded=rounded) for part in (node.body, node.orelse)]
        return None if None in parts else tuple(v for part in parts if part for v in part)
    if not isinstance(node, ast.Name):
        return None
    scope = frame.scope.lookup(node.id)
    bindings = scope.bindings.get(node.id, []) if scope else []
    if scope is None or len(bindings) != 1 or _rebound(scope, node.id):
        return None
    binding = bindings[0]
    if binding.kind == "parameter" and scope is frame.scope:
        return _passed(node.id, frame, rounded=rounded)
    if binding.kind not in ("assign", "annotated") or binding.value is None or binding.path:
        return None
    if _in_loop_or_branch(scope.module, binding):
        return None
    if _is_rounded_down(binding.value):
        return (0, 1) if rounded and not _is_tested(scope, node.id) else None
    if rounded and _is_share_of_processors(binding.value):
        return (0.5,)
    return _literal(binding.value)


def _is_share_of_processors(node: ast.expr) -> bool:
    """Return whether a number is `os.cpu_count() / 2`, which is no integer even where nothing remains."""
    match node:
        case ast.BinOp(left=ast.Call(func=called), op=ast.Div(), right=by):
            divisor = (_literal(by) or (None,))[0]
            is_share = isinstance(divisor, (int, float)) and divisor > 0
            return is_share and last_name(called) == "cpu_count"
    return False


def _is_rounded_down(node: ast.expr) -> bool:
    """Return whether a number is 0 where another is small: `workers // 4`, `int(workers / gpus)`."""
    match node:
        case ast.Call(func=ast.Name(id="min"), args=args):
            return any(map(_is_rounded_down, args))
        case ast.Call(func=ast.Name(id="int"), args=[ast.BinOp(op=ast.Div()) as quotient]):
            return _is_quotient(quotient)
        case ast.BinOp(op=ast.FloorDiv()):
            return _is_quotient(node)
    return False


def _is_quotient(node: ast.BinOp) -> bool:
    """Return whether a named number is divided by another, or by a constant above 1."""
    named = (ast.Name, ast.Attribute)
    by = _literal(node.right)
    above_one = by is not None and isinstance(by[0], (int, float)) and by[0] > 1
    return isinstance(node.left, named) and (above_one or isinstance(node.right, named))


def _is_tested(scope: Scope, name: str) -> bool:
    """Return whether code asks what a name is."""
    tests = (ast.Compare, ast.BoolOp, ast.If, ast.IfExp, ast.Assert, ast.UnaryOp)
    return any(isinstance(scope.module.parent(use), tests) for use in scope.reads.get(name, ()))


def _passed(name: str, frame: Frame, *, rounded: bool) -> tuple[Option, ...] | None:
    """Return what the call that made a frame passes for a parameter, where it spells it out."""
    found: list[Option] = []
    for argument in (frame.arguments or {}).get(name, ()):
        values = (
            certain(argument.node, argument.frame, rounded=rounded)
            if isinstance(argument, Bound)
            else None
        )
        if values is None:
            return None
        found += values
    return tuple(found) or None


def _literal(node: ast.expr) -> tuple[Option] | None:
    if isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.Constant) and isinstance(inner.value, (int, float)):
            return (-inner.value,)
    return None


def _rebound(scope: Scope, name: str) -> bool:
    return any(name in inner.globals | inner.nonlocals for inner in scope.walk())


def _in_loop_or_branch(module: Module, binding: Binding) -> bool:
    above = module.parent(binding.statement)
    return isinstance(above, (ast.If, ast.For, ast.While, ast.Try)) and not (
        isinstance(above, ast.If) and module.parent(above) is module.tree
    )


def _from_outside(node: ast.expr, frame: Frame) -> bool:
    """Return whether an option is a parameter whose callers are not all known."""
    if not isinstance(node, ast.Name):
        return False
    scope = frame.scope.lookup(node.id)
    bindings = scope.bindings.get(node.id, []) if scope else []
    return any(b.kind == "parameter" for b in bindings) and not frame.arguments


def wrong_options(analysis: Analysis, rule: str) -> Iterator[WrongOption]:
    """Yield the checks of a rule that the loaders in view fail."""
    for boundary in analysis.boundaries:
        if boundary.kind == "DataLoader" and _takes_options(boundary):
            found: dict[Check, WrongOption] = {}
            for each in _by_mapping(boundary):
                for wrong in _wrong(OptionReader(analysis, each), rule):
                    found.setdefault(wrong.check, wrong)
            yield from found.values()
    for attribute, boundary in _late_stores(analysis, (CONTEXT,)):
        yield from _wrong_context(analysis, attribute, boundary, rule)


def _by_mapping(boundary: Boundary) -> list[Boundary]:
    """Return a boundary once for each of several mappings that may give its options, with the options of that one."""
    sources = {name: _mapping_of(given, boundary) for name, given in boundary.arguments.items()}
    several = _alternatives(boundary, sources)
    if len(several) < 2:
        return [boundary]
    found = []
    for one in several:
        arguments: dict[str, Bound | Value] = {}
        for name, given in boundary.arguments.items():
            if sources[name] is one:
                arguments[name.partition("[")[0]] = given
            elif sources[name] not in several:
                arguments.setdefault(name, given)
        found.append(replace(boundary, arguments=arguments))
    return found


def _alternatives(boundary: Boundary, sources: Mapping[str, ast.AST | None]) -> dict[ast.AST, None]:
    """Return the mappings of which one call gets one: chosen by a test, rows of a table, or with an option in common."""
    by_option: dict[str, dict[ast.AST, None]] = {}
    for name, source in sources.items():
        if source is not None:
            by_option.setdefault(name.partition("[")[0], {})[source] = None
    found = {each: None for given in by_option.values() if len(given) > 1 for each in given}
    for name, source in sources.items():
        given = boundary.arguments[name]
        if source is not None and isinstance(given, Bound) and given.passed:
            found[source] = None
    return found


def _mapping_of(given: Bound | Value, boundary: Boundary) -> ast.AST | None:
    """Return the dict, or the other call, that spells out an option; None for one of the loader's own call."""
    if not isinstance(given, Bound):
        return None
    module = given.frame.module
    above = module.parent(given.node)
    if isinstance(above, ast.keyword):
        above = module.parent(above)
    return above if isinstance(above, (ast.Dict, ast.Call)) and above is not boundary.node else None


def _wrong(reader: OptionReader, rule: str) -> Iterator[WrongOption]:
    for check in (*CHECKS, *FURTHER):
        options = failing(reader, check) if check.rule == rule else None
        if options is not None:
            yield WrongOption(reader.boundary, check, options, reader)


def _wrong_context(
    analysis: Analysis, attribute: ast.Attribute, boundary: Boundary, rule: str
) -> Iterator[WrongOption]:
    """Yield what the setter of a loader's context refuses, as the constructor does."""
    statement = boundary.frame.module.parent(attribute)
    if not isinstance(statement, ast.Assign):
        return
    given = Bound(statement.value, analysis.frame(boundary.frame.module.scope_of(attribute)))
    late = replace(boundary, arguments={**boundary.arguments, CONTEXT: given})
    for wrong in _wrong(OptionReader(analysis, late), rule):
        if wrong.check.culprit == CONTEXT:
            yield wrong


def _takes_options(boundary: Boundary) -> bool:
    own = boundary.row is not None and boundary.row.own_options
    return isinstance(boundary.node, ast.Call) and bool(boundary.arguments) and not own


# What an option that is not known may be: enough to tell whether a check fails whatever it is.
_ANY: Mapping[str, list[Option]] = {"batch_size": [None, 1, 2], "drop_last": [False, True]}


def failing(reader: OptionReader, check: Check) -> dict[str, Option] | None:
    """Return options with which a check fails: for certain, or by the culprit's value alone."""
    without_workers = _failing_without_workers(reader, check)
    if without_workers is not None:
        return without_workers
    found: list[list[Option]] = []
    is_sure = True
    for name in check.reads:
        values = reader.values(name)
        if values is None:
            values = _indifferent(name, check)
        if values is None:
            values, is_sure = _ANY.get(name), False
        if values is None:
            return None
        found.append(values)
    combinations = list(itertools.islice(itertools.product(*found), MOST_COMBINATIONS))
    failures = [c for c in combinations if check.fails(*c)]
    if not failures:
        return None
    if len(failures) < len(combinations) and not (is_sure and _independent(reader, check, found)):
        return None
    options = dict(zip(check.reads, failures[0], strict=True))
    return {**options, "valid_start_methods": ["fork", "spawn", "forkserver"]}


def _failing_without_workers(reader: OptionReader, check: Check) -> dict[str, Option] | None:
    """Return options that a call passes just where there are no workers: `2 if workers == 0 else factor`."""
    if check.reads != (check.culprit, "num_workers"):
        return None
    passed = passed_without_workers(reader, check.culprit)
    value = _literal(passed) if passed is not None else None
    workers = reader.values("num_workers")
    if value is None or not (workers is None or 0 in workers) or not check.fails(value[0], 0):
        return None
    return {check.culprit: value[0], "num_workers": 0}


def passed_without_workers(reader: OptionReader, name: str) -> ast.expr | None:
    """Return what an option is where its own test says that there are no workers; None where it has no such test."""
    chosen, workers = reader.node(name), reader.node("num_workers")
    if not isinstance(chosen, ast.IfExp) or workers is None:
        return None
    held = _holds_without(chosen.test, ast.unparse(workers))
    return None if held is None else chosen.body if held else chosen.orelse


def _holds_without(test: ast.expr, workers: str) -> bool | None:
    """Return how a test of the number of workers comes out for 0; None where it asks something else."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            held = _holds_without(operand, workers)
            return None if held is None else not held
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=int(bound))]):
            compare = COMPARING.get(type(op)) if ast.unparse(left) == workers else None
            return None if compare is None else bool(compare(0, bound))
        case _ if ast.unparse(test) == workers:
            return False
    return None


def _independent(reader: OptionReader, check: Check, found: list[list[Option]]) -> bool:
    """Return whether one option alone decides: the others are spelled out, so nothing ties it to them."""
    varying = [name for name, values in zip(check.reads, found, strict=True) if len(values) > 1]
    if varying == ["dataset"] and reader.is_chosen_by_data():
        return False
    return len(varying) == 1 and all(
        name in varying or name == "dataset" or reader.literal(name) for name in check.reads
    )


def _indifferent(name: str, check: Check) -> list[Option] | None:
    """Return what an unknown dataset may be, where the check only asks whether it is iterable."""
    if name == "dataset" and check.rule == "DLF402":
        return [Thing("...")]
    return None


def findings(rule: type[Rule], analysis: Analysis) -> Iterator[Finding]:
    """Yield a rule's findings: torch's own sentence, at the option that is wrong."""
    for wrong in wrong_options(analysis, rule.code):
        boundary, check = wrong.boundary, wrong.check
        module = boundary.frame.module
        call = module.place(boundary.node)
        node = wrong.reader.node(check.culprit)
        place = module.place(node) if node is not None and _within(module, node) else call
        yield Finding(
            rule,
            check.message(wrong.options),
            place,
            (Step(call, f"{boundary.kind}(...)"), Step(place, _spelled(check.culprit, node))),
            error=check.error(wrong.options),
            evidence=wrong,
        )


def _within(module: Module, node: ast.expr) -> bool:
    return node in module.parents


def _spelled(name: str, node: ast.expr | None) -> str:
    return f"{name}={ast.unparse(node)}" if node is not None else name


def late_changes(analysis: Analysis, rule: type[Rule]) -> Iterator[Finding]:
    """Yield what is set on a loader although torch forbids it once the loader is made."""
    check = next(c for c in CHECKS if c.reads == ("attribute",))
    for node, boundary in _late_stores(analysis, FIXED):
        module = boundary.frame.module
        options = {"attribute": node.attr}
        steps = (
            Step(module.place(boundary.node), f"{boundary.kind}(...)"),
            Step(module.place(node), f".{node.attr} is set"),
        )
        yield Finding(
            rule, check.message(options), module.place(node), steps, error=check.error(options)
        )


def _late_stores(
    analysis: Analysis, names: Sequence[str]
) -> Iterator[tuple[ast.Attribute, Boundary]]:
    """Yield each place, in the module of a loader, that sets one of these on it."""
    made: dict[ast.AST, Boundary] = {
        b.node: b for b in analysis.boundaries if b.kind == "DataLoader"
    }
    for module in {b.frame.module: None for b in made.values()}:
        for node in module.parents:
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
                continue
            if node.attr not in names or not isinstance(node.value, (ast.Name, ast.Attribute)):
                continue
            boundary = _loader_of(analysis, module, node.value, made)
            if boundary is not None and boundary.frame.module is module:
                yield node, boundary


def _loader_of(
    analysis: Analysis,
    module: Module,
    node: ast.expr,
    made: dict[ast.AST, Boundary],
) -> Boundary | None:
    reached = analysis.evaluate(node, analysis.frame(module.scope_of(node)))
    calls = [r.value.node if isinstance(r.value, ExternalCall) else None for r in reached]
    if calls and all(call in made for call in calls):
        return made[calls[0]]  # type: ignore[index]
    return None
