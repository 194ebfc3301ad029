"""The classes around a class, and code outside them that uses its instances."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dlfix.fixing.classes.closing import is_closer
from dlfix.fixing.classes.evidence import OpenedIn
from dlfix.fixing.classes.facts import STARTS, ClassFacts, Method, self_names_used
from dlfix.fixing.classes.inputs import Inputs, Related
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.classes.text import names_in
from dlfix.project.module import Module, Scope
from dlfix.project.project import Project
from dlfix.project.syntax import class_name, positional
from dlfix.reach.analysis import Analysis
from dlfix.reach.instances import MOST_SUBCLASSES
from dlfix.reach.values import Class, External, Unknown

WITH_SETSTATE = ("Module", "LightningModule", "LightningDataModule")
WITH_GETSTATE = ("IterDataPipe", "MapDataPipe")
WORKER_METHODS = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__", "__call__"})


GO_THROUGH = ("list", "tuple", "set", "dict", "sorted", "iter", "next", "enumerate", "zip", "map", "sum", "min", "max", "any", "all")  # fmt: skip
MOST_CALLS = 4  # from function to function, that an instance is followed
BEFORE_WORKERS = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler")


@dataclass(frozen=True)
class Family(Related):
    """A class, the classes of the tree it derives from, and those that derive from it."""

    outside: frozenset[str] = frozenset()  # the names of bases outside the tree

    @property
    def names(self) -> set[str]:
        """The names under which instances of the class are made."""
        return {self.facts.node.name, *(each.node.name for each in self.heirs)}

    @property
    def is_large(self) -> bool:
        """Whether there are too many subclasses to compare each with each; not all are listed then."""
        return len(self.heirs) >= MOST_SUBCLASSES


def family_of(analysis: Analysis, facts: ClassFacts) -> Family:
    """Return the family of a class."""
    interpreter = analysis.interpreter
    cls = interpreter.class_value(facts.node, interpreter.frame_at(facts.module, facts.node))
    line, heirs = analysis.mro(cls), interpreter.instances.subclasses(cls)
    around = dict.fromkeys(base for heir in (cls, *heirs) for base in analysis.mro(heir))
    return Family(
        facts,
        tuple(ClassFacts(each.module, each.node) for each in line[1:] if isinstance(each, Class)),
        tuple(ClassFacts(each.module, each.node) for each in heirs),
        frozenset(each.node for each in around if isinstance(each, Class)),
        frozenset(_outside(line)),
    )


def _outside(line: Sequence[Class | External | Unknown]) -> Iterator[str]:
    """Yield the names of bases outside the tree, those that cannot be followed included."""
    yield from (each.name.rpartition(".")[2] for each in line if isinstance(each, External))
    if any(isinstance(each, Unknown) for each in line):
        own = [each for each in line if isinstance(each, Class)]
        yield from (class_name(base) for each in own for base in each.node.bases)


def surroundings(
    analysis: Analysis,
    facts: ClassFacts,
    attributes: Iterable[str],
    holders: Iterable[str],
    opened: OpenedIn | None = None,
) -> Surroundings:
    """Return what a plan for some attributes must know of the code around a class.

    `holders` are the names of the classes through which instances reach a worker.
    """
    project, family = analysis.project, family_of(analysis, facts)
    interpreter = analysis.interpreter
    cls = interpreter.class_value(facts.node, interpreter.frame_at(facts.module, facts.node))
    attributes = set(attributes)
    inputs = Inputs(
        project,
        family,
        opens=opened.opens if opened is not None else lambda _: None,
        holds=opened.holds if opened is not None else lambda _: False,
        calls=tuple(constructions(project, family.names)),
        handles=frozenset(attributes),
    )
    for heir in family.heirs:
        bases = family_of(analysis, heir).bases
        heir.started.update(heir.reached(_called_by_bases(heir, bases)))
    run = [*_called_by_heirs(family), *_called_by_bases(facts, family.bases)]
    facts.started.update(facts.reached(run))
    touching = _touching(family, attributes)
    holding = set(holders) - family.names
    indexed = _indexed_outside(project, family.names | set(holders))
    run = ["__len__", *(WORKER_METHODS if indexed else ())]
    parent = {"__len__"} | _used_outside(project, family.names, touching | attributes, holding, run)
    parent |= interpreter.roles.of(cls).called & touching
    if indexed:
        parent |= WORKER_METHODS | touching
    return Surroundings(
        parent_methods=frozenset(parent),
        touched_in_parent=frozenset(attributes & parent)
        | _heirs_use_later(family, attributes)
        | _bases_use_later(family, attributes, touching & parent),
        started_elsewhere=_started_by_heirs(family, attributes, touching),
        start_methods=_overridden(family, touching),
        inherited=_inherited(family),
        set_by_bases=_set_by_bases(family),
        kept_by_bases=_kept_by_bases(family),
        set_elsewhere=_set_elsewhere(project, family, attributes)
        | _set_on_instances(project, family, attributes),
        only_started=frozenset(_only_started(project, family)),
        set_outside=frozenset(name for name in attributes if inputs.set_outside(name)),
        inputs=inputs,
    )


def constructions(project: Project, classes: set[str]) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that are written with the name of one of the classes."""
    for name in sorted(classes):
        for module in project.mentions(name):
            for call in module.calls_by_name.get(name, ()):
                yield module, call


def _called_by_heirs(family: Family) -> list[str]:
    """Return what the heirs run while they are made, the constructors themselves left out."""
    started = [(heir, name) for heir in family.heirs for name in heir.started]
    used = {each for heir, name in started for each in self_names_used(heir.methods[name])}
    return sorted(used - set(STARTS))


def _called_by_bases(facts: ClassFacts, bases: Iterable[ClassFacts]) -> list[str]:
    """Return what the constructors of the bases run, where the class does not keep them from running."""
    own = facts.methods.get("__init__")
    if own is not None and not any(
        isinstance(node, ast.Attribute) and node.attr == "__init__" for node in ast.walk(own)
    ):
        return []
    used = {
        each
        for base in bases
        for name in base.started
        for each in self_names_used(base.methods[name])
    }
    return sorted(used - set(STARTS))


def _only_started(project: Project, family: Family) -> Iterator[str]:
    """Yield the methods that nothing but constructors runs, once each."""
    classes = (family.facts, *family.bases, *family.heirs)
    users: dict[str, set[str]] = {}
    for name in sorted(family.facts.started - set(STARTS)):
        runs = [
            (user.name, user.name in facts.started, facts)
            for facts in classes
            for user, _ in facts.reads.get(name, [])
        ]
        mentioned = sum(
            len(module.attributes_by_name.get(name, ())) for module in project.mentions(name)
        )
        once = len({id(facts) for *_, facts in runs}) == len(runs) == mentioned
        if once and all(at_start for _, at_start, _ in runs):
            users[name] = {user for user, *_ in runs}
    size = -1
    while size != len(users):  # what another method runs as well leads to no constructor alone
        size = len(users)
        known = {*STARTS, *users}
        users = {name: by for name, by in users.items() if by <= known}
    yield from users


def _touching(family: Family, attributes: set[str]) -> set[str]:
    """Return the names of methods that read an attribute, in any class of the family."""
    used: dict[str, set[str]] = {}
    for facts in (family.facts, *family.bases, *family.heirs):
        for method in facts.all_methods:
            if not is_closer(method):
                used.setdefault(method.name, set()).update(self_names_used(method))
    touching: set[str] = set()
    size = -1
    while size != len(touching):
        size = len(touching)
        touching |= {name for name, names in used.items() if names & (touching | attributes)}
    return touching


def _overridden(family: Family, touching: set[str]) -> frozenset[str]:
    """Return the methods of heirs that touch and that the class itself runs."""
    own = {name for method in family.facts.all_methods for name in self_names_used(method)}
    theirs = {name for heir in family.heirs for name in heir.methods}
    return frozenset(own & theirs & touching - set(STARTS))


def _started_by_heirs(family: Family, attributes: set[str], touching: set[str]) -> frozenset[str]:
    for heir in family.heirs:
        for start in STARTS:
            method = heir.methods.get(start)
            if method is None:
                continue
            used = set(self_names_used(method)) - set(STARTS)
            if used & attributes or used & touching:
                return frozenset(attributes)
    return frozenset()


def _heirs_use_later(family: Family, attributes: set[str]) -> frozenset[str]:
    for heir in family.heirs:
        method = heir.methods.get("__len__")
        if method is not None and "__len__" in _touching(family, attributes):
            return frozenset(attributes)
    return frozenset()


def _bases_use_later(family: Family, attributes: set[str], touching: set[str]) -> frozenset[str]:
    """Return the attributes if a method that the parent runs, and the class inherits, touches them."""
    inherited = {name for base in family.bases for name in base.methods} - set(family.facts.methods)
    return frozenset(attributes if inherited & touching else ())


def _inherited(family: Family) -> frozenset[str]:
    names = {name for base in family.bases for name in (*base.methods, *base.fields)}
    if family.outside & set(WITH_SETSTATE):
        names.add("__setstate__")
    if family.outside & set(WITH_GETSTATE):
        names |= {"__getstate__", "__setstate__"}
    return frozenset(names)


def _set_by_bases(family: Family) -> frozenset[str]:
    return frozenset(
        name
        for base in family.bases
        for name, sites in base.stores.items()
        if any(site.method.name in base.started for site in sites)
    )


def _kept_by_bases(family: Family) -> frozenset[str]:
    return frozenset(
        name
        for base in family.bases
        for name, sites in base.stores.items()
        if len(sites) == 1 and isinstance(sites[0].value, ast.Name) and sites[0].value.id == name
    )


def _set_elsewhere(project: Project, family: Family, attributes: set[str]) -> frozenset[str]:
    """Return what the length is made of, where code outside may set it or heirs make it otherwise."""
    facts = family.facts
    used = {
        each for name in facts.reached(["__len__"]) for each in self_names_used(facts.methods[name])
    }
    names = {name for heir in family.heirs for name in used & heir.methods.keys()}
    names |= {
        each
        for base in family.bases
        for name in base.started
        for each in self_names_used(base.methods[name])
        if each == "__len__"
    }
    related = [facts.node, *(each.node for each in (*family.bases, *family.heirs))]
    for name in sorted(used - attributes - names):
        for module in project.setters(name):
            for node in module.attributes_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute):
                    continue
                if not isinstance(node.ctx, ast.Load):
                    owner = next(
                        (each for each in module.ancestors(node) if isinstance(each, ast.ClassDef)),
                        None,
                    )
                    of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
                    if owner is not facts.node and (owner in related or not of_self):
                        names.add(name)
    return frozenset(names)


def _set_on_instances(project: Project, family: Family, attributes: set[str]) -> frozenset[str]:
    """Return what a handle is opened from, where code outside sets it once an instance is made."""
    facts = family.facts
    openers = {site.method for name in attributes for site in facts.stores.get(name, [])}
    used = {each for method in openers for each in self_names_used(method)} - attributes
    if not used - facts.methods.keys():
        return frozenset()
    parents = (module.parent(node) for module, node in _instances(project, family.names))
    return frozenset(
        each.attr
        for each in parents
        if isinstance(each, ast.Attribute)
        and not isinstance(each.ctx, ast.Load)
        and each.attr in used - facts.methods.keys()
    )


def _used_outside(
    project: Project, classes: set[str], names: set[str], holding: set[str], run: Sequence[str]
) -> set[str]:
    """Return which members are used on instances by code outside their classes.

    `run` are the methods that the parent runs of the classes that hold instances.
    """
    found: set[str] = set()
    for module, node in _instances(project, classes):
        parent = module.parent(node)
        if isinstance(parent, ast.Attribute) and parent.attr in names:
            found.add(parent.attr)
        if isinstance(parent, ast.Compare) and node in parent.comparators:
            found |= {"__contains__"} & names
    for facts, attribute in _holders(project, classes, holding):
        reached = facts.reached([*facts.started, *run])
        for method, read in [*facts.reads.get(attribute, []), *_read_as_passed(facts, attribute)]:
            if method.name in reached:
                found |= _used_through(facts, method, read, names)
        found |= _used_of_holders(project, facts, attribute, names)
    return found


def _read_as_passed(facts: ClassFacts, attribute: str) -> Iterator[tuple[Method, ast.Name]]:
    """Yield where a method reads what it sets an attribute to under the name it was passed by."""
    for site in facts.stores.get(attribute, []):
        name = site.value.id if isinstance(site.value, ast.Name) else ""
        for node in ast.walk(site.method):
            if isinstance(node, ast.Name) and node.id == name and node is not site.value:
                yield site.method, node


def _used_of_holders(
    project: Project, holder: ClassFacts, attribute: str, names: set[str]
) -> set[str]:
    """Return which members other code uses through what holds an instance: `rows.parts.stream`."""
    found: set[str] = set()
    for module in project.mentions(attribute):
        for node in module.attributes_by_name.get(attribute, ()):
            member = module.parent(node)
            if not isinstance(member, ast.Attribute) or member.attr not in names:
                continue
            if not _runs_in_worker(holder, module, node):
                found.add(member.attr)
    return found


def _runs_in_worker(holder: ClassFacts, module: Module, node: ast.AST) -> bool:
    """Return whether a place is in the holder, whose methods are asked by themselves, or in what workers run."""
    around = list(module.ancestors(node))
    return holder.node in around or any(
        isinstance(each, ast.FunctionDef) and each.name in WORKER_METHODS for each in around
    )


def _holders(
    project: Project, classes: set[str], holding: set[str]
) -> Iterator[tuple[ClassFacts, str]]:
    """Yield the attributes of other classes that keep instances: made there, or handed to one."""
    seen: set[ast.ClassDef] = set()
    for name in sorted(classes | holding):
        for module in project.mentions(name):
            made_in = module.table(_classes_by_call).get(name, ()) if name in classes else ()
            named = module.table(_classes_by_name).get(name, ()) if name in holding else ()
            for node in (*made_in, *named):
                if node in seen or node.name in classes:
                    continue
                seen.add(node)
                facts = ClassFacts(module, node)
                for attribute, sites in facts.stores.items():
                    values = [site.value for site in sites if site.value is not None]
                    passed = node.name in holding and any(
                        isinstance(value, ast.Name) for value in values
                    )
                    if passed or any(_makes(value, classes) for value in values):
                        yield facts, attribute


def _makes(value: ast.expr, classes: set[str]) -> bool:
    return any(
        isinstance(each, ast.Call) and class_name(each.func) in classes for each in ast.walk(value)
    )


def _used_through(facts: ClassFacts, method: ast.AST, node: ast.AST, names: set[str]) -> set[str]:
    """Return which members a method uses of what an attribute keeps, one by one or whole."""
    parent = facts.module.parent(node)
    if isinstance(parent, ast.Attribute) and parent.attr in names:
        return {parent.attr}
    if isinstance(parent, ast.Subscript):
        parent = facts.module.parent(parent)
        if isinstance(parent, ast.Attribute):
            return {parent.attr} & names
        return {"__getitem__"} & names
    if isinstance(parent, ast.Call) and ast.unparse(parent.func) in GO_THROUGH:
        return {"__iter__", "__next__", "__getitem__"} & names
    if isinstance(parent, ast.Compare) and node in parent.comparators:
        return {"__contains__"} & names
    if isinstance(parent, (ast.For, ast.comprehension)):
        each = names_in([parent.target])
        return (names & {"__iter__", "__next__", "__getitem__"}) | names & {
            n.attr
            for n in ast.walk(method)
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in each
        }
    return set()


def _indexed_outside(project: Project, classes: set[str]) -> bool:
    """Return whether code outside asks an instance for a sample, in the parent."""
    with_workers: dict[tuple[int, str], set[bool]] = {}
    for module, node in _instances(project, classes):
        parent = module.parent(node)
        if _asks_for_a_sample(parent, node):
            return True
        if isinstance(parent, ast.Call) and class_name(parent.func).endswith("DataLoader"):
            found = with_workers.setdefault((id(module.scope_of(node)), ast.unparse(node)), set())
            found.add(_has_workers(parent))
    return any(len(found) > 1 for found in with_workers.values())


def _has_workers(loader: ast.Call) -> bool:
    """Return whether a loader may start workers; without them the parent asks for all samples."""
    if len(loader.args) > len(BEFORE_WORKERS):
        return True
    for keyword in loader.keywords:
        if keyword.arg is None:
            return True
        if keyword.arg == "num_workers":
            return not (isinstance(keyword.value, ast.Constant) and keyword.value.value == 0)
    return False


def _asks_for_a_sample(parent: ast.AST | None, node: ast.expr) -> bool:
    match parent:
        case ast.Subscript(value=value) | ast.For(iter=value) | ast.comprehension(iter=value):
            return value is node
        case ast.Call(
            func=ast.Name(id="iter" | "next" | "enumerate" | "list" | "sorted" | "zip" | "tuple")
        ):
            return True
    return False


def _instances(project: Project, classes: set[str]) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what stands for an instance of some classes: made nearby, by a function, or passed on."""
    seen: set[str] = set()
    classes = classes | set(_makers(project, classes))
    found: list[tuple[Module, ast.expr]] = []
    for name in sorted(classes):
        for module in project.mentions(name):
            if str(module.path) not in seen:
                seen.add(str(module.path))
                found += _instances_in(module, classes)
    yield from found
    followed: set[object] = set()
    for _ in range(MOST_CALLS):
        found = [each for one in found for each in _passed_on(project, *one, classes, followed)]
        yield from found


def _passed_on(
    project: Project, module: Module, node: ast.expr, classes: set[str], followed: set[object]
) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what stands, in functions and classes of the tree, for what a call passes to them."""
    call, keyword = module.parent(node), ""
    if isinstance(call, ast.keyword):
        keyword = call.arg or ""
        call = module.parent(call)
    if not isinstance(call, ast.Call) or call.func is node:
        return
    name = class_name(call.func)
    if name in classes or not project.defines(name):
        return
    for other in project.mentions(name):
        made = [each for each in other.classes if each.name == name]
        starts = [
            each for cls in made for each in cls.body
            if isinstance(each, ast.FunctionDef) and each.name in STARTS
        ]  # fmt: skip
        for function in (*other.functions_by_name.get(name, ()), *starts):
            skipped = 1 if isinstance(other.parent(function), ast.ClassDef) else 0
            names = positional(function)
            names = names[skipped:]
            position = call.args.index(node) if node in call.args else len(names)
            parameter = keyword or (names[position] if position < len(names) else "")
            if not parameter or (function, parameter) in followed:
                continue
            followed.add((function, parameter))
            yield from _standing_for(other, function, parameter)


def _standing_for(
    module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: str
) -> Iterator[tuple[Module, ast.expr]]:
    """Yield the reads of a parameter, and of the attribute that a constructor keeps it as."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == parameter and isinstance(node.ctx, ast.Load):
            yield module, node
    owner = module.parent(function)
    if not isinstance(owner, ast.ClassDef) or function.name not in STARTS:
        return
    facts = ClassFacts(module, owner)
    in_worker = WORKER_METHODS & facts.methods.keys()
    run = facts.reached([*facts.started, "__len__"]) if in_worker else set(facts.methods)
    for attribute, sites in facts.stores.items():
        if any(isinstance(s.value, ast.Name) and s.value.id == parameter for s in sites):
            for method, read in facts.reads.get(attribute, []):
                if method.name in run and isinstance(read, ast.expr):
                    yield module, read


def _makers(project: Project, classes: set[str]) -> Iterator[str]:
    """Yield the functions that return an instance they make."""
    for name in classes:
        for module in project.mentions(name):
            for made in module.table(_returns_by_call).get(name, ()):
                around = module.scope_of(made).node
                if isinstance(around, ast.FunctionDef):
                    yield around.name


def _instances_in(module: Module, classes: set[str]) -> Iterator[tuple[Module, ast.expr]]:
    """Yield the reads of variables that are assigned what one of the classes makes."""
    seen: set[ast.expr] = set()
    for name in sorted(classes):
        module.calls_by_name.get(name)  # the assignments are looked at, too, wherever they are
        for node in module.table(_reads_by_call).get(name, ()):
            if node not in seen:
                seen.add(node)
                yield module, node


# Tables of a module: what is asked of them for each class costs what there is of that class.


def _classes_by_name(module: Module) -> dict[str, list[ast.ClassDef]]:
    named: dict[str, list[ast.ClassDef]] = {}
    for node in module.classes:
        named.setdefault(node.name, []).append(node)
    return named


def _classes_by_call(module: Module) -> dict[str, list[ast.ClassDef]]:
    """The classes in which something is called, by what it is called by."""
    around: dict[str, dict[ast.ClassDef, None]] = {}
    for node in module.classes:
        for each in module.within(node):
            if isinstance(each, ast.Call):
                around.setdefault(class_name(each.func), {})[node] = None
    return {name: [*nodes] for name, nodes in around.items()}


def _returns_by_call(module: Module) -> dict[str, list[ast.Return]]:
    """The statements that return what a call makes, by what is called."""
    named: dict[str, list[ast.Return]] = {}
    for node in module.nodes(ast.Return):
        if isinstance(node.value, ast.Call):
            named.setdefault(class_name(node.value.func), []).append(node)
    return named


def _reads_by_call(module: Module) -> dict[str, list[ast.expr]]:
    """The reads of variables that are assigned what a call makes, by what is called."""
    named: dict[str, list[ast.expr]] = {}
    makers: dict[tuple[Scope, str], set[str]] = {}
    for node in module.of_kind(ast.Name):
        if not isinstance(node.ctx, ast.Load):
            continue
        scope = module.scope_of(node).lookup(node.id)
        if scope is None:
            continue
        variable = scope, node.id
        if variable not in makers:
            makers[variable] = _makers_of(scope, node.id)
        for name in makers[variable]:
            named.setdefault(name, []).append(node)
    return named


def _makers_of(scope: Scope, variable: str) -> set[str]:
    """Return by what the calls are called whose results a variable is assigned."""
    return {
        class_name(each.value.func)
        for each in scope.bindings.get(variable, ())
        if isinstance(each.value, ast.Call)
    }
