"""Calls that remove or replace the files of an object after it is made, wherever these are named."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath
from typing import ClassVar, NamedTuple, TypeAlias

from dlfix.catalog import load
from dlfix.fixing.proof.at_stake import (
    ends_temporary,
    files_at_stake,
    given_to_library,
    hands_on_a_remover,
    imports_of,
    is_class_of,
    is_shared,
    moves_or_writes,
    named_files,
    spelled_out,
    writers_used,
)
from dlfix.fixing.proof.callees import Callee, callees
from dlfix.fixing.proof.changes import attributes_set
from dlfix.fixing.proof.done_with import DoneWith
from dlfix.fixing.proof.exclusive_branches import are_exclusive
from dlfix.fixing.proof.file_formats import format_written, formats_opened
from dlfix.fixing.proof.handed_over import (
    Asked,
    attributes_kept,
    attributes_of_object,
    parts_known,
    passed_parts,
)
from dlfix.fixing.proof.indirect_calls import Deferred, comes_to, is_unknown
from dlfix.fixing.proof.late_code import opens_to_write
from dlfix.fixing.proof.leading_arguments import Led, led_to
from dlfix.fixing.proof.new_files import not_there
from dlfix.fixing.proof.opened_paths import OpenedPaths
from dlfix.fixing.proof.origins import (
    Origins,
    base_of,
    is_literal,
    item_of,
    literal,
    meet,
    origins_in,
    share_files,
)
from dlfix.fixing.proof.outliving import (
    FAR,
    FILLING,
    Kept,
    last_reference,
    on_disk,
)
from dlfix.fixing.proof.passed_values import Given
from dlfix.fixing.proof.path_ends import (
    Ends,
    PathEnds,
    differ,
    ends_written,
    frame_of,
    frame_with,
    suffix_of,
)
from dlfix.fixing.proof.plain_results import PlainResults
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.quiet import Quiet
from dlfix.fixing.proof.replacing_later import ReplacingLater
from dlfix.fixing.proof.returned_paths import methods_named
from dlfix.fixing.proof.special_calls import Implied
from dlfix.fixing.proof.steps import AT_THE_END, Step, Steps
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    parameters,
    self_name,
    stored_names,
    strings,
    within,
)
from dlfix.project.import_time import ImportTime, in_main_only
from dlfix.project.module import Module
from dlfix.project.order import comes_before, end, lies_in
from dlfix.project.roots import STANDARD
from dlfix.project.trees import kept

# Files that hold tables of bytes for a library, and suffixes of files that are none.
_CONTAINERS = frozenset("h5py lmdb zipfile tarfile sqlite3 netCDF4 tables openslide zarr".split())
_NO_CONTAINERS = frozenset(
    ".json .jsonl .yaml .yml .toml .ini .cfg .txt .log .md .csv .tsv .html .png .jpg .jpeg .gif .svg"
    " .pdf .mp4 .wav .npy .pkl .pickle".split()
)
_TEXTS = frozenset(".csv .tsv .txt .json .jsonl .yaml .yml .toml .ini .md .log .html .xml".split())
_ZIPPED = frozenset(".npz .pt .pth .zip".split())
# Words in the names of functions that open files.
_OPENS = ("open", "load", "read", "file", "connect", "path")
_NUMBERS = frozenset({"int", "float", "bool"})
_OF_ITEMS = frozenset("list dict set deque defaultdict OrderedDict".split())


Removal: TypeAlias = tuple[Module, ast.expr]


class _Run(NamedTuple):
    """One function that a call may run, and what the call passes to it."""

    module: Module
    callee: Callee
    node: ast.Call
    passed: list[tuple[str, ast.expr]]


class _Walk(NamedTuple):
    """A body that removes nothing: how far it was followed, and what its code asked of the object to say so."""

    far: int
    asked: frozenset[str]
    found: tuple[frozenset[str], ...]
    values: Collection[list[ast.expr]]  # what it was given, which is known by its place in memory


class _Part(NamedTuple):
    """What a text names as part of something else: the keys or attributes, and what has them."""

    names: list[str]
    owners: set[str]

    @classmethod
    def of(cls, text: str) -> _Part:
        found = [each.rpartition(".") for each in {text, base_of(text)}]
        owners = {owner for owner, _, _ in found} | {base_of(text)} - {text}
        return cls([name for _, _, name in found], owners)


class Removals:
    """Finds what removes the files that objects of one class open."""

    quiet_as: ClassVar[type[Quiet]] = Quiet

    def __init__(
        self,
        program: Program,
        cls: Class,
        constructors: list[tuple[Class, Function]],
        opened: Collection[ast.Call] = (),
        naming: frozenset[str] | None = None,
        openers: Collection[Function] = (),
    ) -> None:
        self.program, self.cls, self.openers = program, cls, openers
        self.steps, self.quiet = program.kept(Steps), program.kept(self.quiet_as)
        self.naming = naming  # the parameters of the constructor that name its files, if known
        self.asked: set[str] = set()  # attributes and keys of what the constructor is given
        self.shared: set[str] = set()  # attributes of classes and modules, and global names
        # Of these, those under which code keeps a path of the object from where it was given it.
        self.handed: set[str] = set()
        self.read: set[str] = set()  # attributes and keys of whatever, on the way to the object too
        self.spelled: set[str] = set()
        self.paths: set[str] = (
            set()
        )  # by which names the code at hand knows what the constructor is given
        self.objects: set[str] = set()  # the names of the object itself
        self.ends: Ends | None = None  # how the files of the object end
        self._noting = False  # whether code is only asked where it keeps paths
        self._deferred: Removal | None = None  # by what it hands on
        self._followed: frozenset[Function] = (
            frozenset()
        )  # methods of an object that is known, asked already
        self._walked: dict[object, _Walk] = {}  # by what a body knows of the files
        self._asked: set[str] = set()  # the names that the body at hand looks up in what is noted
        self.opening = {dotted(each.func) for each in opened} - {""}
        self.opens_containers = _open_containers(program, cls, opened)
        self.opens_folders = _open_folders(program, cls, opened)
        self.formats = formats_opened(cls.module, opened) if self.opens_containers else frozenset()
        own = {name for each in program.lineage(cls) for name in attributes_set(each)}
        for _, function in constructors:
            self._read(function, own)
        for each in program.lineage(cls):
            values = [value for name, value in each.values.items() if name in self.shared]
            self.spelled |= {literal(text) for text in strings(values)}
        # What is known of each object at first; what code on the way to one says is not about others.
        self._of_class = self._noted()

    def _noted(self) -> tuple[set[str], ...]:
        """Return what is noted on the way to an object, as it is now."""
        return {*self.asked}, {*self.shared}, {*self.read}, {*self.spelled}

    def _go_back_to(self, noted: tuple[set[str], ...]) -> None:
        """Forget what code on the way to another object reads."""
        self.asked, self.shared, self.read, self.spelled = ({*each} for each in noted)

    def _read(self, function: Function, own: set[str]) -> None:
        """Note what a constructor reads that others may set."""
        local, me = bound_in(function), self_name(function)
        arguments = [*function.args.defaults, *filter(None, function.args.kw_defaults)]
        nodes = [*executed(function.body)]
        called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
        self.spelled |= {literal(text) for text in strings([*arguments, *function.body])}
        self.read |= _parts_read(nodes)
        for node in nodes:
            if id(node) in called or not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            match node:
                case ast.Attribute(value=ast.Name(id=owner), attr=name):
                    given = owner in local and owner != me
                    (self.asked if given else self.shared).add(name)
                case ast.Subscript(slice=ast.Constant(value=str() as name)):
                    self.asked.add(name)
                case ast.Name(id=name) if name not in local:
                    self.shared.add(name)
        self.shared -= own

    def after(
        self,
        module: Module,
        call: ast.Call,
        item: int | None = None,
        known: frozenset[str] = frozenset(),
        far: int = FAR,
        by: Led | None = None,
    ) -> Removal | None:
        """Return what removes or replaces a file after a call made an object from it, here or in a caller.

        `item` is the place of the object in the tuple that the call gives; `known` are files of it; `by` is the
        function that is called, unless it is the constructor itself.
        """
        if far == FAR:
            self._go_back_to(self._of_class)
            ends = self._ends_opened(module, call)
            if ends != self.ends:
                self._walked.clear()
            self.ends = ends
        around = self.program.body_around(module, call)
        function = self.program.enclosing(module, call)
        origins = self.steps.origins(module, function)
        kept = Kept.of(module, call, item, self.program.kept(PlainResults))
        naming = self._naming(module, call, by)
        files = self._files(module, call, around, origins, naming) | known
        files |= _results(naming, origins)
        named = files | kept.names.keys()  # what the object says of its file
        # What a function of the program makes a path of may be its path, too.
        made = [one for each in naming for one in (each, *origins.values(each))]
        calls = [each for each in made if isinstance(each, ast.Call)]
        known_calls = [each for each in calls if self.program.function_of(module, each.func)]
        naming += [part for each in known_calls for part in each.args]
        self.read |= {part for each in made for part in self._read_for(module, each, origins)}
        # A text that is only the rest of a name leads nobody to the file: `os.path.join(folder, task + ".h5")`.
        paths = origins.paths(*naming, tails="dropped") | known
        paths |= {f"{one}.{name}" for one in kept.names for name in self.read}
        self.objects = {*kept.names}
        self.handed.clear()
        self.paths = {text for text in paths if not is_literal(text) or _is_path(text)}
        self.handed |= {text.partition(".")[0] for text in paths} & _containers(module.tree)
        dropped = last_reference(module, call, function, origins, files, kept)
        dropped = dropped or self._writer_around(module, call, named, origins)
        if dropped is not None:
            return module, dropped
        replaced = self._replaced_at_any_time(function, named) if far == FAR else None
        if replaced is not None:
            return replaced
        steps = self.steps.of(module, function)
        deferred = self._note_before(module, call, steps, named, origins)
        if deferred is not None:
            return deferred
        runs_alone = function is None or (not kept.leaves and self._is_of_script(function))
        for node, led in steps:
            if isinstance(node, ast.Call) and node is not call:
                ended = self._at_its_end(module, node, files, origins)
                if ended is not None:
                    return ended
            if runs_alone and are_exclusive(module, node, call):
                continue
            for step in led:
                if not self._ends_after(module, step, call):
                    continue
                removal = self._by_step(module, step, named, origins)
                if removal is None:
                    continue
                is_local = function is not None or in_main_only(module.ancestors(call))
                done = self.program.kept(DoneWith)
                if (
                    not is_local
                    or kept.leaves
                    or not done.before(module, call, kept.names, step, node)
                ):
                    return removal
        self.read |= _parts_read(executed(around))
        if function is not None and kept.leaves and function.name == "__init__":
            own = {name for each in self.program.classes(module) for name in attributes_set(each)}
            self._read(function, own)  # an attribute that it passes on is known to others, too
        spelled = frozenset(filter(is_literal, files))
        noted = self._noted()
        if function is not None:
            is_held = self.program.resolve(module, call.func) is None  # as by `make()` of a partial
            by = led_to(module, function, [*naming, *([call.func] if is_held else ())], origins)
        for home, caller, place in kept.makers(self.program, module, call) if far else ():
            self._go_back_to(noted)
            removal = self.after(home, caller, place, spelled, far - 1, by)
            if removal is not None:
                return removal
        return None

    def _is_of_script(self, function: Function) -> bool:
        """Return whether only the code of modules calls a function: it does not run again, the other way, before it has returned."""
        sites = self.program.calls_of(function)
        return all(self.program.enclosing(*site) is None for site in sites)

    def _ends_opened(self, module: Module, call: ast.Call) -> Ends | None:
        """Return how the files end that an object opens which a call makes; None where that is not known."""
        made = self.program.class_of(module, call.func)
        if made is None or self.cls not in self.program.lineage(made) or not self.openers:
            return None
        ends = OpenedPaths(self.program, made, (module, call))
        found = [ends.opened(each) for each in self.openers]
        known = [each for each in found if each is not None]
        return (frozenset().union(*known) or None) if len(known) == len(found) else None

    def _writer_around(
        self, module: Module, call: ast.Call, files: set[str], origins: Origins
    ) -> ast.Call | None:
        """Return what opens one of these files to write, in a `with` that ends after a call in it."""
        for above in module.ancestors(call):
            for item in above.items if isinstance(above, (ast.With, ast.AsyncWith)) else ():
                opened = item.context_expr
                if (
                    isinstance(opened, ast.Call)
                    and opens_to_write(opened)
                    and self._removes(module, opened, files, origins)
                ):
                    return opened
        return None

    def _replaced_at_any_time(self, function: Function | None, files: set[str]) -> Removal | None:
        """Return what goes on to replace one of these files, whichever code made it."""
        for module, node, named in self.program.kept(ReplacingLater).made:
            around = self.program.enclosing(module, node)
            known = files if around is function else {*filter(_is_known_anywhere, files)}
            frame = frame_of(module, around)
            ends = PathEnds(self.program).of_each((each, frame) for each in named)
            is_known = self.ends is not None and ends is not None
            may_be = (
                not differ(self.ends, ends)
                if is_known
                else share_files(self.steps.origins(module, around).of(*named), known)
            )
            if may_be:
                return module, node
        return None

    def _read_for(self, module: Module, value: ast.expr, origins: Origins) -> Iterator[str]:
        """Yield the attributes that the functions read that an expression runs to name a file."""
        for step in self.steps.of_node(module, value):
            if isinstance(step, ast.Call):
                known = [c.function for c in callees(self.program, module, step, origins)]
                if not known and isinstance(
                    step.func, ast.Attribute
                ):  # of an object that is passed
                    known = [f for _, f in methods_named(self.program, step.func.attr)]
                for function in known:
                    yield from _parts_read(executed(function.body))

    def _note_before(
        self,
        module: Module,
        call: ast.Call,
        steps: list[tuple[ast.AST, list[Step]]],
        named: set[str],
        origins: Origins,
    ) -> Removal | None:
        """Note where code keeps a path before the object is made; return what is to remove it later."""
        self._noting, self._deferred = True, None
        self._asked.clear()
        for _, led in steps:
            for step in led:
                if not self._ends_after(module, step, call):
                    self._by_step(module, step, named, origins)
        self._noting = False
        return self._deferred

    def _naming(self, module: Module, call: ast.Call, by: Led | None) -> list[ast.expr]:
        """Return the arguments of a call that may name the files of the object that it makes."""
        given = [*call.args, *(k.value for k in call.keywords)]
        leading = by.arguments(call) if by is not None else None
        if leading is not None:
            return leading
        is_own = self.program.class_of(module, call.func) is self.cls
        init = self.program.method(self.cls, "__init__") if is_own else None
        unpacked = any(isinstance(each, ast.Starred) for each in call.args) or any(
            each.arg is None for each in call.keywords
        )
        if self.naming is None or init is None or unpacked:
            return given
        by_place = zip(parameters(init[1])[1:], call.args, strict=False)
        passed = [*by_place, *((each.arg or "", each.value) for each in call.keywords)]
        return [value for name, value in passed if name in self.naming]

    def _by_step(
        self, module: Module, step: Step, files: set[str], origins: Origins, far: int = FAR
    ) -> Removal | None:
        """Return what removes one of these files: a step, or a call that it leads to."""
        if isinstance(step, ast.Assign):
            self._note_store(module, step, origins)
            return None
        quiet = self.quiet.call(module, step, origins, far)
        step = self._finalizing(module, step)
        removal = None if quiet else self._removal(module, step, files, origins, far)
        if self._noting:
            self._deferred = self._deferred or (removal if isinstance(step, Deferred) else None)
            removal = None
        if removal is None and not isinstance(step, Implied):
            self._note_kept(module, step, files, origins)
            self._note_added(module, step, files, origins)
        return removal

    def _finalizing(self, module: Module, step: ast.Call) -> ast.Call:
        """Return what runs once another object is gone, sooner or later: `weakref.finalize(other, os.remove, path)`."""
        match step:
            case ast.Call(args=[held, called, *rest]) if last_part(step.func) == "finalize":
                method = self.program.enclosing(module, step)
                self._asked.add(dotted(held))
                own = method is not None and dotted(held) == self_name(method)
                if not own and dotted(held) not in self.objects:
                    return ast.copy_location(ast.Call(called, rest, step.keywords), step)
        return step

    def _note_store(self, module: Module, step: ast.Assign, origins: Origins) -> None:
        """Note under which attribute of a class, and which global name, one of these files is known from now on."""
        targets = [target for target in step.targets if is_shared(self.program, module, target)]
        if targets and self._may_give_path(module, step.value, origins):
            self.handed |= {last_part(target) for target in targets}

    def _may_give_path(self, module: Module, value: ast.expr, origins: Origins) -> bool:
        """Return whether a value may be the path of a file of the object."""
        given = [
            part
            for each in origins.values(value) or [value]
            if isinstance(each, ast.Call) and _is_passed_in(module, each.func)
            for part in (*each.args, *(one.value for one in each.keywords))
        ]
        return meet(self.paths, origins.paths(value, *given, tails="kept"))

    def _note_added(
        self, module: Module, step: ast.Call, files: set[str], origins: Origins
    ) -> None:
        """Note the lists that a path is added to, of the function or global: `PLACES.append(path)`."""
        match step.func:
            case ast.Attribute(value=ast.Name(id=name), attr=adds) if adds in FILLING:
                function = self.program.enclosing(module, step)
                is_local = function is not None and name in bound_in(function)
                if any(self._may_give_path(module, each, origins) for each in step.args):
                    (files if is_local else self.handed).add(name)

    def _note_kept(self, module: Module, step: ast.Call, files: set[str], origins: Origins) -> None:
        """Note by which attribute an object, or a class, keeps what a method got of these files."""

        def asked(value: ast.expr) -> bool:
            return self._may_give_path(module, value, origins)

        for owner, name in attributes_kept(self.program, module, step, origins, asked):
            is_class = is_class_of(self.program, module, step.func.value)  # type: ignore[attr-defined]
            if is_class:
                self.handed.add(name)
            else:
                files.add(f"{owner}.{name}")

    def _ends_after(self, module: Module, node: Step, call: ast.Call) -> bool:
        """Return whether a call returns after another: also one of a chain of methods that begins with it.

        What a comprehension goes through comes before all that is made of it, unless it is a generator.
        """
        for above in module.ancestors(call):
            source = above.generators[0].iter if isinstance(above, COMPREHENSIONS) else None
            if source is not None and lies_in(node, source) and not lies_in(call, source):
                return self._is_lazy(source)
        # What a call is the last part of ends with it, and after it.
        return node is not call and end(node) >= end(call)

    def _is_lazy(self, source: ast.expr) -> bool:
        """Return whether an expression may give items one by one, as they are made: by a generator."""
        return any(
            isinstance(node, ast.GeneratorExp)
            or last_part(node) in ("map", "filter", "iter")
            or (isinstance(node, ast.Call) and self._is_of_generator(last_part(node.func)))
            for node in within(source)
        )

    def _is_of_generator(self, name: str) -> bool:
        """Return whether a function or method of a name has a `yield`."""
        return any(
            isinstance(node, (ast.Yield, ast.YieldFrom))
            for module in self.program.project.mentions(name)
            for function in module.functions_by_name.get(name, ())
            for node in executed(function.body)
        )

    def _files(
        self,
        module: Module,
        call: ast.Call,
        around: list[ast.stmt],
        origins: Origins,
        naming: list[ast.expr],
    ) -> set[str]:
        """Return what the files of an object may be known by where a call makes it."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        texts = origins.of(*naming, owner)
        for node in executed(around):
            match node:
                case ast.Assign(targets=[*_, target], value=value) if self._sets(target):
                    texts |= origins.of(target, value)
                case ast.Call(args=[_, *_] as passed) if self._hands_over(module, node):
                    texts |= origins.of(*passed)
        imported = stored_names([*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)])
        return {text for text in texts if text.partition(".")[0] not in imported} | self.spelled

    def _hands_over(self, module: Module, call: ast.Call) -> bool:
        """Return whether a call is of a class's method, or of a function that sets what the constructor reads."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is not None and self.program.class_of(module, owner) is not None:
            return True
        known = self.program.function_of(module, call.func)
        return known is not None and any(
            self._sets(target)
            for node in executed(known[1].body)
            if isinstance(node, ast.Assign)
            for target in node.targets
        )

    def _sets(self, target: ast.expr) -> bool:
        """Return whether a target is something that the constructor reads."""
        match target:
            case ast.Attribute(attr=name):
                return name in self.asked | self.shared
            case ast.Subscript(slice=ast.Constant(value=str() as name)):
                return name in self.asked
            case ast.Name(id=name):
                return name in self.shared
        return False

    def _removes(
        self, module: Module, written: ast.Call, files: set[str], origins: Origins
    ) -> bool:
        """Return whether a call removes one of these files, or writes another in its place."""
        writers = writers_used(module, written, origins)
        if any(
            self._removes(module, each, files, origins) for each in writers if each is not written
        ):
            return True
        node = spelled_out(written, imports_of(module.tree))
        at_stake = files_at_stake(self.program, module, written, origins)
        if isinstance(node.func, ast.Attribute) and ends_temporary(node, origins):
            return dotted(node.func.value) in {text.partition(".")[0] for text in files}
        if self._is_of_another_kind(node, origins):
            return False
        written_as = format_written(module, written)
        is_other = bool(self.formats and written_as) and written_as not in self.formats
        if is_other and self.opens_folders:
            return False
        # What opens a file of the object leaves it as it is.
        opens = dotted(written.func) in self.opening
        changed = [] if opens else given_to_library(self.program, module, written)
        if not at_stake and not changed:
            return False
        if self._ends_otherwise(module, node, [*at_stake, *changed], files, origins):
            return False
        free = self._free(module, written)
        at_stake = [each for each in at_stake if each is None or dotted(each) not in free]
        changed = [each for each in changed if dotted(each) not in free]
        if self._may_be_changed(module, node, changed, origins):
            return True
        # What is written is named: the rest of a name only tells one file from another.
        writes = last_part(node.func) == "open"
        by_path = writes or is_other
        if is_other and self._ends_as_text(module, node, at_stake, origins):
            return False
        found = origins.paths(*at_stake, tails="dropped") if by_path else origins.of(*at_stake)
        if (
            is_other
        ):  # only under the very name of the object's file, not one made of the same parts
            files = self.paths | {*filter(is_literal, files)}
        found = {text for text in found if text.partition(".")[0] not in STANDARD}
        found |= _results(at_stake, origins)
        parts = [_Part.of(text) for text in found if not is_literal(text)]
        self._asked.update(name for each in parts for name in each.names)
        if any(
            each.startswith(f"{name}.") for name in self._classes(module, found) for each in files
        ):
            return True  # an enumeration that is gone through
        return share_files(found, files) or any(
            any(name in self.shared | self.handed for name in each.names)
            or (any(name in self.read for name in each.names) and not each.owners.isdisjoint(files))
            for each in parts
        )

    def _ends_otherwise(
        self,
        module: Module,
        written: ast.Call,
        named: list[ast.expr | None],
        files: set[str],
        origins: Origins,
    ) -> bool:
        """Return whether the files that a call names surely end as none of the object does, and are no folders above."""
        if self.ends is None:
            return False
        imports = imports_of(module.tree).imports
        paths = [each for each in named if dotted(each) not in imports]
        frame = frame_with(module, self.program.enclosing(module, written), origins)
        ends = ends_written(self.program, written, paths, frame)
        if ends is None or not differ(self.ends, ends):
            return False
        spelled = [each.value for each in paths if isinstance(each, ast.Constant)]
        spelled += [each.strip("/") for each in ends if not suffix_of(each)]
        return not share_files({literal(str(each)) for each in spelled}, files)

    def _ends_as_text(
        self,
        module: Module,
        written: ast.Call,
        named: list[ast.expr | None],
        origins: Origins,
    ) -> bool:
        """Return whether the file that a call names surely ends as text does, which no database or archive is kept under."""
        frame = frame_with(module, self.program.enclosing(module, written), origins)
        ends = PathEnds(self.program).of_each((each, frame) for each in named if each is not None)
        return bool(ends) and all(suffix_of(each) in _TEXTS for each in ends or ())

    def _classes(self, module: Module, texts: set[str]) -> set[str]:
        """Return the texts that name classes of the program."""
        return {
            text
            for text in texts
            if text.isidentifier()
            and self.program.class_of(module, ast.Name(text, ast.Load())) is not None
        }

    def _free(self, module: Module, call: ast.Call) -> set[str]:
        """Return the paths at which there is no file when a call is made."""
        body = self.program.body_around(module, call)
        return not_there(module, call, body)

    def _may_be_changed(
        self, module: Module, call: ast.Call, given: list[ast.expr], origins: Origins
    ) -> bool:
        """Return whether one of the arguments of a call of a library may be a path of the object."""
        function = self.program.enclosing(module, call)
        numbers = _numbers(function) if function is not None else set()
        self._asked.update(map(dotted, given))
        parts = [each for each in given if dotted(each) not in self.objects | numbers]
        imports = imports_of(module.tree).imports
        return meet(self.paths, origins.paths(*parts) - imports.keys())

    def _at_its_end(
        self, module: Module, node: ast.Call, files: set[str], origins: Origins
    ) -> Removal | None:
        """Return what an object that is made with one of these files removes when it is gone."""
        made = self.program.class_of(module, node.func)
        found = self.program.method(made, "__del__") if made is not None else None
        if found is None or not share_files(origins.of(*node.args), files):
            return None
        home, function = found[0].module, found[1]
        calls = (each for each in executed(function.body) if isinstance(each, ast.Call))
        removing = next(
            (each for each in calls if on_disk(spelled_out(each, imports_of(home.tree)))), None
        )
        return (home, removing) if removing is not None else None

    def _is_of_another_kind(self, node: ast.Call, origins: Origins) -> bool:
        """Return whether a call is of files with a suffix that what the object opens never has, or writes one where that is a folder."""
        if not self.opens_containers or not moves_or_writes(node):
            return False
        named = [each for each in named_files(node, origins) if dotted(each) not in STANDARD]
        paths = [one for each in named if each for one in origins.values(each) or [each]]
        ends = [_end(each) for each in paths]
        if self.opens_folders and opens_to_write(node):
            return bool(ends) and not any(end.endswith(".mdb") for end in ends)
        is_zip = not self.formats or "zip" in self.formats
        others = _NO_CONTAINERS if is_zip else _NO_CONTAINERS | _ZIPPED
        return bool(ends) and all(PurePath(f"_{each}").suffix.lower() in others for each in ends)

    def _removal(
        self, module: Module, node: ast.Call, files: set[str], origins: Origins, far: int = FAR
    ) -> Removal | None:
        """Return what removes one of these files: a call, or one that it leads to."""
        if not isinstance(node, Implied) and self._removes(module, node, files, origins):
            return module, node
        removal = self._by_its_method(module, node, files, origins)
        if removal is not None or far == 0 or last_part(node.func) in AT_THE_END:
            return removal
        for other in comes_to(self.program, module, node, origins):
            removal = self._removal(module, other, files, origins, far - 1)
            if removal is not None:
                return removal
        if self._may_be_remover(module, node, origins):
            return module, node
        before, self._followed = (
            self._followed,
            self._followed | self._own_methods(module, node, files, origins),
        )
        try:
            return self._by_callees(module, node, files, origins, far)
        finally:
            self._followed = before

    def _by_callees(
        self, module: Module, node: ast.Call, files: set[str], origins: Origins, far: int
    ) -> Removal | None:
        """Return what the functions remove that a call runs."""
        free: set[str] | None = None
        for callee in callees(self.program, module, node, origins):
            if self.quiet.body(callee, node, far - 1):
                continue
            free = self._free(module, node) if free is None else free
            passed = [each for each in callee.passed(node) if dotted(each[1]) not in free]
            run = _Run(module, callee, node, passed)
            taken, values = self._taken(run, files, origins)
            paths = self._passed_paths(run, taken, origins)
            removal = self._in_body(callee, taken, paths, values, far - 1)
            if removal is not None:
                return removal
        return None

    def _may_be_remover(self, module: Module, node: ast.Call, origins: Origins) -> bool:
        """Return whether a call passes a path to whatever a name holds, in a program that hands `os.remove` on."""
        return (
            is_unknown(self.program, module, node.func)
            and any(self._may_give_path(module, each, origins) for each in node.args)
            and self.program.kept(hands_on_a_remover)
        )

    def _taken(
        self, run: _Run, files: set[str], origins: Origins
    ) -> tuple[set[str], dict[str, list[ast.expr]]]:
        """Return what a function that a call runs knows some files by, and what its parameters are given."""
        callee, node, passed = run.callee, run.node, run.passed
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        taken = self._known_by(
            run, origins, files, lambda value: share_files(origins.of(value), files)
        )
        star = callee.function.args.vararg or callee.function.args.kwarg
        if (callee.takes is None or star is not None) and share_files(
            origins.of(*given, node.func), files
        ):
            taken |= {*parameters(callee.function), *([star.arg] if star is not None else ())}
        taken |= files if callee.is_local else {*filter(is_literal, files)}
        return taken, {name: origins.values(value) or [value] for name, value in passed}

    def _known_by(self, run: _Run, origins: Origins, known: set[str], asked: Asked) -> set[str]:
        """Return by which names, keys and attributes a function knows what is asked for of what it gets."""
        found = {name for name, value in run.passed if asked(value)}
        for name, value in run.passed:
            found |= parts_known(known, value, name, origins)
        found |= passed_parts(self.program, run.module, run.passed, origins, asked)
        return found | attributes_of_object(
            self.program, run.module, run.callee, run.node, origins, known, asked
        )

    def _passed_paths(self, run: _Run, taken: set[str], origins: Origins) -> set[str]:
        """Return by which names a function that a call runs knows the paths, `rows.path` of an object too."""
        if run.callee.takes is None or run.callee.is_local:
            return self.paths | taken

        def asked(value: ast.expr) -> bool:
            return self._may_give_path(run.module, value, origins)

        star = run.callee.function.args.vararg
        given = any(map(asked, run.node.args)) if star is not None else False
        names = {*filter(is_literal, self.paths), *([star.arg] if star and given else ())}
        return names | self._known_by(run, origins, self.paths, asked)

    def _in_body(
        self,
        callee: Callee,
        taken: set[str],
        paths: set[str],
        values: dict[str, list[ast.expr]],
        far: int,
    ) -> Removal | None:
        """Return what a function removes of the files that it knows by some names; `paths` are those it may pass on."""
        module, function = callee.module, callee.function
        given = frozenset((name, *map(id, passed)) for name, passed in values.items())
        walk = (
            self._noting,
            function,
            callee.is_local,
            callee.after,
            frozenset(taken),
            frozenset(paths),
            frozenset(self.handed),
            given,
            self._followed,
        )
        known = self._walked.get(walk)
        if known is not None and known.far >= far and known.found == self._found(known.asked):
            self._asked |= known.asked
            return None
        around, self._asked = self._asked, set()
        inside = self.steps.origins(module, function, is_local=callee.is_local).passing(values)
        steps = (
            step
            for each, led in self.steps.of(module, function, is_local=callee.is_local)
            if callee.after is None or comes_before(callee.after, each)
            for step in led
        )
        before, self.paths = self.paths, paths
        handed = len(self.handed)
        found = (self._by_step(module, step, taken, inside, far) for step in steps)
        removal = next(filter(None, found), None)
        self.paths = before
        if removal is None and self._deferred is None and handed == len(self.handed):
            asked = frozenset(self._asked)
            self._walked[walk] = _Walk(far, asked, self._found(asked), values.values())
        self._asked |= around
        return removal

    def _found(self, asked: frozenset[str]) -> tuple[frozenset[str], ...]:
        """Return which names are noted that a body asks for: what it does is the same where these are."""
        return asked & self.shared, asked & self.read, asked & self.objects

    def _by_its_method(
        self, module: Module, node: ast.Call, files: set[str], origins: Origins
    ) -> Removal | None:
        """Return what a method removes or replaces, of an object that was made with one of these files."""
        if not isinstance(node.func, ast.Attribute) or not origins.of(node.func.value) & files:
            return None
        around = self.program.enclosing(module, node)
        if (
            around is not None
            and around in self._followed
            and is_attribute(node.func, self_name(around))
        ):
            return None  # asked where the object is known
        made_by = origins.some_calls if isinstance(node, Implied) else origins.calls
        for made in self._by_class(module, made_by(node.func.value)):
            run = [*self.steps.methods_run(module, node, made)]
            found = [self._writes_to(*each, node, made, files, origins) for each in run]
            found += [
                self._writes_to(*each, node, made, files, origins, is_own=True)
                for each in self.steps.run_on_self(run, self._class_of(module, made))
            ]
            removal = next(filter(None, found), None)
            if removal is not None:
                return removal
        return None

    def _own_methods(
        self, module: Module, node: ast.Call, files: set[str], origins: Origins
    ) -> frozenset[Function]:
        """Return the methods that a call runs of an object of which it is known what made it, those these run of it too."""
        if not isinstance(node.func, ast.Attribute) or isinstance(node, Implied):
            return frozenset()
        if not origins.of(node.func.value) & files:
            return frozenset()
        found: set[Function] = set()
        for made in self._by_class(module, origins.calls(node.func.value)):
            if self._class_of(module, made) is None:
                return frozenset()
            run = [*self.steps.methods_run(module, node, made)]
            found.update(
                each
                for _, each in (*run, *self.steps.run_on_self(run, self._class_of(module, made)))
            )
        return frozenset(found)

    def _by_class(self, module: Module, made: list[ast.Call]) -> list[list[ast.Call]]:
        """Return the calls that may make an object by the classes that they are of; all together where one is not known."""
        found: dict[Class | None, list[ast.Call]] = {}
        for each in made:
            found.setdefault(self.program.class_of(module, each.func), []).append(each)
        return [made] if None in found or not made else [*found.values()]

    def _class_of(self, module: Module, made: list[ast.Call]) -> Class | None:
        """Return the one class of the program that some calls make an object of."""
        found = {self.program.class_of(module, each.func) for each in made}
        return found.pop() if len(found) == 1 else None

    def _writes_to(
        self,
        home: Module,
        function: Function,
        node: ast.Call,
        made: list[ast.Call],
        files: set[str],
        origins: Origins,
        *,
        is_own: bool = False,
    ) -> Removal | None:
        """Return where a method removes or writes what may be one of some files, as it is called.

        What another method of the object calls (`is_own`) gets arguments that are not followed.
        """
        inside = origins_in(function)
        given = Given(home, function, node, made)
        for each in executed(function.body):
            if not isinstance(each, ast.Call) or self._is_of_another_kind(each, inside):
                continue
            if moves_or_writes(each):
                if self._ends_otherwise(home, each, [*named_files(each, inside)], files, inside):
                    continue
                texts = inside.of(*named_files(each, inside))
                passed = None if is_own and _are_arguments(function, texts) else given.of(texts)
                literals = {text for text in texts if is_literal(text)}
                if passed is None or share_files(origins.of(*passed) | literals, files):
                    return home, each
        return None


def _are_arguments(function: Function, texts: set[str]) -> bool:
    """Return whether one of some texts is of a parameter of a method, its object left out."""
    own = {*parameters(function)} - {self_name(function)}
    return any(text.partition(".")[0] in own for text in texts)


def _is_passed_in(module: Module, called: ast.expr) -> bool:
    """Return whether a function is a parameter of one around the call: a decorator calls what it wraps."""
    scope = module.scope_of(called).lookup(called.id) if isinstance(called, ast.Name) else None
    bindings = scope.bindings.get(dotted(called), ()) if scope is not None else ()
    return any(each.kind == "parameter" for each in bindings)


@kept
def _numbers(function: Function) -> set[str]:
    """Return the parameters of a function that are numbers by their annotation or default: no file goes by one."""
    given = function.args
    defaults = dict(
        zip((a.arg for a in reversed(given.args)), reversed(given.defaults), strict=False)
    )
    defaults |= {a.arg: v for a, v in zip(given.kwonlyargs, given.kw_defaults, strict=True) if v}
    bound = stored_names(function.body)
    return {
        each.arg
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)
        if each.arg not in bound
        and (dotted(each.annotation) in _NUMBERS or _is_number(defaults.get(each.arg)))
    }


def _is_number(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


@kept
def _containers(tree: ast.Module) -> frozenset[str]:
    """Return the global names of lists, dicts and sets."""
    return frozenset(
        name
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_container(node.value)
        for name in stored_names(node)
    )


def _is_container(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return last_part(value.func) in _OF_ITEMS
    return isinstance(value, (ast.List, ast.Dict, ast.Set, *COMPREHENSIONS))


def _end(path: ast.expr) -> str:
    """Return the text that a path surely ends in; empty where it is not spelled out."""
    match path:
        case ast.Constant(value=str() as text):
            return text
        case ast.BinOp(op=ast.Add() | ast.Div(), right=last):
            return _end(last)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as text)):
            return text
        case ast.JoinedStr(values=[*_, last]):
            return _end(last)
        case ast.Call(
            func=ast.Attribute(attr="join" | "joinpath" | "with_suffix"), args=[*_, last]
        ):
            return _end(last)
        case ast.Call(func=ast.Name(id="Path" | "str"), args=[*_, last]):
            return _end(last)
        case ast.Call(func=ast.Attribute(value=text, attr="format")):
            return _end(text)
    return ""


def _open_folders(program: Program, cls: Class, opened: Collection[ast.Call]) -> bool:
    """Return whether all that is opened are folders: an lmdb environment is one, unless it is told otherwise."""
    known = ImportTime(cls.module.tree)
    opening = [each for each in opened if load().resource(known.full_name(each.func)) is not None]
    return _open_containers(program, cls, opened) and all(
        known.full_name(each.func) in ("lmdb.open", "lmdb.Environment")
        and not any(keyword.arg in ("subdir", None) for keyword in each.keywords)
        for each in opening
    )


def _open_containers(program: Program, cls: Class, opened: Collection[ast.Call]) -> bool:
    """Return whether some calls open archives and databases of libraries, and nothing else."""
    names = [ImportTime(cls.module.tree).full_name(call.func) for call in opened]
    rows = [name for name in names if load().resource(name) is not None]
    known = (program.function_of(cls.module, call.func) for call in opened)
    by_others = any(_may_open(each[1]) for each in known if each is not None)
    return bool(rows) and not by_others and all(n.partition(".")[0] in _CONTAINERS for n in rows)


def _may_open(function: Function) -> bool:
    """Return whether a function may open a file, by the names of what it calls."""
    called = (last_part(each.func).lower() for each in calls_in(function.body))
    return any(word in name for name in called for word in _OPENS)


def _parts_read(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the attributes that code reads of anything, and the keys of items."""
    nodes = [*nodes]
    items = {item[1] for node in nodes if (item := item_of(node)) is not None}
    return items | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _is_known_anywhere(text: str) -> bool:
    """Return whether a text means the same file in other functions: it is spelled out, or an attribute of a name."""
    return is_literal(text) or "." in text


def _is_path(text: str) -> bool:
    """Return whether a text that the program spells out looks like the name of a file."""
    return "/" in text or "." in text


def _results(values: Iterable[ast.expr | None], origins: Origins) -> set[str]:
    """Return the texts of calls without arguments that give some values: each gives the same."""
    given = [each for each in values if each is not None]
    made = [*given, *(value for each in given for value in origins.values(each))]
    calls = (each for each in made if isinstance(each, ast.Call) and not each.args)
    return {f"{dotted(each.func)}()" for each in calls if isinstance(each.func, ast.Name)}


__all__ = ["Removal", "Removals"]
