"""Who sets an attribute or changes what it holds, anywhere in the program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dlfix.fixing.proof.computed_names import (
    WORDS,
    Computed,
    collects_keywords,
    computed_by,
    computed_in,
    keys_of,
    passed_for,
)
from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.replaced_names import replacing
from dlfix.fixing.proof.stored_values import values_given
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    MUTATING,
    Function,
    dotted,
    executed,
    is_attribute,
    last_part,
    parameters,
    seeing,
    self_name,
    stored_names,
    within,
)
from dlfix.project.holding import ANYWHERE
from dlfix.project.module import Module
from dlfix.project.syntax import attribute_named, attributes_of
from dlfix.project.trees import kept

_COPIES = frozenset({"copy", "deepcopy"})
_STATES = frozenset({"__setstate__", "__getstate__", "__reduce__", "__copy__", "__deepcopy__"})
_CHANGING_FUNCTIONS = frozenset({"shuffle", "heapify", "heappop", "heappush"})


@dataclass(frozen=True)
class Write:
    """One place that sets an attribute, or changes its content."""

    module: Module
    cls: Class | None
    function: Function | None
    node: ast.AST

    @property
    def line(self) -> int:
        """The line of the write."""
        return getattr(self.node, "lineno", 1)


def in_family(program: Program, family: list[Class], name: str) -> Iterator[Write]:
    """Yield where methods of these classes set an attribute of their object."""
    for cls in family:
        for function in cls.functions:
            owner = self_name(function)
            for node in seeing(function.body, owner):
                if (
                    is_attribute(node, owner, name) and not isinstance(node.ctx, ast.Load)
                ) or _sets_by_name(node, owner, name):
                    yield Write(cls.module, cls, function, node)
            for write in _computed_by(function) if function.name not in _STATES else ():
                if dotted(write.owner) == owner:
                    spelled = _names_of(program, cls.module, write)
                    if spelled is None or name in spelled:
                        yield Write(cls.module, cls, function, write.node)


@kept
def _computed_by(function: Function) -> tuple[Computed, ...]:
    found = (computed_by(node) for node in within(function.body))
    return tuple(
        each
        for each in found
        if each is not None and not _is_setattr(each.node) and not _hands_on(function, each)
    )


def _hands_on(function: Function, write: Computed) -> bool:
    """Return whether a `__setattr__` stores what each assignment gives it: these are seen where they are."""
    names = parameters(function)
    asked = names[1] if function.name == "__setattr__" and len(names) == 3 else ""
    bound = stored_names(function.body)
    return bool(asked) and asked not in bound and dotted(write.name) == asked


def _is_setattr(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_part(node.func) == "setattr"


def on_class(program: Program, cls: Class, name: str) -> Iterator[Write]:
    """Yield where methods of a class, of its bases and heirs set an attribute of the class itself."""
    for each in program.family(cls):
        for function in each.functions:
            of_class = any(last_part(one) == "classmethod" for one in function.decorator_list)
            for node in within(function.body):
                if not isinstance(node, ast.Attribute) or node.attr != name:
                    continue
                own = of_class and is_attribute(node, self_name(function))
                if not isinstance(node.ctx, ast.Load) and (own or whose_class(node.value)):
                    yield Write(each.module, each, function, node)


def _sets_by_name(node: ast.AST, owner: str, name: str) -> bool:
    if not isinstance(node, ast.Call) or last_part(node.func) != "setattr" or len(node.args) < 2:
        return False
    if dotted(node.args[0]) != owner:
        return False
    given = node.args[1]
    return not isinstance(given, ast.Constant) or given.value == name


_OF_LAYERS = frozenset("named_children children named_modules modules".split())


def outside(program: Program, family: list[Class], name: str) -> Iterator[Write]:
    """Yield where other code sets an attribute of an object that may be of these classes."""
    names = {cls.name for cls in family}
    own = {id(node) for cls in family for node in within(cls.node)}
    others = OtherObjects(program, family)

    def is_one(module: Module, owner: ast.expr) -> bool:
        return may_be(program, module, owner, family) and not others.are_others(module, owner)

    modules = [*program.project.setters(name), *_with_keys(program, name)]
    for module in dict.fromkeys(modules):
        if not any(name in module.nodes_by_name for name in names):
            continue
        for node in module.nodes(ast.Attribute):
            if node.attr != name or isinstance(node.ctx, ast.Load):
                continue
            if id(node) in own and dotted(node.value) in {"self", "cls"}:
                continue
            if is_one(module, node.value):
                yield Write(module, None, program.enclosing(module, node), node)
        for place, owner in _by_key(module, name):
            if is_one(module, owner):
                yield Write(module, None, program.enclosing(module, place), place)
        for call in module.calls_by_name.get("setattr", ()):
            if len(call.args) != 3 or not isinstance(call.args[1], ast.Constant):
                continue
            if call.args[1].value == name and is_one(module, call.args[0]):
                yield Write(module, None, program.enclosing(module, call), call)
    yield from _of_any_name(program, family, name, own)


def _of_any_name(
    program: Program, family: list[Class], name: str, own: set[int]
) -> Iterator[Write]:
    """Yield where code gives an object, made there or passed there, attributes whose names it computes."""
    are_layers = any("Module" in name for cls in family for name in program.unknown_bases(cls))
    for module, write, spelled in program.once(_computed):
        if id(write.node) in own or (spelled is not None and name not in spelled):
            continue
        if not are_layers and dotted(write.owner) in _layers(
            program.body_around(module, write.node)
        ):
            continue
        meets = _is_made_there(program, module, write.owner, family) or _is_passed_there(
            program, module, write, family, name
        )
        if meets and not OtherObjects(program, family).are_others(module, write.owner):
            yield Write(module, None, program.enclosing(module, write.node), write.node)


def _layers(body: list[ast.stmt]) -> set[str]:
    """Return the names of layers of a network: what loops over `net.named_modules()` go through, and parts of it."""
    nodes = [*executed(body)]
    bound: dict[str, list[ast.expr]] = {}
    for node in nodes:
        pairs = [(node.target, node.iter)] if isinstance(node, (ast.For, ast.comprehension)) else []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        for target, value in pairs:
            for name in stored_names(target):
                bound.setdefault(name, []).append(value)
    found: set[str] = set()
    while more := {
        name
        for name, values in bound.items()
        if name not in found and all(_is_layer(each, found | {name}) for each in values)
    }:
        found |= more
    return found


def _is_layer(value: ast.expr, layers: set[str]) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _OF_LAYERS:
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=name), *_]):
            return name in layers
    return isinstance(value, ast.Name) and value.id in layers


def _computed(program: Program) -> Iterator[tuple[Module, Computed, set[object] | None]]:
    """Yield the writes of a program that do not spell what they set, with the names that are known."""
    modules = (module for word in WORDS for module in program.project.mentions(word))
    for module in dict.fromkeys(modules):
        for write in computed_in(module):
            yield module, write, _names_of(program, module, write)


def _is_made_there(program: Program, module: Module, owner: ast.expr, family: list[Class]) -> bool:
    """Return whether an object is seen to be of these classes: code that computes names is about objects of any class."""
    function = program.enclosing(module, owner)
    is_passed = function is not None and dotted(owner) in parameters(function)
    if not is_passed and goes_by_known(program, module, owner, family):
        return True
    made = values_of(program, module, owner, dotted(owner))
    return any(_is_seen_to_make(program, module, value, family) for value in made)


def _is_seen_to_make(
    program: Program, module: Module, value: ast.expr, family: list[Class]
) -> bool:
    """Return whether a value is an object of these classes, a copy of one, or goes by a name that one is known by."""
    copied = _copied(value) or value
    called = copied.func if isinstance(copied, ast.Call) else None
    made = program.class_of(module, called) if called is not None else None
    if made is not None:
        return made in family
    names = {cls.name for cls in family}.union(*map(program.given_names, family))
    return any(last_part(each) in names for each in ast.walk(value))


def _is_passed_there(
    program: Program, module: Module, write: Computed, family: list[Class], name: str
) -> bool:
    """Return whether a call passes an object of these classes to the function that sets the attribute."""
    by_keyword = collects_keywords(program, module, write)
    for home, call, passed in passed_for(program, module, write.owner):
        given = {each.arg for each in call.keywords}
        if by_keyword and not {name, None} & given:
            continue
        value = passed.value if isinstance(passed, ast.Starred) else passed
        is_made = isinstance(value, ast.Call) and _may_make(program, home, value, family)
        if is_made or _is_made_there(program, home, value, family):
            return True
    return False


def _names_of(program: Program, module: Module, write: Computed) -> set[object] | None:
    """Return the attributes that a write may set; None where they are not in view."""
    if write.name is not None:
        return _spelled(program, module, write.name)
    mapping = write.mapping
    if not isinstance(mapping, ast.Name):
        return keys_of(mapping) if mapping is not None else None
    body = program.body_around(module, write.node)
    known = [keys_of(each) for each in values_of(program, module, write.node, mapping.id)]
    if not known or None in known or any(changes_by_name(module, body, mapping.id)):
        return None
    return {key for keys in known for key in keys or ()}


def _spelled(program: Program, module: Module, node: ast.expr) -> set[object] | None:
    """Return the texts that a loop variable goes through: `for key in ["a", "b"]`; None where one is not known."""
    loops, displays = [node], list[ast.expr]()
    for each in loops:
        if isinstance(each, ast.Name):
            values = values_of(program, module, node, each.id)
            loops += [value for value in values if value not in loops]
            body = program.body_around(module, node)
            if not values or any(changes_by_name(module, body, each.id)):
                return None
        else:
            displays.append(each)
    if not all(isinstance(each, (ast.List, ast.Tuple, ast.Set)) for each in displays):
        return None
    items = [item for each in displays for item in getattr(each, "elts", ())]
    known = all(isinstance(item, ast.Constant) for item in items)
    return {item.value for item in items if isinstance(item, ast.Constant)} if known else None


def _with_keys(program: Program, name: str) -> list[Module]:
    """Return the modules that may set an attribute through `__dict__`, `vars` or `__setattr__`."""
    mentioned = program.project.mentions(name)
    words = {"__dict__", "vars", "__setattr__", "delattr"}
    return [m for m in mentioned if any(word in m.nodes_by_name for word in words)]


def _by_key(module: Module, name: str) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield where an attribute is set by its name as a key, with the object."""
    for node in module.nodes(ast.Subscript):
        named = attribute_named(node) if not isinstance(node.ctx, ast.Load) else None
        if named is not None and named[1] == name:
            yield node, named[0]
    for kind in ("pop", "setdefault", "delattr", "__setattr__"):
        for call in module.calls_by_name.get(kind, ()):
            named = attribute_named(call)
            if named is not None and named[1] == name:
                yield call, named[0]
    for call in module.calls_by_name.get("update", ()):
        owner = attributes_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
        given = {k.arg for k in call.keywords} | {
            n.value for a in call.args for n in ast.walk(a) if isinstance(n, ast.Constant)
        }
        if owner is not None and name in given:
            yield call, owner


def owner_of(node: ast.AST) -> ast.expr | None:
    """Return the object of which a write sets an attribute."""
    named = attribute_named(node)
    if named is not None:
        return named[0]
    match node:
        case ast.Subscript(value=of) | ast.Call(func=ast.Attribute(value=of, attr="update")):
            return attributes_of(of)
        case ast.Call(args=[owner, _, _]):
            return owner
    return None


def may_be(
    program: Program,
    module: Module,
    node: ast.expr,
    family: list[Class],
    copies: frozenset[ast.expr] = frozenset(),
) -> bool:
    """Return whether an expression of some module may be an object of these classes.

    `copies` are the calls that copy it.
    """
    name = dotted(node)
    if not name:
        return True
    if "." in name:
        return any(goes_by(program, each, node) for each in family)
    own = program.class_of_self(module, node)
    if own is not None:
        return own in family
    values = values_of(program, module, node, name)
    if not values:
        found = program.class_of(module, node)
        return found in family if found is not None else not _is_module(module, name)
    return any(_may_make(program, module, value, family, copies) for value in values)


def goes_by(program: Program, cls: Class, node: ast.expr) -> bool:
    """Return whether an expression ends in a name that an object of a class is given anywhere."""
    name = last_part(node)
    if name == "dataset":  # by which loaders, and what wraps it, hold one
        return True
    given = program.given_names(cls)
    if given and ANYWHERE not in given:
        return name in given
    if isinstance(node, ast.Attribute) and any(program.project.setters(name)):
        return _is_given(program, cls, name)
    return bool(given) or not isinstance(node, ast.Attribute) or "data" in name


def goes_by_known(program: Program, module: Module, node: ast.expr, family: list[Class]) -> bool:
    """Return whether an expression ends in a name that an object of these classes comes to, where all such names are known."""
    if program.class_of_self(module, node) is not None:
        return False
    known = [program.given_names(cls) for cls in family]
    node = _copied(node) or node
    return any(last_part(node) in given and ANYWHERE not in given for given in known)


def _is_given(program: Program, cls: Class, name: str) -> bool:
    """Return whether code sets an attribute of a name to what may be an object of a class, or to one that it set so."""
    names = [name]
    for each in names:
        for module, given in values_given(program, each):
            value = _copied(given)
            if isinstance(value, ast.Attribute) and any(program.project.setters(value.attr)):
                names += [value.attr] if value.attr not in names else []
            elif value is None or _may_make(program, module, value, [cls]):
                return True
    return False


def _copied(value: ast.expr | None) -> ast.expr | None:
    """Return what a value is a copy of: `self.a` for `copy.deepcopy(self.a)`."""
    while isinstance(value, ast.Call) and last_part(value.func) in _COPIES and value.args:
        value = value.args[0]
    return value


def _is_module(module: Module, name: str) -> bool:
    return any(
        (alias.asname or alias.name.partition(".")[0]) == name
        for node in module.nodes(ast.Import)
        for alias in node.names
    )


def values_of(program: Program, module: Module, node: ast.AST, name: str) -> list[ast.expr]:
    """Return what a local or global name is assigned around a place."""
    found: list[ast.expr] = []
    for statement in program.bindings_around(module, node):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                for part, value in _paired(target, statement.value):
                    if name in _stored_in(part):
                        found.append(value)
        elif isinstance(statement, ast.AnnAssign) and dotted(statement.target) == name:
            found += [statement.value] if statement.value is not None else []
        elif (
            isinstance(statement, (ast.For, ast.comprehension)) and dotted(statement.target) == name
        ):
            found.append(statement.iter)
        elif isinstance(statement, ast.withitem) and dotted(statement.optional_vars) == name:
            found.append(statement.context_expr)
    return found


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the parts of a target, each with what it is set to: of `a, b = f(), g()` two."""
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            if not any(isinstance(each, ast.Starred) for each in (*targets, *values)):
                return [*zip(targets, values, strict=True)]
    return [(target, value)]


@kept
def _stored_in(target: ast.expr) -> frozenset[str]:
    """Return the names and attributes that a target sets, each spelled out."""
    return frozenset(dotted(node) for node in ast.walk(target) if _is_stored(node))


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _may_make(
    program: Program,
    module: Module,
    value: ast.expr,
    family: list[Class],
    copies: frozenset[ast.expr] = frozenset(),
) -> bool:
    """Return whether a value may hold an object of these classes: only what is surely another does not."""
    if isinstance(value, ast.Call):
        made = program.class_of(module, value.func)
        if made is not None:
            return made in family
        known = program.function_of(module, value.func)
        if known is not None:
            return any(_may_come_to(program, cls, known[1].name) for cls in family)
        if last_part(value.func) in _COPIES and value.args:
            if value in copies:  # `x = copy(x)`: a copy of what it was before, whatever that is
                return True
            return may_be(program, module, value.args[0], family, copies | {value})
        names = {cls.name for cls in family}
        return any(last_part(n) in names for n in ast.walk(value))
    return not isinstance(value, (ast.Constant, ast.JoinedStr))


def _may_come_to(program: Program, cls: Class, name: str) -> bool:
    """Return whether an object of a class may come to a name, or from a function of that name."""
    given = program.given_names(cls)
    return not given or name in given or ANYWHERE in given


def content(program: Program, family: list[Class], name: str) -> Iterator[Write]:
    """Yield where the content of an attribute is changed in place."""
    own = {id(node): cls for cls in family for node in within(cls.node)}
    for module in program.project.mentions(name):
        for node in module.nodes(ast.Attribute):
            if node.attr != name or not changes_in_place(module, node):
                continue
            cls = own.get(id(node))
            if cls is not None or may_be(program, module, node.value, family):
                yield Write(module, cls, program.enclosing(module, node), node)


def changes_in_place(module: Module, node: ast.expr) -> bool:
    """Return whether the expression around a value changes the value in place."""
    parent = module.parent(node)
    if isinstance(parent, ast.Attribute):
        call = module.parent(parent)
        if isinstance(call, ast.Call) and call.func is parent and parent.attr in MUTATING:
            return True
        return isinstance(parent.ctx, (ast.Store, ast.Del))
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return isinstance(parent.ctx, (ast.Store, ast.Del))
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        return dotted(parent.func).endswith("patch.dict")
    return isinstance(parent, ast.AugAssign) and parent.target is node


def changes_by_name(module: Module, body: list[ast.stmt], name: str) -> Iterator[ast.AST]:
    """Yield where a body changes the content of what a name stands for."""
    for node in executed(body):
        match node:
            case ast.Call(func=func, args=args) if last_part(func) in _CHANGING_FUNCTIONS:
                changed = any(dotted(arg) == name for arg in args)
            case ast.Name():
                changed = node.id == name and changes_in_place(module, node)
            case _:
                changed = False
        if changed:
            yield node


def global_rebinding(
    program: Program,
    module: Module,
    name: str,
    known: Callable[[Module, ast.AST], bool] = lambda *_: False,
) -> ast.AST | None:
    """Return a second place that binds a name of a module, besides patches that are known; None where there is only one."""
    for declared in module.nodes(ast.Global):
        if name in declared.names:
            function = program.enclosing(module, declared)
            if function is not None and name in stored_names(function.body):
                return declared
    bindings = _ways_to_bind(module.tree.body, name)
    if len(bindings) > 1:
        return bindings[1]
    for other in program.project.setting(name, module):
        for node in other.nodes(ast.Attribute):
            if node.attr == name and not isinstance(node.ctx, ast.Load):
                found = program.bound(other, dotted(node.value).partition(".")[0])
                if found is not None and found[0] is module:
                    return node
    replaced = replacing(program, f"{module.name}.{name}")
    return next((p for home, p in replaced if p not in bindings and not known(home, p)), None)


def _ways_to_bind(body: Sequence[ast.stmt], name: str) -> list[ast.AST]:
    """Return the bindings of a name that may follow each other; in a loop, one follows itself."""
    found: list[ast.AST] = []
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, ast.If):
            branches = [node.body, node.orelse]
        elif isinstance(node, ast.Try):
            branches = [[*node.body, *node.orelse], *(h.body for h in node.handlers)]
        elif isinstance(node, (ast.For, ast.While)):
            again = [node] if name in stored_names(node) else []
            found += [*again, *again]
            continue
        elif isinstance(node, ast.With):
            found += [node] if any(name in stored_names(i) for i in node.items) else []
            branches = [node.body]
        else:
            found += [node] if name in stored_names(node) else []
            continue
        ways: list[list[ast.AST]] = [_ways_to_bind(branch, name) for branch in branches]
        longest: list[ast.AST] = []
        for way in ways:
            longest = way if len(way) > len(longest) else longest
        found += longest
    return found
