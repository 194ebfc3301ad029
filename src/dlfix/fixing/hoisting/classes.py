"""What it takes to move a class to module level."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from dlfix.fixing import naming
from dlfix.fixing.hoisting import hoisted_imports, places
from dlfix.fixing.hoisting.captures import CannotHoist, guard_of, import_text
from dlfix.fixing.hoisting.class_uses import ClassUses, passing_on
from dlfix.fixing.hoisting.class_values import ClassValues
from dlfix.fixing.hoisting.helpers import Helpers
from dlfix.fixing.hoisting.inherited_init import (
    attributes_of_bases,
    forwarded,
    has_state_unseen,
    refuse_read_early,
)
from dlfix.fixing.hoisting.init_defaults import InitDefaults, left_out
from dlfix.fixing.hoisting.kept_names import Keeping, instance_around
from dlfix.fixing.hoisting.line_width import width_of
from dlfix.fixing.hoisting.star_imports import may_replace
from dlfix.fixing.plans_classes import (
    AlsoBound,
    ClassesPlan,
    ClassMove,
    HelperMove,
    InnerImport,
    LostDefault,
    NewArguments,
    NewParameters,
    NewPartial,
    Rename,
)
from dlfix.project.module import Module, Scope
from dlfix.project.order import in_order
from dlfix.project.project import Project
from dlfix.project.syntax import FUNCTIONS, first_parameter, last_name
from dlfix.reach.evaluator import Base
from dlfix.source.text import Span


@dataclass
class ClassMoves:
    """Plans the moves of classes in one module."""

    module: Module
    project: Project
    lineage: Callable[[ast.ClassDef], Sequence[Base]]  # a class and its bases

    def __post_init__(self) -> None:
        self.given: set[str] = set()

    def move(self, node: ast.ClassDef) -> tuple[str, ClassesPlan]:
        """Plan the move of a class statement, with the local classes it needs."""
        work = Work(self)
        name = work.add(node)
        what = f"Move the class `{node.name}` to module level"
        return what if name == node.name else f"{what} as `{name}`", work.plan()

    def move_made(self, call: ast.Call) -> tuple[str, ClassesPlan]:
        """Plan the move of a `namedtuple(...)` or the like."""
        work = Work(self)
        name = work.add_made(call)
        if work.class_moves:
            return f"Create `{name}` at module level", work.plan()
        return f"Bind the class to its own name `{name}` as well", work.plan()


_MOST_DEFINING = 20  # modules that define classes of one name
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
# What makes classes of another module than the one that calls it, and until when.
_OF_TYPES = {"new_class": "", "make_dataclass": " before Python 3.12"}


@dataclass
class Work:
    """What the move of a class, with those that it needs, asks of its file."""

    moves: ClassMoves
    done: dict[ast.AST, str] = field(default_factory=dict)
    class_moves: list[ClassMove] = field(default_factory=list)
    renames: list[Rename] = field(default_factory=list)
    parameters: list[NewParameters] = field(default_factory=list)
    arguments: list[NewArguments] = field(default_factory=list)
    helpers: list[HelperMove] = field(default_factory=list)
    imports: list[Span] = field(default_factory=list)
    inner: list[InnerImport] = field(default_factory=list)
    partials: list[NewPartial] = field(default_factory=list)
    bound: list[AlsoBound] = field(default_factory=list)
    required: list[LostDefault] = field(default_factory=list)
    carried: list[ast.ClassDef | ast.FunctionDef] = field(default_factory=list)  # all that moves
    # What classes take besides: names, each with the attribute that it is kept as, if any.
    passed: dict[ast.ClassDef, dict[str, str]] = field(default_factory=dict)

    @property
    def module(self) -> Module:
        """The file that is read."""
        return self.moves.module

    def plan(self) -> ClassesPlan:
        """Return what was taken up as a plan."""
        return ClassesPlan(
            tuple(self.class_moves),
            tuple(self.renames),
            tuple(self.parameters),
            tuple(self.arguments),
            tuple(self.helpers),
            tuple(dict.fromkeys(self.imports)),
            tuple(dict.fromkeys(self.inner)),
            tuple(self.partials),
            width_of(self.module) if self.partials else 0,
            bound=tuple(self.bound),
            required=tuple(self.required),
        )

    def add(self, node: ast.ClassDef) -> str:
        """Take a class up, with the local classes that it needs; return its name."""
        if node in self.done:
            return self.done[node]
        self.carried.append(node)
        scope = self.module.scope_of(node)
        self._refuse_rebound(node.name, scope, node)
        name = self.done[node] = self._name(node.name, scope, node)
        helpers = Helpers(self.module, node, scope)
        captured = self._captured(node, scope, helpers)
        values = self._pass_in(node, scope, captured, helpers)
        span = self.module.span(node)
        stay, leave = (tuple(values.stay), tuple(values.leave)) if values else ((), ())
        near = self.module.span(places.near(self.module, node))
        self.class_moves.append(ClassMove(span, name, near, stay=stay, leave=leave))
        self._rename_reads(node.name, name, scope)
        return name

    def add_made(self, call: ast.Call) -> str:
        """Take a class up that a call makes; return its name."""
        for each in ast.walk(call):
            if isinstance(each, ast.Name) and not self._is_global(each):
                raise CannotHoist(f"the class depends on `{each.id}` (line {each.lineno})")
        maker = last_name(call.func)
        if maker in _OF_TYPES:
            raise CannotHoist(
                f"`{maker}` makes a class of the module `types`{_OF_TYPES[maker]}, "
                f"where pickle does not find it (line {call.lineno})"
            )
        parent = self.module.parent(call)
        scope = self.module.scope_of(call)
        span = self.module.span(call)
        match parent:
            case ast.Assign(targets=[ast.Name()]) if scope.is_module and not guard_of(
                self.module, call
            ):
                return self._bind(parent, call)
            case ast.Assign(targets=[ast.Name(id=bound)]) if not scope.is_class:
                self._refuse_rebound(bound, scope, parent)
                name = self._name(bound, scope, parent)
                given = _typename(call)
                if given is None or given.value != name:
                    self._bind(parent, call)
                self.class_moves.append(ClassMove(self.module.span(parent), name, span))
                self._rename_reads(bound, name, scope)
                return name
            case _:
                name = self._name(_own_name(call), scope, call)
                self.class_moves.append(ClassMove(span, name, span, extracted=True))
        self._call_it(call, name)
        return name

    def _bind(self, statement: ast.Assign, call: ast.Call) -> str:
        """Bind a class by the name that its objects show, which stays as it is."""
        name = _own_name(call)
        if self._is_taken(name):
            raise CannotHoist(
                f"`{name}`, the name of the class, is another object's (line {call.lineno})"
            )
        self.bound.append(AlsoBound(self.module.span(statement), name))
        return name

    def _is_taken(self, name: str) -> bool:
        scope = self.module.scope
        taken = self._taken(name, scope) | scope.bindings.keys() | set(dir(builtins))
        return name in taken or may_replace(self.moves.project, self.module, name)

    def _call_it(self, call: ast.Call, name: str) -> None:
        """Let the class be made under the name it is found by."""
        given = _typename(call)
        if given is not None and given.value != name:
            if last_name(call.func) in _ENUMS:
                raise CannotHoist(
                    f"members of the enumeration would be printed with the name `{name}` (line {call.lineno})"
                )
            self.renames.append(Rename(self.module.span(given), name))

    def _is_global(self, name: ast.Name) -> bool:
        binder = self.module.scope_of(name).lookup(name.id)
        if binder is None:
            return True
        if not binder.is_module:
            return False
        return not self._under_guard(binder, name.id)

    def _under_guard(self, binder: Scope, name: str) -> bool:
        bindings = binder.bindings.get(name, [])
        return bool(bindings) and all(guard_of(self.module, each.node) for each in bindings)

    def _refuse_rebound(self, name: str, scope: Scope, node: ast.AST) -> None:
        for binding in scope.bindings.get(name, ()):
            if binding.statement is not node and binding.node is not node:
                line = getattr(binding.node, "lineno", 0)
                raise CannotHoist(f"`{name}` is reassigned (line {line})")

    def _name(self, name: str, scope: Scope, node: ast.AST) -> str:
        taken = self._taken(name, scope)
        outer = next(
            (
                each.name
                for each in self.module.ancestors(node)
                if isinstance(each, ast.FunctionDef)
            ),
            "",
        )
        parts = "".join(part.capitalize() for part in outer.strip("_").split("_"))
        listed = [name, f"_{name}", f"_{parts}{name}"]
        if may_replace(self.moves.project, self.module, name):
            del listed[0]
        chosen = naming.free_name(listed, taken)
        if chosen != name:
            self._refuse_renaming(name, chosen, node)
        self.moves.given.add(chosen)
        return chosen

    def _refuse_renaming(self, known_as: str, chosen: str, cls: ast.AST) -> None:
        """Refuse another name for a class if the program reads its name, or that of an object's class."""
        for attribute in ("__name__", "__qualname__"):
            for module in self.moves.project.mentions(attribute):
                for node in module.attributes_by_name.get(attribute, ()):
                    match node.value:
                        case (
                            ast.Call(func=ast.Name(id="type"), args=[of])
                            | ast.Attribute(value=of, attr="__class__")
                        ):
                            read = self._may_be_of(of, module, cls) and not _is_raised(module, node)
                        case each:
                            read = last_name(each) == known_as
                    if read and not _only_compares(node, {known_as, chosen}, module):
                        raise CannotHoist(
                            f"the class would be renamed to `{chosen}`, but its name is read "
                            f"({module.path.name}:{node.lineno})"
                        )

    def _may_be_of(self, node: ast.expr, module: Module, cls: ast.AST) -> bool:
        """Return whether an expression may be an object of a class: `self` is one of its own class or an heir's."""
        binder = module.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        method = binder.node if binder is not None else None
        home = module.parent(method) if method is not None else None
        if not isinstance(home, ast.ClassDef) or not isinstance(method, FUNCTIONS):
            return True
        if getattr(node, "id", "") != first_parameter(method):
            return True
        above = self._names_above(cls)
        return home is cls or above is None or home.name in above

    def _names_above(self, cls: ast.AST) -> set[str] | None:
        """Return the names of a class's bases, and of theirs that are in view; None where they are many."""
        project, found, waiting = self.moves.project, set[str](), [cls]
        while waiting:
            for name in {last_name(base) for base in getattr(waiting.pop(), "bases", ())} - found:
                found.add(name)
                homes = project.defining(name, _MOST_DEFINING)
                if not homes and project.defines(name):
                    return None
                for module in homes:
                    waiting += [each for each in module.of_kind(ast.ClassDef) if each.name == name]
        return found

    def _taken(self, name: str, scope: Scope) -> set[str]:
        taken = set(self.moves.given) | set(dir(builtins))
        if not scope.is_module:
            taken |= self.module.scope.bindings.keys()
        above = scope.parent
        while above is not None:
            taken |= above.bindings.keys()
            above = above.parent
        for each in self.module.scope.walk():
            taken |= {read for read in each.reads if each.lookup(read) is None}
            if each is not scope:
                taken |= each.bindings.keys() - {name}
        if scope.is_module:
            taken -= {name}
        return taken

    def _rename_reads(self, old: str, new: str, scope: Scope) -> None:
        if old == new:
            return
        for each in scope.walk():
            if each.lookup(old) is scope:
                for read in each.reads.get(old, ()):
                    self.renames.append(Rename(self.module.span(read), new))

    # Captures

    def _captured(
        self, node: ast.ClassDef, scope: Scope, helpers: Helpers
    ) -> dict[str, list[ast.Name]]:
        """Return the names of the function (or guard) around it that a class reads."""
        outside = [*node.decorator_list, *node.bases, *(each.value for each in node.keywords)]
        reads = [n for each in outside for n in ast.walk(each) if isinstance(n, ast.Name)]
        inner = self.module.inner_scope(node)
        within = set(inner.walk())
        for each in within:
            reads += [read for listed in each.reads.values() for read in listed]
        reads = in_order(reads)
        for each in within:
            for name in each.nonlocals:
                if each.outer(name) not in within:
                    raise CannotHoist(
                        f"the class assigns `{name}` of the enclosing function with `nonlocal`"
                    )
        captured: dict[str, list[ast.Name]] = {}
        for read in reads:
            where = self.module.scope_of(read)
            binder = where.lookup(read.id)
            if binder is None or binder in within:
                continue
            if binder.is_module and not self._under_guard(binder, read.id):
                continue
            if binder is scope and read.id == node.name:
                continue
            local = [each.node for each in binder.bindings[read.id]]
            if len(local) == 1 and isinstance(local[0], ast.ClassDef):
                self.add(local[0])
                continue
            made = binder.bindings[read.id][0].value
            if len(local) == 1 and isinstance(made, ast.Call) and _makes_class(made):
                if made not in self.done:
                    self.done[made] = self.add_made(made)
                continue
            meant = self._meant(read)
            if meant is not None:
                self.renames.append(Rename(self.module.span(read), meant))
                continue
            if is_imported(binder, read.id):
                self._import(node, binder, read)
                continue
            if read in {n for each in outside for n in ast.walk(each)}:
                raise CannotHoist(
                    f"the class `{node.name}` depends on `{read.id}`, which may differ in "
                    f"each call of the enclosing function (line {read.lineno})"
                )
            if not helpers.take(binder, read):
                captured.setdefault(read.id, []).append(read)
        for name, listed in helpers.captured.items():
            for read in listed:
                binder = self.module.scope_of(read).lookup(name)
                if binder is not None and is_imported(binder, name):
                    self._import(node, binder, read)
                else:
                    captured.setdefault(name, []).append(read)
        return captured

    def _import(self, node: ast.ClassDef, binder: Scope, read: ast.Name) -> None:
        """Let the module, or a method, import what the function around a class does."""
        statement = hoisted_imports.statement_of(self.module, binder, read.id)
        if statement is not None:
            self.imports.append(self.module.span(statement))
            return
        method = None if binder.is_module else self._method_around(node, read)
        if method is not None and len(binder.bindings[read.id]) == 1:
            text = import_text(binder.bindings[read.id][0])
            self.inner.append(InnerImport(self.module.span(method), text))
            return
        place = "under the main guard" if binder.is_module else "in the enclosing function"
        raise CannotHoist(
            f"the class `{node.name}` requires `{read.id}`, which is imported only "
            f"{place} (line {read.lineno})"
        )

    def _method_around(self, node: ast.ClassDef, read: ast.Name) -> ast.FunctionDef | None:
        """Return the method of a class that reads a name when it runs; None where the class does."""
        around = list(self.module.ancestors(read))
        method = around[around.index(node) - 1] if node in around[1:] else None
        runs = isinstance(method, ast.FunctionDef) and any(each in around for each in method.body)
        return method if runs and isinstance(method, ast.FunctionDef) else None

    def _meant(self, read: ast.Name) -> str | None:
        """Return what a local name is another name for: an import, class or function at the top."""
        binder = self.module.scope_of(read).lookup(read.id)
        bindings = binder.bindings[read.id] if binder is not None else []
        if binder is None or len(bindings) != 1:
            return None
        (binding,) = bindings
        if binder.is_module and not self._under_guard(binder, read.id):
            return read.id if binding.kind in ("import", "class", "def") else None
        root = binding.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if binding.kind != "assign" or binding.path or not isinstance(root, ast.Name):
            return None
        meant = self._meant(root)
        assert binding.value is not None
        return meant and meant + self.module.segment(binding.value).removeprefix(root.id)

    def _pass_in(
        self,
        node: ast.ClassDef,
        scope: Scope,
        captured: dict[str, list[ast.Name]],
        helpers: Helpers,
    ) -> ClassValues | None:
        """Let `__init__` take what the class read around it, and its callers pass it."""
        base = self._local_base(node, scope)
        inherited = self.passed[base] if base is not None else {}
        line = self.moves.lineage(node)
        values = ClassValues(self.module, self.moves.project, node, scope, line)
        if not (captured or helpers.reads or inherited or values.is_of_its_time):
            return None
        init = _init_of(node)
        keeping = Keeping(
            self.module, node, init, attributes_of_bases(line), has_state_unseen(line)
        )
        keeping.attributes |= {name: kept for name, kept in inherited.items() if kept}
        keeping.called |= instance_around(self.module, node, captured)
        for helper, reads in helpers.reads.items():
            self.carried.append(helper)
            keeping.call(helper, helper.name, reads)
            self.helpers.append(
                HelperMove(
                    self.module.span(helper), self.module.span(node), keeping.helpers[helper]
                )
            )
        values.take(captured, keeping)
        given = InitDefaults(self.module, node, init).take(captured, keeping)
        for name, reads in captured.items():
            keeping.keep(name, reads)
        refuse_read_early(node, line, keeping.reading())
        self.renames += [Rename(self.module.span(r), text) for r, text in keeping.reads.items()]
        uses = ClassUses(self.module, self.moves.project, node, scope)
        if given:
            self._pass_defaults(given, uses, keeping)
        if captured or values.variables or inherited:
            self._take(node, uses, keeping, inherited, captured, values)
        return values

    def _pass_defaults(self, given: Sequence[str], uses: ClassUses, keeping: Keeping) -> None:
        """Let constructor calls pass what defaults were of the function around the class."""
        assert keeping.init is not None
        init = self.module.span(keeping.init)
        self.required += [LostDefault(init, name) for name in given]
        for call, names in left_out(keeping.init, given, uses):
            for name in names:
                keeping.check_bound(name, call)
            span = self.module.span(call)
            self.arguments.append(NewArguments(span, tuple(names), by_keyword=True))

    def _local_base(self, node: ast.ClassDef, scope: Scope) -> ast.ClassDef | None:
        """Return the local class that a class derives from, if that one takes more arguments now."""
        names = {base.id for base in node.bases if isinstance(base, ast.Name)}
        local = (each for each in self.passed if each is not node and each.name in names)
        return next((each for each in local if self.module.scope_of(each) is scope), None)

    def _take(
        self,
        node: ast.ClassDef,
        uses: ClassUses,
        keeping: Keeping,
        inherited: dict[str, str],
        captured: dict[str, list[ast.Name]],
        of_body: ClassValues,
    ) -> None:
        """Give a class parameters for what it and its base read, and let all that makes objects of it pass them."""
        init, line = keeping.init, self.moves.lineage(node)
        calls = [*uses.calls, *uses.of_values]
        wanted = dict.fromkeys((*inherited, *keeping.called, *captured, *of_body.variables))
        names = tuple(keeping.unpassed(wanted, calls))
        if uses.values or uses.heirs or inherited:
            self._refuse_taken(node, names, wanted, uses)
        uses.check(names, keeping)
        passed_on = forwarded(node, line, calls, names) if init is None else ()
        plain = init is None or _takes_nothing(init.args)
        by_keyword = not plain or bool(passed_on or inherited)
        kept = {**keeping.attributes, **of_body.variables}
        kept = {name: kept[name] for name in (*keeping.called, *kept) if name in kept}
        kept = {name: attribute for name, attribute in kept.items() if not inherited.get(name)}
        called = keeping.called
        if called and (uses.values or uses.heirs or inherited):
            raise CannotHoist(
                f"the class `{node.name}` reads the instance of the enclosing method and is used other "
                f"than by a call (line {node.lineno})"
            )
        to_base = tuple(inherited)
        if init is not None and inherited:
            call = passing_on(node, init)
            self.arguments.append(NewArguments(self.module.span(call), to_base, by_keyword=True))
            to_base = ()
        self.parameters.append(
            NewParameters(
                self.module.span(init or node),
                tuple(called.get(name, name) for name in names),
                by_keyword,
                tuple((called.get(name, name), attribute) for name, attribute in kept.items()),
                passed_on,
                to_base,
            )
        )
        for call in uses.calls:
            keeping.check(call)
            if names:
                span, taken = (
                    self.module.span(call),
                    tuple(called.get(each, each) for each in names),
                )
                values = tuple((called[name], name) for name in names if name in called)
                self.arguments.append(NewArguments(span, taken, by_keyword, values))
        self.partials += [NewPartial(self.module.span(each), names) for each in uses.values]
        self.passed[node] = {name: kept.get(name, inherited.get(name, "")) for name in names}
        for heir in uses.heirs:
            self.add(heir)

    def _refuse_taken(
        self, node: ast.ClassDef, names: Sequence[str], wanted: Iterable[str], uses: ClassUses
    ) -> None:
        """Refuse what other code than a constructor call could not pass as it is."""
        if len(names) < len([*wanted]):
            raise CannotHoist(
                f"the `__init__` of `{node.name}` already has a parameter of a name that it reads of the "
                f"enclosing function (line {node.lineno})"
            )
        if uses.heirs and _init_of(node) is None:
            raise CannotHoist(
                f"the class `{node.name}` has no `__init__` that the derived class "
                f"`{uses.heirs[0].name}` could call (line {node.lineno})"
            )


def is_imported(binder: Scope, name: str) -> bool:
    """Return whether only imports bind a name."""
    return all(each.kind == "import" for each in binder.bindings[name])


def _init_of(node: ast.ClassDef) -> ast.FunctionDef | None:
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
    return next((each for each in methods if each.name == "__init__"), None)


def _makes_class(call: ast.Call) -> bool:
    """Return whether a call makes a class: `namedtuple(...)` and the like."""
    name = last_name(call.func)
    return name in ("namedtuple", "NamedTuple", "make_dataclass")


def _typename(call: ast.Call) -> ast.Constant | None:
    """Return the text that names the class a call makes."""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "typename")]
    return next((each for each in given if isinstance(each, ast.Constant)), None)


def _own_name(call: ast.Call) -> str:
    """Return the name that a class is made under."""
    given = _typename(call)
    name = given.value if given is not None else None
    if not isinstance(name, str) or not name.isidentifier():
        raise CannotHoist(
            f"the class name is not a string literal with a valid identifier (line {call.lineno})"
        )
    return name


def _takes_nothing(args: ast.arguments) -> bool:
    return len(args.args) == 1 and not (args.kwonlyargs or args.vararg or args.kwarg)


def _is_raised(module: Module, name: ast.expr) -> bool:
    """Return whether a name is only for the message of an error: it says of which class something unfit is."""
    return isinstance(module.statement(name), ast.Raise)


def _only_compares(name: ast.Attribute, names: set[str], module: Module) -> bool:
    """Return whether a name is only compared with texts, or searched for some, that are in none of some names."""
    above = module.parent(name)
    match above, module.parent(above) if above is not None else None:
        case ast.Compare(left=left, comparators=[other], ops=[_]), _ if left is name:
            parts = other.elts if isinstance(other, (ast.List, ast.Tuple, ast.Set)) else [other]
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()]), _:
            parts = [left]
        case ast.Attribute(attr="find" | "startswith" | "endswith"), ast.Call(args=[text]):
            parts = [text]
        case _:
            return False
    texts = [each.value if isinstance(each, ast.Constant) else None for each in parts]
    return all(isinstance(text, str) and not any(text in each for each in names) for text in texts)
