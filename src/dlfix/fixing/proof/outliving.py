"""Objects that outlive the temporary files they were made from: a `with` of such files has ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange
from dlfix.fixing.proof.late_code import used_on_self
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.plain_results import PlainResults
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    ADDING,
    FUNCTIONS,
    Function,
    calls_in,
    dotted,
    executed,
    last_part,
    parameters,
    stored_names,
    within,
)
from dlfix.project.module import Module
from dlfix.project.order import comes_before, end, in_order, lies_in

REMOVES = frozenset(
    "unlink remove rmtree rename renames replace removedirs rmdir move truncate".split()
)
TEMPORARY = frozenset(
    "TemporaryDirectory NamedTemporaryFile TemporaryFile mkdtemp mkstemp temporary_directory tempdir".split()
)
_GONE_WITH_NAME = frozenset({"TemporaryDirectory", "NamedTemporaryFile"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
FILLING = ADDING | {"put", "put_nowait"}
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp)
_PARTING = (ast.Return, ast.Assign)
_TEXTS = frozenset({"__repr__", "__str__", "__format__"})
_ITERATES = frozenset({"__getitem__", "__iter__", "__next__"})
_ASKING = frozenset(
    "len print str repr bool int float sum min max isinstance type id hash callable hasattr getattr setattr vars dir next".split()
)
FAR = 3  # how many functions hand an object on that one of them makes


def on_disk(call: ast.Call) -> bool:
    """Return whether a call removes or moves files."""
    name = last_part(call.func)
    library = dotted(call.func).partition(".")[0] in {"os", "shutil"}
    return (library and name in REMOVES) or name in {"unlink", "rmtree"}


class Temporary:
    """The `with` statements of a program whose files are gone when they end."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[ast.AST, bool] = {}

    def is_around(self, module: Module, node: ast.With | ast.AsyncWith) -> bool:
        """Return whether a statement enters what removes files when it is left."""
        entered = [item.context_expr for item in node.items]
        if any(
            isinstance(each, ast.Call) and last_part(each.func) == "ExitStack" for each in entered
        ):
            entered += [
                given
                for each in executed(node.body)
                if isinstance(each, ast.Call) and last_part(each.func) == "enter_context"
                for given in each.args[:1]
            ]
        return any(self.removes(module, each) for each in entered)

    def removes(self, module: Module, entered: ast.expr) -> bool:
        """Return whether what a statement enters removes files when it is left."""
        if not isinstance(entered, ast.Call):
            return False
        if last_part(entered.func) in TEMPORARY:
            return True
        found = self.program.resolve(module, entered.func)
        if found is None:
            return False
        home, definition = found
        if definition not in self._known:
            self._known[definition] = False  # one that enters itself
            self._known[definition] = self._definition_removes(home, definition)
        return self._known[definition]

    def _definition_removes(self, home: Module, definition: ast.AST) -> bool:
        if isinstance(definition, ast.ClassDef):
            leaving = [
                f for f in definition.body if isinstance(f, FUNCTIONS) and f.name == "__exit__"
            ]
            return any(_cleans(each.body) for each in leaving)
        if not isinstance(definition, FUNCTIONS):
            return False
        nodes = list(executed(definition.body))
        yields = in_order(each for each in nodes if isinstance(each, ast.Yield))
        if not yields:
            return False
        inner = (n for n in nodes if isinstance(n, (ast.With, ast.AsyncWith)))
        late = [n for n in nodes if isinstance(n, ast.stmt) and comes_before(yields[-1], n)]
        return _cleans(late) or any(self.is_around(home, each) for each in inner)


def _cleans(body: list[ast.stmt]) -> bool:
    return any(on_disk(n) or last_part(n.func) == "cleanup" for n in calls_in(body))


def outlives(
    change: ClassChange,
    temporary: Temporary,
    module: Module,
    call: ast.Call,
    item: int | None = None,
    far: int = FAR,
) -> tuple[Module, ast.Call] | None:
    """Return the call inside a `with` of temporary files whose object is used after it.

    `item` is the place of the object in the tuple that the call gives, if it gives one.
    """
    inside = _statements_around(temporary, module, call)
    kept = Kept.of(module, call, item, change.new.kept(PlainResults))
    if inside and (kept.leaves or _used_after(change, module, call, kept.names, inside)):
        return module, call
    for other, each, place in kept.makers(change.new, module, call) if far else ():
        if (found := outlives(change, temporary, other, each, place, far - 1)) is not None:
            return found
    return None


def _is_only_read(module: Module, name: ast.Name) -> bool:
    """Return whether a name is set, or given to a function that keeps nothing of it: `len(rows)`."""
    above = module.parent(name)
    asked = isinstance(above, ast.Call) and dotted(above.func) in _ASKING
    return asked or not isinstance(name.ctx, ast.Load)


def _statements_around(temporary: Temporary, module: Module, call: ast.Call) -> list[ast.stmt]:
    """Return the `with` statements of temporary files around a call, of its own function."""
    found: list[ast.stmt] = []
    for node in module.ancestors(call):
        if isinstance(node, FUNCTIONS):
            break
        if isinstance(node, (ast.With, ast.AsyncWith)) and temporary.is_around(module, node):
            found.append(node)
    return found


class Kept:
    """What an object that a call makes is kept by, from the call outwards."""

    def __init__(self, item: int | None = None) -> None:
        self.names: dict[str, bool] = {}  # local names, and whether it is one of several there
        self._several = False
        self._item = item  # its place in a tuple
        self.leaves = False  # it is returned, or kept by another object
        self.is_returned = False
        self._returned_later: list[int | None] = []  # by a name of it, or of what holds it

    @classmethod
    def of(
        cls,
        module: Module,
        call: ast.Call,
        item: int | None = None,
        plain: PlainResults | None = None,
    ) -> Kept:
        """Follow an object from the call that makes it, by local names, to what keeps it or gives plain values for it."""
        found = cls(item)
        found._climb(module, call, plain)
        found._follow(module, call, plain)
        return found

    def _climb(self, module: Module, node: ast.expr, plain: PlainResults | None) -> None:
        """Follow an object to the end of a statement that has it, or to a call that gives plain values for it."""
        child: ast.AST = node
        for parent in module.ancestors(node):
            if isinstance(parent, (ast.Compare, ast.Attribute, ast.Subscript)):
                break
            if isinstance(parent, ast.Call) and child is not parent.func:
                self._several = False
                self._filled(parent)
                if plain is not None and plain.gives(module, parent):
                    break
            if isinstance(parent, ast.Tuple) and isinstance(module.parent(parent), _PARTING):
                self._item = parent.elts.index(child)  # type: ignore[arg-type]
            elif isinstance(parent, _DISPLAYS):
                self._several, self._item = True, None
            if isinstance(parent, ast.stmt):
                self._stated(parent)
                break
            child = parent

    def _follow(self, module: Module, call: ast.Call, plain: PlainResults | None) -> None:
        """Follow an object by its local names, and by those of what holds it: `loader = DataLoader(rows)`."""
        around = next(
            (each for each in module.ancestors(call) if isinstance(each, FUNCTIONS)), None
        )
        body = around.body if around is not None else []
        waiting, seen = [*self.names], {*self.names}
        for name in waiting:  # grows while it is read
            for node in executed(body):
                if not isinstance(node, ast.Name) or node.id != name or _is_only_read(module, node):
                    continue
                held = Kept()
                held._climb(module, node, plain)
                if held.is_returned:
                    self._returned_later.append(held._item)
                else:
                    self.leaves |= held.leaves
                waiting += held.names.keys() - seen
                seen |= held.names.keys()

    def makers(
        self, program: Program, module: Module, call: ast.Call
    ) -> Iterator[tuple[Module, ast.Call, int | None]]:
        """Yield the calls that give the object, and its place in that, and those that make one which keeps it."""
        function = program.enclosing(module, call)
        if function is None:
            return
        if self.leaves and not self.is_returned:
            yield from self._owners(program, module, function)
        places = [self._item] if self.is_returned else [*self.places_returned(function)]
        for place in dict.fromkeys([*places, *self._returned_later]):
            for other, each in program.calls_of(function):
                yield other, each, place

    def _owners(
        self, program: Program, module: Module, function: Function
    ) -> Iterator[tuple[Module, ast.Call, int | None]]:
        """Yield the calls of a function that keeps the object, or of the class that it constructs."""
        made = program.calls_of(function)
        if function.name == "__init__":
            made = [
                each
                for cls in program.classes(module)
                if function in cls.functions
                for each in program.constructions(cls)
                if not _is_made_without(program, *each, cls)
            ]
        yield from ((home, each, None) for home, each in made)

    def places_returned(self, function: Function) -> Iterator[int | None]:
        """Yield where the object is in what a function returns by a name of it."""
        for each in executed(function.body):
            value = each.value if isinstance(each, ast.Return) else None
            if isinstance(value, ast.Name) and value.id in self.names:
                yield None
            elif isinstance(value, ast.Tuple):
                for place, one in enumerate(value.elts):
                    if isinstance(one, ast.Name) and one.id in self.names:
                        yield place

    def _filled(self, call: ast.Call) -> None:
        if isinstance(call.func, ast.Attribute) and call.func.attr in FILLING:
            self._to(call.func.value, several=True)

    def _stated(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Return():
                self.leaves = self.is_returned = True
            case ast.Assign(targets=targets):
                for each in targets:
                    self._to(each)
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                self._to(target)

    def _to(self, target: ast.expr, *, several: bool = False) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = several or self._several
        elif isinstance(target, (ast.Tuple, ast.List)):
            for each in self._parts(target):
                self.names |= dict.fromkeys(stored_names(each), False)
        elif isinstance(target, ast.Subscript):
            self._to(target.value, several=True)
        elif isinstance(target, ast.Attribute):
            self.leaves = True

    def _parts(self, target: ast.Tuple | ast.List) -> list[ast.expr]:
        """Return the targets that take the object: one where its place is known, before any star."""
        if self._item is None or self._item >= len(target.elts):
            return target.elts
        if any(isinstance(each, ast.Starred) for each in target.elts):
            return target.elts
        return [target.elts[self._item]]


def _is_made_without(program: Program, module: Module, call: ast.Call, cls: Class) -> bool:
    """Return whether a call makes an object of a class of which no constructor runs that of a base."""
    made = program.class_of(module, call.func)
    if made is None:
        return False
    lineage = program.lineage(made)
    nearer = lineage[: lineage.index(cls)] if cls in lineage else ()
    functions = [each for one in nearer for each in one.functions]
    return any(each.name == "__init__" for each in functions) and not any(
        isinstance(node, ast.Attribute) and node.attr == "__init__"
        for each in functions
        for node in within(each)
    )


def last_reference(
    module: Module,
    call: ast.Call,
    function: Function | None,
    origins: Origins,
    files: set[str],
    kept: Kept,
) -> ast.Call | None:
    """Return what makes temporary files that are gone with a local name, before the object that opens them."""
    roots = {text.partition(".")[0] for text in files}
    for name in sorted(roots & origins.made.keys()):
        for made in origins.made[name]:
            if not isinstance(made, ast.Call) or last_part(made.func) not in _GONE_WITH_NAME:
                continue
            loops = [each for each in module.ancestors(made) if isinstance(each, _LOOPS)]
            bound_again = any(lies_in(call, each) for each in loops) and any(kept.names.values())
            returned = function is not None and (
                kept.leaves or any(True for _ in kept.places_returned(function))
            )
            if (bound_again or returned) and not _is_handed_on(module, made, name):
                return made
    return None


def _is_handed_on(module: Module, made: ast.Call, name: str) -> bool:
    """Return whether something else holds what a local name does: it is more than asked for attributes."""
    return any(
        not isinstance(module.parent(each), ast.Attribute)
        for each in module.scope_of(made).reads.get(name, ())
    ) or isinstance(module.statement(made), (ast.With, ast.AsyncWith))


def _used_after(
    change: ClassChange,
    module: Module,
    call: ast.Call,
    kept: dict[str, bool],
    inside: list[ast.stmt],
) -> bool:
    """Return whether one of these names is used, once the statements have ended, in a way that may open."""
    last = max(inside, key=end)
    later, body = _Later(change, _opening(change)), change.new.body_around(module, call)
    return any(
        isinstance(n, ast.Name)
        and n.id in kept
        and isinstance(n.ctx, ast.Load)
        and comes_before(last, n)
        and not later.is_plain(module, body, n, several=kept[n.id])
        for n in executed(body)
    )


def _reads_plainly(module: Module, node: ast.Name, opening: set[str]) -> bool:
    """Return whether an object is only asked for an attribute, or its length, and that opens nothing."""
    match module.parent(node):
        case ast.Call(func=ast.Name(id="len" | "repr" | "str" as asked)):
            return f"__{asked}__" not in opening
        case ast.FormattedValue():
            return opening.isdisjoint(_TEXTS)
        case ast.Attribute(attr=attribute):
            return attribute not in opening
    return False


def _opening(change: ClassChange) -> set[str]:
    """Return the methods and properties that may open what is lazy now, of objects that hold one too."""
    found = set(change.lazy)
    modules = {m for name in change.lazy for m in change.new.project.mentions(name)}
    functions = [f for m in modules for cls in change.new.classes(m) for f in cls.functions]
    functions += [f for cls in change.new.family(change.after) for f in cls.functions]
    size = -1
    while size != len(found):
        size = len(found)
        found |= {f.name for f in functions if found & {*used_on_self(f), *_attributes_read(f)}}
    return found


def _attributes_read(function: Function) -> set[str]:
    return {node.attr for node in executed(function.body) if isinstance(node, ast.Attribute)}


class _Later:
    """What code does with objects once their files are gone: whether that may open one."""

    def __init__(self, change: ClassChange, opening: set[str]) -> None:
        self.change, self.opening = change, opening
        self.seen: set[tuple[int, str]] = set()

    def is_plain(
        self, module: Module, body: list[ast.stmt], node: ast.Name, *, several: bool
    ) -> bool:
        """Return whether a body reads an object plainly, or goes through several that it reads so."""
        if self._is_gone_through(module, body, node, several):
            return True
        if _reads_plainly(module, node, self.opening):
            return True
        call = module.parent(node)
        if not isinstance(call, ast.Call) or node not in call.args:
            return False
        known = self.change.new.function_of(module, call.func)
        names = parameters(known[1]) if known is not None else []
        index = call.args.index(node)
        if known is None or index >= len(names):
            return False
        return self._all_plain(known[0], known[1].body, names[index], several)

    def _all_plain(self, module: Module, body: list[ast.stmt], name: str, several: bool) -> bool:
        """Return whether a body reads so what it knows by a name."""
        if (id(body), name) in self.seen:
            return True
        self.seen.add((id(body), name))
        return all(
            self.is_plain(module, body, node, several=several)
            for node in executed(body)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        )

    def _is_gone_through(
        self, module: Module, body: list[ast.stmt], node: ast.Name, several: bool
    ) -> bool:
        """Return whether a loop gives each item a name, which is read plainly in turn: also one of `(one, other)`."""
        above = module.parent(node)
        shown = above if isinstance(above, (ast.Tuple, ast.List, ast.Set)) else None
        if shown is None and not several and self.opening & _ITERATES:
            return False
        over: ast.expr = node if shown is None else shown
        match module.parent(over):
            case ast.For(iter=iterated, target=ast.Name(id=item)) if iterated is over:
                return self._all_plain(module, body, item, several and shown is not None)
            case ast.comprehension(iter=iterated, target=ast.Name(id=item)) if iterated is over:
                return self._all_plain(module, body, item, several and shown is not None)
        return False


__all__ = ["FILLING", "REMOVES", "TEMPORARY", "Temporary", "last_reference", "on_disk", "outlives"]
