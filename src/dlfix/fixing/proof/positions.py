"""What a constructor did to a handle: one that is opened again is without it, and stands at the beginning."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TypeGuard

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order
from dlfix.fixing.proof.accesses import sets_first
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import (
    MOVE_NOTHING,
    Held,
    Operation,
    held_by,
    in_order,
    is_handled,
    operations,
    operations_on,
    returned,
    said_first,
)
from dlfix.fixing.proof.late_code import used_on_self
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.rewinding import Rewinding
from dlfix.fixing.proof.state import opened_when_asked, positions_sent, restored
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    last_part,
    own_attributes,
    own_targets,
    self_name,
    targets_of,
    within,
)
from dlfix.project.import_time import ImportTime

_Method = tuple[Class, Function]
_STREAMS = frozenset(
    "open io.open gzip.open bz2.open lzma.open codecs.open os.fdopen csv.reader csv.DictReader wave.open"
    " cv2.VideoCapture VideoCapture reader DictReader SoundFile TextIOWrapper BufferedReader iter"
    " pathlib.open makefile".split()
)
_ADVANCES = frozenset(
    "readline readlines read read1 readinto seek skip grab __next__ fieldnames tell".split()
)
# What two sides have said to each other is the state of a connection: a new one starts without it.
_CONNECTIONS = frozenset("create_connection socket socketpair Popen Serial Telnet FTP SMTP".split())
_SAYS = frozenset(
    "send sendall sendto sendmsg recv recv_into recvfrom recvmsg stdin stdout communicate write read"
    " readline login".split()
)
# What any object may be that code opens.
_UNKNOWN = ResourceRow("", position=tuple(_ADVANCES))
_CONTAINERS = frozenset("dict list set defaultdict OrderedDict deque Counter".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the handles that a new one does not stand in for: set up, moved or talked to by the constructor."""
    yield from _reordered(change, held_by(change.old, change.constructed_before))
    for cls in (change.after, *change.new.heirs(change.after)):
        before = change.before_of(cls)
        if before is None:
            continue
        made = order.construction(change.old, before)
        opened = list(opened_again(change, cls))
        held = _with_unknown(held_by(change.old, made), made, {name for name, _ in opened})
        for name, opener in opened:
            why = _left_elsewhere(change, made, held, name, opener)
            why = why or _not_set_up(change, made, held, name, opener)
            if why:
                at = opener[0][1]
                yield change.regression(at, f"the constructor {why} (line {at.lineno})")


def _with_unknown(held: Held, made: list[_Method], opened: Collection[str]) -> Held:
    """Return what attributes hold, with those that an unknown callee gives: `self.db = OPENERS[kind](path)`."""
    called = {
        name
        for _, function in made
        for node in executed(function.body)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_of_unknown(node.value)
        for name in own_targets(node, self_name(function))
    }
    rows = {f".{name}": _UNKNOWN for name in called.intersection(opened)}
    return Held({**rows, **held.rows}, held.origins)


def _is_of_unknown(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and last_part(value.func) not in _CONTAINERS


def _reordered(change: ClassChange, held: Held) -> Iterator[Regression]:
    """Yield what read from a file before something else was made of it, and reads after that now."""
    first = {
        (kind, op, made)
        for cls, f in change.constructed_before
        for kind, op, made in _pairs(in_order(change.old, cls, f, held))
    }
    if not first:
        return
    after = held_by(change.new, [(change.after, f) for f in change.after.functions])
    after = Held({**held.rows, **after.rows}, {**held.origins, **after.origins})
    for cls, f in change.constructed_after:
        if f.name in change.lazy:
            continue
        events = in_order(change.new, cls, f, after)
        now = {(kind, op, made) for kind, made, op in _pairs(events, turned=True)}
        now |= {
            (kind, op, made)
            for name in change.lazy
            if not sets_first(change.new, change.after, f, name)
            and any(operations(change.new, cls, f, after, f".{name}"))
            for _, each in _opener(change, change.after, change.lazy[name])
            for kind, made, passed in in_order(change.new, change.after, each, after)
            if passed
            for _, op, _ in first
        }
        for _, op, made in sorted(first & now):
            yield change.regression(
                f, f"`{op}` ran before the file was passed to `{made}` but now runs after it"
            )
            return


def _pairs(
    events: list[tuple[str, str, bool]], *, turned: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield each operation on a file and what the file is passed to later; or earlier, `turned`."""
    for index, (kind, name, passed) in enumerate(events):
        for other, later, is_passed in events[index + 1 :]:
            if kind == other and passed == turned and is_passed != turned:
                yield kind, name, later


def opened_again(change: ClassChange, cls: Class) -> Iterator[tuple[str, list[_Method]]]:
    """Yield the attributes of a class that later code opens again, and the methods that do."""
    for name, getter in change.made_lazy.items():
        yield name, _opener(change, cls, getter)
    for name, functions in opened_when_asked(change).items():
        yield from ((name, _opener(change, cls, each)) for each in functions)
    restoring = change.after.methods.get("__setstate__")
    if restoring is None or not change.fresh(restoring):
        return
    opener = _opener(change, cls, restoring)
    for name in sorted(restored(change)):
        if name not in change.made_lazy:
            yield name, opener


def _not_set_up(
    change: ClassChange, made: list[_Method], held: Held, name: str, opener: list[_Method]
) -> str:
    """Return what the constructor did to set a handle up that no opener does."""
    operated = _operations_in(change.old, made, held, name)
    is_container = f".{name}" not in held.rows  # `filled` looks at its items
    set_up = [
        op
        for op in operated
        if op.configures and not (is_container and op.name in ("__setitem__", "__delitem__"))
    ]
    if not set_up:
        return ""
    row = held.rows.get(f".{name}")
    if row is not None and row.saved and _is_sent(change, name, row):
        return ""  # the state has all that was done
    again = _operations_in(change.new, opener, held_by(change.new, opener), name)
    handled = [op.name for op in set_up if op.handled]
    escaping = next((op for op in handled if _may_raise(opener, op)), "")
    if escaping:
        return f"handles errors of `{escaping}`, but the code that reopens `{name}` does not"
    if row is not None:  # functions of the program get it there
        for cls, f in opener:
            again += operations_on(change.new, cls.module, f, dict.fromkeys(_given_on(f), row))
    if row is not None and row.kind == "sync":  # a worker that finds nothing done does it itself
        workers = order.reached(change.new, change.after, order.IN_WORKERS)
        again += _operations_in(change.new, workers, held, name)
    done = {(op.name, op.of) for op in again} | {op for _, f in opener for op in _done(f.body)}
    missing = next((op.name for op in set_up if not _is_done(op, set_up, done)), "")
    return missing and f"sets up `{name}` with `{missing}`, but the code that reopens it does not"


def _is_sent(change: ClassChange, name: str, row: ResourceRow) -> bool:
    """Return whether the state has an object's own state, and the object is made of that, as its row says."""
    module = change.after.module
    save, restore = (change.after.methods.get(each) for each in ("__getstate__", "__setstate__"))
    if save is None or restore is None:
        return False
    saved = f"{self_name(save)}.{name}.{row.saved}"
    restored = row.restored.format(f"{self_name(restore)}.{name}")
    imported = ImportTime(module.tree)
    return any(
        isinstance(each, ast.Call) and ast.unparse(each) == saved for each in within(save.body)
    ) and any(
        isinstance(each, ast.Assign) and _in_full(imported, each.value) == restored
        for each in within(restore.body)
    )


def _in_full(imported: ImportTime, value: ast.expr) -> str:
    """Return an expression with the modules that it names by their own names."""
    text = ast.unparse(value)
    for each in ast.walk(value):
        if isinstance(each, ast.Name) and imported.full_name(each) not in ("", each.id):
            text = re.sub(rf"\b{each.id}\.", f"{imported.full_name(each)}.", text)
    return text


def _is_done(
    operation: Operation, before: Collection[Operation], done: Collection[tuple[str, str]]
) -> bool:
    """Return whether an opener does the same: with the same constant, where both sides are seen to have one."""
    with_what = {of for name, of in done if name == operation.name}
    known = {each.of for each in before if each.name == operation.name and each.of}
    wanted = {operation.of, ""} if operation.of else with_what - known  # a constant by now
    return bool(with_what & wanted)


def _done(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield what an opener does to whatever it has, with the constant that comes first."""
    calls = [node for node in executed(body) if isinstance(node, ast.Call)]
    called = {id(call.func) for call in calls}
    yield from ((last_part(call.func), said_first(call)) for call in calls)
    for node in executed(body):
        if isinstance(node, ast.Attribute) and id(node) not in called:
            yield node.attr, ""


def _given_on(function: Function) -> set[str]:
    """Return the local names of what a method makes, and gives or keeps."""
    nodes = list(executed(function.body))
    made = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    kept = (node.value for node in nodes if isinstance(node, (ast.Assign, ast.Return)))
    return made & {dotted(value) for value in kept if value is not None}


def _known_as(node: ast.AST) -> str:
    """Return a dotted name, or the call of one without arguments."""
    if isinstance(node, ast.Call):
        return f"{dotted(node.func)}()" if not node.args else ""
    return dotted(node)


def _may_raise(opener: list[_Method], operation: str) -> bool:
    """Return whether an opener lets errors of an operation go to its caller."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == operation
        for cls, function in opener
        for node in executed(function.body)
        if not is_handled(cls.module, node)
    )


def _operations_in(
    program: Program, methods: list[_Method], held: Held, name: str
) -> list[Operation]:
    return [op for cls, f in methods for op in operations(program, cls, f, held, f".{name}")]


def _left_elsewhere(
    change: ClassChange, made: list[_Method], held: Held, name: str, opener: list[_Method]
) -> str:
    """Return how the constructor moved a handle that later methods read on from."""
    kinds = {kind for _, f in made for kind in _kinds(f, name)}
    moved = [op for _, f in made for op in _advances(f, name, kinds)]
    row = held.rows.get(f".{name}")
    if row is None or row.position or row.iterates:
        found = _operations_in(change.old, made, held, name)
        moved += [op.name for op in found if not op.configures]
    again = {op for _, f in opener for op in _operations(f.body)}
    moved = [op for op in moved if op not in again]
    if any(_reads_its_own(f, name) for _, f in made):
        moved = [op for op in moved if op != "fieldnames"]  # a new one reads them first, too
    if not moved or "seek" in again or name in positions_sent(change):
        return ""
    if reads_on(change, held, name) is None and not read_outside(change, name):
        return ""
    if "connection" in kinds:
        return (
            f"used the connection `{name}` with `{moved[0]}`, but a new connection does "
            "not have this state"
        )
    return (
        f"moved the position of `{name}` with `{moved[0]}`, but the reopened resource "
        "starts at the beginning"
    )


def _reads_its_own(function: Function, name: str) -> bool:
    """Return whether a reader of rows gets a file that nothing else holds: `csv.DictReader(open(path))`."""
    target = f"{self_name(function)}.{name}"
    return any(
        isinstance(node, ast.Assign)
        and target in {dotted(each) for each in node.targets}
        and isinstance(node.value, ast.Call)
        and last_part(node.value.func) == "DictReader"
        and any(isinstance(a, ast.Call) and dotted(a.func) in _STREAMS for a in node.value.args[:1])
        for node in executed(function.body)
    )


def _opener(change: ClassChange, cls: Class, start: Function) -> list[_Method]:
    """Return a method that opens, and the methods that it uses."""
    found: list[_Method] = [(cls, start)]
    for owner, inner in found:
        for used in set(order.called_on_self(owner, inner)):
            known = order.meant(change.new, cls, owner, used)
            if known is not None and known not in found:
                found.append(known)
    return found


def _names_of(function: Function, name: str, givers: Collection[str] = ()) -> set[str]:
    """Return what an attribute is called in a method: itself, calls that give it, and local names for it."""
    me = self_name(function)
    found = {f"{me}.{name}", *(f"{me}.{each}()" for each in givers)}
    for node in executed(function.body):
        if isinstance(node, ast.Assign):
            texts = {dotted(t) for t in node.targets} | {_known_as(node.value)}
            found |= (texts - {""}) if texts & found else set()
    return found


def _kinds(function: Function, name: str) -> Iterator[str]:
    """Yield the kinds of handle with a position that a method assigns to an attribute."""
    names = _names_of(function, name)
    for node in executed(function.body):
        value = getattr(node, "value", None)
        if not isinstance(value, ast.Call):
            continue
        if {dotted(target) for target in targets_of(node)} & names:
            if dotted(value.func) in _STREAMS or last_part(value.func) in _STREAMS - {"open"}:
                yield "stream"
            elif last_part(value.func) in _CONNECTIONS:
                yield "connection"
            elif last_part(value.func) == "cursor":
                yield "cursor"


def _advances(function: Function, name: str, kinds: set[str]) -> Iterator[str]:
    """Yield what a method does to a handle that moves its position."""
    names = _names_of(function, name)
    moves = {
        "stream": _ADVANCES, "connection": _SAYS, "cursor": frozenset({"execute", "executemany"}),
    }  # fmt: skip
    moving = frozenset[str]().union(*(moves[kind] for kind in kinds))
    for node in executed(function.body):
        if isinstance(node, ast.Call):
            if dotted(node.func) == "next" and node.args and dotted(node.args[0]) in names:
                yield "next"
        elif (
            isinstance(node, ast.Attribute) and node.attr in moving and dotted(node.value) in names
        ):
            yield node.attr
        elif isinstance(node, (ast.For, ast.comprehension)) and dotted(node.iter) in names:
            yield from ["for"] if "stream" in kinds else []


def _operations(body: list[ast.stmt]) -> Iterator[str]:
    for node in executed(body):
        if isinstance(node, ast.Call):
            yield last_part(node.func)
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, (ast.For, ast.comprehension)):
            yield "for"


def reads_on(
    change: ClassChange, held: Held, name: str, apart: Sequence[Function] = ()
) -> Function | None:
    """Return a later method, apart from some, that reads a handle where it stands."""
    made = [f for _, f in change.constructed_after]
    for cls in change.new.family(change.after):
        rewinding = Rewinding(change.new, cls, name, holds_several=f".{name}" not in held.rows)
        givers = {f.name for each in change.new.lineage(cls) for f in each.functions
                  if name in returned(f)}  # fmt: skip
        for function in cls.functions:
            only_made = function in made and function.name not in change.late_before
            if only_made or function.name in change.lazy or function in apart:
                continue
            if not {name, *givers} & set(used_on_self(function)):
                continue
            names = _names_of(function, name, givers)
            if rewinding.comes_first(function, names):
                continue
            given = {f".{giver}()": held.rows.get(f".{name}") for giver in givers}
            rows = {each: row for each, row in given.items() if row is not None}
            if _may_read(change, cls, function, held, name, names) or any(
                operations_on(change.new, cls.module, function, rows)
            ):
                return function
    return None


def read_outside(change: ClassChange, name: str) -> bool:
    """Return whether other code asks an object for where its handle stands, or reads there."""
    classes = [change.after, *change.new.heirs(change.after)]
    own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
    return any(
        may_be_object(change, module, node.value, classes)
        for module in change.new.project.mentions(name)
        for node in module.attributes_by_name.get(name, ())
        if id(node) not in own and getattr(module.parent(node), "attr", "") in _ADVANCES - {"seek"}
    )


def _may_read(
    change: ClassChange, cls: Class, function: Function, held: Held, name: str, names: set[str]
) -> bool:
    """Return whether a method may read from a handle's position: not where it only takes slices of it."""
    row = held.rows.get(f".{name}")
    if row is None and _only_closes_each(function, name):
        return False
    if row is None or not row.position:
        return True
    if any(operations(change.new, cls, function, held, f".{name}")):
        return True
    return any(
        _known_as(given) in names
        for call in calls_in(function.body)
        if last_part(call.func) not in MOVE_NOTHING
        for given in [*call.args, *(k.value for k in call.keywords)]
    )


def _only_closes_each(function: Function, name: str) -> bool:
    """Return whether all that a method does with several handles is to close each: `for file in self.files: file.close()`."""
    closed = {
        id(n) for each in executed(function.body) if _closes_each(each) for n in within(each.iter)
    }
    reads = [n for n in own_attributes(function, ast.Load) if n.attr == name]
    return bool(reads) and all(id(n) in closed for n in reads)


def _closes_each(node: ast.AST) -> TypeGuard[ast.For]:
    match node:
        case ast.For(
            target=ast.Name(id=one),
            body=[
                ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=closed), attr="close"), args=[]
                    )
                )
            ],
        ):
            return one == closed
    return False


__all__ = ["check", "opened_again", "read_outside", "reads_on"]
