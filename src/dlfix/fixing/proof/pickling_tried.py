"""Code that tries to pickle or copy an object, and does something else where it cannot be."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeGuard

from dlfix.catalog import load
from dlfix.fixing.proof.callables import Moved
from dlfix.fixing.proof.changes import (
    ClassChange,
    FileChange,
    Regression,
    attributes_set,
)
from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.objects import is_object, may_be_object
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.stored_values import values_given
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    Function,
    calls_in,
    dotted,
    ends_here,
    executed,
    last_part,
    stored_names,
    within,
)
from dlfix.fixing.proof.writes import goes_by, goes_by_known, values_of
from dlfix.project.import_time import ImportTime
from dlfix.project.importing import together
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.trees import said

_PICKLERS = frozenset(
    "pickle _pickle cPickle pickle5 dill cloudpickle joblib copy multiprocessing".split()
)
_PICKLES = ("dumps", "dump", "save", "deepcopy", "hash")
# What pickling raises for an object that cannot be pickled, and the classes of these errors.
_RAISED = frozenset(
    "TypeError AttributeError PicklingError PickleError Exception BaseException".split()
)
_ANY = ("Exception", "BaseException")
_IN_MEMORY = ("dumps", "deepcopy", "hash")
_EXPECTS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
_OF_MODULES = frozenset({"state_dict", "get_rng_state", "parameters", "named_parameters"})
_MOST = 40  # values that one question is followed to
_MOST_SOURCES = 400  # values that one object is followed to
_FAR = 3  # how many callers are followed


class Source(NamedTuple):
    """A value from which what is pickled may come, as it is or as an item."""

    module: Module
    value: ast.expr
    are_items: bool


class Pickling(NamedTuple):
    """A call that pickles or copies something."""

    module: Module
    call: ast.Call
    given: ast.expr


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where code handles that objects of a class could not be pickled, which they can now."""
    had = {each.name for each in change.before.functions}
    fresh = [each for each in change.after.functions if each.name in STATE and each.name not in had]
    if not fresh and not change.made_lazy:
        return
    meets = together(change.new.project, change.after.module)
    handlers = change.new.kept(_Handlers)
    for each in change.new.once(_picklings):
        if meets is not None and each.module not in meets:
            continue
        handler = handlers.of(each.module, each.call)
        if handler is not None and holds(
            change, each.module, each.given, surely=handler.is_for_any_error
        ):
            yield change.regression(
                next(iter(fresh), change.after.node),
                f"code handles that `{change.after.name}` cannot be pickled ({handler.place}), but "
                "now it can",
            )
            return


def check_moved(change: FileChange) -> Iterator[Regression]:
    """Yield where code handles that a function could not be pickled, which moved to module level."""
    moved = Moved(change)
    if not moved.gone or not moved.new_names:
        return
    handlers = change.new.kept(_Handlers)
    for each in change.new.once(_picklings):
        copies = last_part(each.call.func) == "deepcopy"  # that gives the function itself
        if copies or not moved.may_meet(each.module):
            continue
        about = moved.may_be_about(each.module, each.call.func)
        if not about and not holds_function(change, moved, each):
            continue
        handler = handlers.of(each.module, each.call)
        if handler is None or (
            handler.is_for_any_error and not _names_any(each.module, each.given, moved)
        ):
            continue
        name = min(moved.new_names)
        yield change.regression(
            name,
            each.call.lineno if each.module is change.after else 1,
            f"code handles that `{name}` cannot be pickled ({handler.place}), but now it can",
        )
        return


def _names_any(module: Module, given: ast.expr, moved: Moved) -> bool:
    """Return whether an expression names a function that moved, by one of the names that are known of it."""
    known = moved.known_names
    return known is not None and any(known.has(module, each) for each in within(given))


def holds_function(change: FileChange, moved: Moved, each: Pickling) -> bool:
    """Return whether what is pickled may be an object that keeps such a function."""
    program = change.new
    names = None if moved.known_names is None else moved.known_names.names
    values = [(each.module, node) for node in within(each.given)]
    known = set(values)
    for module, node in values:  # grows while it is read
        if isinstance(node, ast.Name) and len(values) < _MOST:
            made = values_of(program, module, node, node.id)
            passed = [(home, value) for home, _, value in passed_for(program, module, node)]
            found = [*((module, value) for value in made), *passed]
            values += [one for one in dict.fromkeys(found) if one not in known]
            known.update(found)
        cls = program.class_of(module, node.func) if isinstance(node, ast.Call) else None
        for owner in program.lineage(cls) if cls is not None else ():
            if names is None or names & attributes_set(owner).keys():
                return True
    keeping = list(_keeping(program, names or ()))
    return any(
        _is_named(node) and goes_by_known(program, module, node, keeping) for module, node in values
    )


def _keeping(program: Program, names: Iterable[str]) -> Iterator[Class]:
    """Yield the classes whose objects keep something under one of some names."""
    for name in sorted(names):
        for home in program.project.mentions(name):
            if name in home.stores_by_name:
                yield from (c for c in program.classes(home) if name in attributes_set(c))


def _is_named(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, (ast.Name, ast.Attribute))


def holds(change: ClassChange, module: Module, given: ast.expr, *, surely: bool) -> bool:
    """Return whether what is pickled may be, or hold, an object of the class: also an item of what is passed.

    So it may where it comes from too many places to be followed, or from none in view; not if that is to be sure.
    """
    classes = [change.after, *change.new.heirs(change.after)]
    shows = _is_made if surely else _shows
    asked, followed = {given}, 0
    level = [Source(module, given, are_items=False)]
    for _ in range(_FAR + 1):
        further: list[Source] = []
        for each in level:
            if each.are_items and _is_loader(each.module, each.value):
                continue  # which gives samples, not its dataset
            if shows(change, each.module, each.value, classes):
                return True
            for one in _sources(change, each):
                followed += 1
                if followed > _MOST_SOURCES:
                    return not surely
                if one.value not in asked:
                    asked.add(one.value)
                    further.append(one)
        level = further
    return False


def _is_made(change: ClassChange, module: Module, given: ast.expr, classes: list[Class]) -> bool:
    """Return whether a part of an expression is seen to be an object of some classes, or an attribute that is given one."""
    nodes = [*_parts(change, given)]
    called = {n.func for n in nodes if isinstance(n, ast.Call)}
    values: list[tuple[Module, ast.expr]] = [
        (module, node) for node in nodes if isinstance(node, (ast.Name, ast.Call))
    ]
    for node in nodes:
        if isinstance(node, ast.Attribute) and node not in called:
            kept = values_given(change.new, node.attr)
            values += [(home, each) for home, each in kept if each is not None]
    return any(is_object(change, home, each, classes) for home, each in values)


def _shows(change: ClassChange, module: Module, given: ast.expr, classes: list[Class]) -> bool:
    """Return whether a part of an expression may be an object of some classes."""
    nodes = [*_parts(change, given)]
    # What a method gives may be its object.
    called = {n.func for n in nodes if isinstance(n, ast.Call)}
    owners = {n.value for n in nodes if isinstance(n, ast.Attribute) and n not in called}
    for node in nodes:
        held = node if isinstance(node, ast.Attribute) and node not in called else None
        if held is not None and goes_by(change.new, change.after, held):
            return True
        if not isinstance(node, (ast.Name, ast.Call)):
            continue
        if node in owners and change.new.class_of_self(module, node) is not None:
            continue  # an attribute of a method's own object is not that object
        if may_be_object(change, module, node, classes):
            return True
    return False


def _sources(change: ClassChange, source: Source) -> Iterator[Source]:
    """Yield what the names of an expression may stand for: what is assigned, gone through or passed."""
    module, given, are_items = source
    nodes = [*_parts(change, given)]
    owners = {n.value for n in nodes if isinstance(n, ast.Attribute)}
    are_items = are_items or any(_takes_item(node) for node in nodes)
    for node in nodes:
        if not isinstance(node, ast.Name):
            continue
        if node in owners and change.new.class_of_self(module, node) is not None:
            continue
        for each in _items_of_loops(change, module, node):
            yield Source(module, each, are_items=True)
        made = values_of(change.new, module, node, node.id)
        yield from (Source(module, each, are_items) for each in made)
        for home, _, each in passed_for(change.new, module, node):
            yield Source(home, each, are_items)


def _takes_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == "next"


def _is_loader(module: Module, value: ast.expr) -> bool:
    """Return whether an expression makes a loader of a library, or goes through one."""
    match value:
        case ast.Call(func=ast.Name(id="iter" | "enumerate" | "tqdm"), args=[inner, *_]):
            return _is_loader(module, inner)
        case ast.Call(func=func):
            name = imported_as(module, func)
            row = load().boundary(name) if name else None
            return row is not None and row.kind == "DataLoader"
    return False


def _parts(change: ClassChange, given: ast.AST) -> Iterator[ast.AST]:
    """Yield an expression and its parts, but for the tensors that torch gives.

    What a comprehension binds are items of what it goes through, which is a part, too.
    """
    if _gives_tensors(change.new, given):
        return
    yield given
    generators = given.generators if isinstance(given, COMPREHENSIONS) else []
    bound = stored_names([each.target for each in generators])
    for child in ast.iter_child_nodes(given):
        for part in _parts(change, child):
            if not (isinstance(part, ast.Name) and part.id in bound):
                yield part


def _gives_tensors(program: Program, node: ast.AST) -> bool:
    """Return whether a value is of tensors that torch gives, `model.state_dict()`, or made of these alone.

    Not where the program defines such a method: that may give anything.
    """
    match node:
        case ast.Call(func=func) if last_part(func) in _OF_MODULES:
            return not _has_function(program, last_part(func))
        case ast.Call(func=ast.Attribute(value=owner, attr="items" | "values")):
            return _gives_tensors(program, owner)
        case ast.ListComp() | ast.DictComp() | ast.GeneratorExp():
            return all(_gives_tensors(program, each.iter) for each in node.generators)
    return False


def _has_function(program: Program, name: str) -> bool:
    """Return whether the program has a function or method of a name."""
    return any(home.functions_by_name.get(name) for home in program.project.mentions(name))


def _items_of_loops(change: ClassChange, module: Module, name: ast.Name) -> list[ast.expr]:
    """Return what the loops go through that give a name an item, or a part of one."""
    return [
        each.iter
        for each in executed(change.new.body_around(module, name))
        if isinstance(each, (ast.For, ast.comprehension))
        if any(isinstance(n, ast.Name) and n.id == name.id for n in ast.walk(each.target))
    ]


def _picklings(program: Program) -> Iterator[Pickling]:
    """Yield the calls that pickle or copy a value."""
    for word in _PICKLES:
        for module in program.project.mentions(word):
            for call in module.calls_by_name.get(word, ()):
                given = [*call.args, *(k.value for k in call.keywords)]
                if given and _pickles(module, call):
                    yield Pickling(module, call, given[0])


def _pickles(module: Module, call: ast.Call) -> bool:
    if "Pickler" in said(call.func):
        return True
    name = ImportTime(module.tree).full_name(call.func)
    root = name.partition(".")[0]
    return name == "torch.save" or (root in _PICKLERS and "." in name)


class _Handler(NamedTuple):
    """What handles the error of a call."""

    place: str
    is_for_any_error: bool  # whatever may go wrong where a file is written, or beside the call


class _Handlers:
    """Finds what handles the errors of calls, there or in what calls the function around them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._sites: dict[ast.Call, tuple[_Handler | None, Function | None]] = {}
        # What calls of a function, or by a name that may be anybody's, are met with.
        self._calls: dict[Function | str, tuple[_Handler | None, tuple[Function, ...]]] = {}

    def of(self, module: Module, call: ast.Call) -> _Handler | None:
        """Return what handles what a call raises, the nearest callers first."""
        handler, above = self._met([(module, call)])
        seen, names = {*above}, set[str]()
        for _ in range(_FAR if handler is None else 0):
            further: list[Function] = []
            for function in above:
                called = [function] if function.name in names else [function, function.name]
                names.add(function.name)
                for each in called:
                    handler, functions = self._calling(each, function.name)
                    if handler is not None:
                        return handler
                    further += [one for one in functions if one not in seen]
                    seen.update(functions)
            above = tuple(further)
        return handler

    def _calling(
        self, called: Function | str, name: str
    ) -> tuple[_Handler | None, tuple[Function, ...]]:
        """Return what handles in the nearest callers what a function raises, or the functions around them."""
        if called not in self._calls:
            named = self.program.named(name)
            sites = named.of_any if isinstance(called, str) else named.of.get(called, ())
            self._calls[called] = self._met(sites)
        return self._calls[called]

    def _met(
        self, sites: Iterable[tuple[Module, ast.Call]]
    ) -> tuple[_Handler | None, tuple[Function, ...]]:
        """Return what handles in the functions around some calls what these raise, and those that nothing does it in."""
        found: dict[Function, None] = {}
        for site in sites:
            handler, function = self._at(*site)
            if handler is not None:
                return handler, ()
            if function is not None:
                found[function] = None
        return None, tuple(found)

    def _at(self, module: Module, call: ast.Call) -> tuple[_Handler | None, Function | None]:
        """Return what handles in the function around a call what it raises, and the function."""
        if call not in self._sites:
            handler = _handler_around(module, call)
            self._sites[call] = handler, None if handler else self._raising(module, call)
        return self._sites[call]

    def _raising(self, module: Module, call: ast.Call) -> Function | None:
        """Return the function around a call, if its callers get what the call raises."""
        function = self.program.enclosing(module, call)
        if function is None or function.name.startswith("test"):
            return None
        if function.name.startswith("__") and function.name != "__init__":
            return None  # syntax runs it: code that names it means that of another class
        return function


def _handler_around(module: Module, call: ast.Call) -> _Handler | None:
    """Return what handles what a call raises in the function around it."""
    child: ast.AST = call
    for parent in module.ancestors(call):
        if isinstance(parent, FUNCTIONS):
            break
        if isinstance(parent, ast.Try) and any(child is s for s in parent.body):
            for handler in parent.handlers:
                if _waits(handler.type) and not ends_here(handler.body):
                    place = f"{module.path.name}:{handler.lineno}"
                    is_broad = handler.type is None or last_part(handler.type) in _ANY
                    return _Handler(place, is_broad and _may_fail_otherwise(parent, call))
        if isinstance(parent, (ast.With, ast.AsyncWith)) and any(
            _expects(item.context_expr) for item in parent.items
        ):
            return _Handler(f"{module.path.name}:{parent.lineno}", False)
        child = parent
    return None


def _may_fail_otherwise(tried: ast.Try, call: ast.Call) -> bool:
    """Return whether what is tried may fail though its object can be pickled: it writes a file, or calls more."""
    writes = last_part(call.func) not in _IN_MEMORY
    return writes or any(each is not call for each in calls_in(tried.body))


def _expects(manager: ast.expr) -> bool:
    """Return whether a context manager takes what pickling raises: `pytest.raises(TypeError)`."""
    if not isinstance(manager, ast.Call) or last_part(manager.func) not in _EXPECTS:
        return False
    kinds = manager.args if last_part(manager.func) == "suppress" else manager.args[:1]
    return not kinds or any(map(_waits, kinds))


def _waits(kind: ast.expr | None) -> bool:
    """Return whether a handler may be for what pickling raises: also one for a name that is not known."""
    if kind is None:
        return True
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    names = {last_part(each) for each in kinds}
    return bool(names & _RAISED) or any(dotted(each).isupper() for each in kinds)
