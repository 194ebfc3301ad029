"""What is removed, replaced or no longer found between the construction of an object and its first use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late import late_openers, opens_to_write, used_on_self
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    dotted,
    executed,
    last_part,
    parameters,
    statements,
    stored_names,
)
from dlfix.project.module import Module

_REMOVES = frozenset("unlink remove rmtree rename replace removedirs rmdir move truncate".split())
_TEMPORARY = frozenset(
    "TemporaryDirectory NamedTemporaryFile TemporaryFile mkdtemp mkstemp temporary_directory tempdir".split()
)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that open what may be gone, or something else, when they first run."""
    getter = next(late_openers(change), None)
    if getter is None:
        return
    for _, function in change.constructed_before:
        for node in executed(function.body):
            if isinstance(node, ast.Call) and _on_disk(node):
                yield change.regression(
                    getter,
                    "the constructor removes the file after opening it, and the property opens it later "
                    f"(line {getter.lineno})",
                )
                return
            if isinstance(node, (ast.With, ast.AsyncWith)) and any(
                last_part(getattr(i.context_expr, "func", None)) in _TEMPORARY for i in node.items
            ):
                yield change.regression(
                    getter,
                    "the constructor opens a temporary file, which no longer exists when the property "
                    f"opens it (line {getter.lineno})",
                )
                return
    yield from _directory_changes(change, getter)
    yield from _removed_by_callers(change, getter)


def _on_disk(call: ast.Call) -> bool:
    """Tell whether a call removes or moves files."""
    name = last_part(call.func)
    library = dotted(call.func).partition(".")[0] in {"os", "shutil"}
    return (library and name in _REMOVES) or name in {"unlink", "rmtree"}


def _directory_changes(change: ClassChange, getter: Function) -> Iterator[Regression]:
    for module in change.new.project.mentions("chdir"):
        for call in module.calls_by_name.get("chdir", ()):
            if _is_absolute(change, getter):
                return
            yield change.regression(
                getter,
                f"a relative path may be opened (line {getter.lineno}) after the working directory "
                f"changed ({module.path.name}:{call.lineno})",
            )
            return


def _is_absolute(change: ClassChange, getter: Function) -> bool:
    """Tell whether what a property opens is, or was kept as, an absolute path."""
    wanted = set(used_on_self(getter))
    kept = [
        statement.value
        for _, function in change.constructed_after
        for statement in statements(function.body)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if isinstance(target, ast.Attribute) and target.attr in wanted
    ]
    return any(
        last_part(node) in {"abspath", "resolve", "realpath", "absolute"}
        for node in executed([*getter.body, *kept])
    )


def _removed_by_callers(change: ClassChange, getter: Function) -> Iterator[Regression]:
    for module, call in change.new.constructions(change.after):
        around = change.new.body_around(module, call)
        origins = Origins(around)
        given = _own_texts(module, origins.of(*call.args, *(k.value for k in call.keywords)))
        for node in executed(around):
            if not isinstance(node, ast.Call) or node.lineno <= call.lineno:
                continue
            removes = _removes(node, given, origins) or _removed_inside(
                change, module, node, given, origins
            )
            if removes and not _used_up(module, call, node, around, origins):
                yield change.regression(
                    getter,
                    f"the file may be removed ({module.path.name}:{node.lineno}) before it is opened "
                    f"(line {getter.lineno})",
                )
                return
        if _leaves_temporary(change, module, call):
            yield change.regression(
                getter,
                f"the temporary files ({module.path.name}:{call.lineno}) no longer exist when they "
                f"are opened (line {getter.lineno})",
            )
            return


def _own_texts(module: Module, texts: set[str]) -> set[str]:
    """Leave out the names of imported modules."""
    imported = stored_names([*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)])
    return {text for text in texts if text.partition(".")[0] not in imported}


def _removes(node: ast.Call, given: set[str], origins: Origins) -> bool:
    """Tell whether a call removes one of these files, or writes another in its place."""
    name = last_part(node.func)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in {"cleanup", "write_text", "write_bytes"}:
        return bool(origins.of(owner) & given)
    if name in {"copy", "copy2", "copyfile", "copytree"}:
        return bool(origins.of(*node.args[1:2]) & given)
    if name == "open" and opens_to_write(node):
        return bool(origins.of(*node.args[:1]) & given)
    if _on_disk(node):
        return bool(origins.of(owner, *node.args) & given)
    by_method = name in _REMOVES and len(node.args) == (name in {"rename", "replace"})
    return by_method and dotted(owner) in given


def _removed_inside(
    change: ClassChange, module: Module, node: ast.Call, given: set[str], origins: Origins
) -> bool:
    """Tell whether a function of the program that gets one of these files removes or replaces files."""
    known = change.new.function_of(module, node.func)
    if known is None:
        return _removed_by_its_method(change, node, given, origins)
    _, function = known
    passed = [*zip(parameters(function), node.args, strict=False)]
    passed += [(keyword.arg or "", keyword.value) for keyword in node.keywords]
    taken = {name for name, value in passed if origins.of(value) & given}
    inside = Origins(function.body)
    return bool(taken) and any(
        isinstance(each, ast.Call) and _removes(each, taken, inside)
        for each in executed(function.body)
    )


def _removed_by_its_method(
    change: ClassChange, node: ast.Call, given: set[str], origins: Origins
) -> bool:
    """Tell whether a method removes or replaces files, of an object that was made with one of these."""
    if not isinstance(node.func, ast.Attribute) or not origins.of(node.func.value) & given:
        return False
    return any(
        isinstance(each, ast.Call) and (_on_disk(each) or opens_to_write(each))
        for module in change.new.project.mentions(node.func.attr)
        for function in module.functions_by_name.get(node.func.attr, ())
        if isinstance(module.parent(function), ast.ClassDef)
        for each in executed(function.body)
    )


def _used_up(
    module: Module, call: ast.Call, removal: ast.Call, body: list[ast.stmt], origins: Origins
) -> bool:
    """Tell whether what a call makes is gone through in a loop before a removal."""
    names = stored_names(module.statement(call))
    return any(
        call.lineno < iterated.lineno < removal.lineno and names & origins.of(iterated)
        for node in executed(body)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))
        for iterated in [node.iter]
    )


def _reads_plainly(module: Module, node: ast.Name, opening: set[str]) -> bool:
    """Tell whether an object is only asked for an attribute, or its length, and that opens nothing."""
    parent = module.parent(node)
    if isinstance(parent, ast.Call) and last_part(parent.func) in {"len", "repr", "str"}:
        return f"__{last_part(parent.func)}__" not in opening
    return isinstance(parent, ast.Attribute) and parent.attr not in opening


def _opening(change: ClassChange) -> set[str]:
    """Return the methods and properties that may open what is lazy now."""
    found = set(change.lazy)
    size = -1
    while size != len(found):
        size = len(found)
        for cls in change.new.family(change.after):
            found |= {f.name for f in cls.functions if found & set(used_on_self(f))}
    return found


def _leaves_temporary(change: ClassChange, module: Module, call: ast.Call) -> bool:
    """Tell whether an object made inside a `with` of temporary files is used after it."""
    ancestors = list(module.ancestors(call))
    inside = []
    for node in ancestors:
        if isinstance(node, FUNCTIONS):
            break
        if isinstance(node, ast.With) and any(
            last_part(getattr(i.context_expr, "func", None)) in _TEMPORARY for i in node.items
        ):
            inside.append(node)
    if not inside:
        return False
    statement = next(n for n in ancestors if isinstance(n, ast.stmt))
    if isinstance(statement, ast.Return) and any(statement.value is n for n in (call, *ancestors)):
        return True
    compared = any(isinstance(n, ast.Compare) for n in ancestors[: ancestors.index(statement)])
    assigns = isinstance(statement, ast.Assign) and not compared
    names = stored_names(statement) if assigns else set()
    body = change.new.body_around(module, call)
    ends = max(getattr(w, "end_lineno", 0) for w in inside)
    later = _Later(change, _opening(change))
    return any(
        isinstance(n, ast.Name)
        and n.id in names
        and isinstance(n.ctx, ast.Load)
        and n.lineno > ends
        and not later.reads_plainly(module, n)
        for n in executed(body)
    )


class _Later:
    """What code does with objects once their files are gone: whether that may open one."""

    def __init__(self, change: ClassChange, opening: set[str]) -> None:
        self.change, self.opening = change, opening
        self.seen: set[tuple[int, str]] = set()

    def reads_plainly(self, module: Module, node: ast.Name) -> bool:
        """Tell whether an object, or each of several, is only asked for what opens nothing."""
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
        return self._all_plain(known[0], known[1], names[index])

    def _all_plain(self, module: Module, function: Function, name: str) -> bool:
        """Tell whether a function reads so what it knows by a name, and each item of it."""
        if (id(function), name) in self.seen:
            return True
        self.seen.add((id(function), name))
        return all(
            self._is_gone_through(module, function, node) or self.reads_plainly(module, node)
            for node in executed(function.body)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        )

    def _is_gone_through(self, module: Module, function: Function, node: ast.Name) -> bool:
        """Tell whether a loop gives each item a name, which is read plainly in turn."""
        match module.parent(node):
            case ast.For(iter=over, target=ast.Name(id=item)) if over is node:
                return self._all_plain(module, function, item)
            case ast.comprehension(iter=over, target=ast.Name(id=item)) if over is node:
                return self._all_plain(module, function, item)
        return False


__all__ = ["check"]
