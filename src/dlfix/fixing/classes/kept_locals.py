"""What moves reads elsewhere than before: local values move along, or are kept on the instance."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from dlfix.fixing.classes.facts import (
    STARTS,
    StoreSite,
    is_self_attribute,
    self_names_used,
)
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.inputs import COPIES, argument_of, is_mutated
from dlfix.fixing.classes.settings import Settings
from dlfix.fixing.classes.text import bound_within, comments_of, names_in, render
from dlfix.project.holding import parameters_at
from dlfix.project.module import Module
from dlfix.project.order import begins_before, comes_before, in_order
from dlfix.project.syntax import last_name

PURE = (
    ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare,
    ast.IfExp, ast.Tuple, ast.List, ast.Dict, ast.Subscript, ast.JoinedStr, ast.FormattedValue,
    ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.Slice,
)  # fmt: skip


class Keeping(Settings):
    """Writes a node as it reads where it moves to."""

    def _text(
        self,
        attribute: str,
        node: ast.AST,
        local: str = "",
        more: Mapping[ast.AST, str] | None = None,
    ) -> str:
        """Return a node's text as it reads in the body of `attribute`."""
        changes: dict[ast.AST, str] = dict(more or {})
        within = bound_within(node)
        bound = within | self.bound_around
        if self.inputs is not None:
            for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
                self.inputs.refuse_call(self.module, call)
        for path in self._paths_that_move(node, bound):
            changes[path] = self._keep_value(attribute, path, "os.path.abspath({})")
        for part in self._parts_to_keep(node, bound, changes):
            changes[part] = self._keep_value(attribute, part)
        given = {inner for each in changes for inner in ast.walk(each)}
        for each in in_order(ast.walk(node)):
            if each in given:
                continue
            if isinstance(each, ast.Name) and each.id in self.given.keys() - within:
                changes[each] = self.given[each.id]
            elif isinstance(each, ast.Name) and each.id not in bound:
                new = self._name(attribute, each, local)
                if new is not None:
                    changes[each] = new
            elif local and self._stands_for(each, attribute):
                changes[each] = local
            elif is_self_attribute(each, self.me):
                new = self._own_attribute(attribute, each)
                if new is not None:
                    changes[each] = new
        inside = {
            child
            for old in changes
            if isinstance(old, ast.Attribute)
            for child in ast.walk(old)
            if child is not old
        }
        return render(self.module, node, {k: v for k, v in changes.items() if k not in inside})

    def _name(self, attribute: str, node: ast.Name, local: str) -> str | None:
        name = node.id
        if name == self.me or name not in self.scope.bindings:
            return None
        if name in self.alias:
            if self.alias[name] == attribute:
                return local or None
            return f"{self.me}.{self.alias[name]}"
        if isinstance(node.ctx, ast.Store):
            return None
        bindings = self.scope.bindings[name]
        if bindings[0].kind == "import":
            self._carry_import(attribute, bindings[0].statement)
            return None
        if bindings[0].kind in ("def", "class"):
            raise Refusal(f"`{name}`, which opens the resource, is local to `{self.method.name}`")
        if any(
            isinstance(each.statement, ast.stmt) and each.statement in self.moved.gone
            for each in bindings
        ):
            return None
        if self._is_part(node, attribute):
            path = self._path_of(node)
            assert path is not None
            return self._text(attribute, path, local)
        self._refuse_filled_later(node)
        return self.keep(attribute, name, _gone_through(self.module, node))

    def _refuse_filled_later(self, read: ast.Name) -> None:
        """Refuse a local value that the method modifies once it is read, by whatever name."""
        reading = self.module.statement(read)
        names = {read.id, *self._also_called(read.id)}
        for node in ast.walk(self.method):
            if not isinstance(node, (ast.Name, ast.Attribute)) or ast.unparse(node) not in names:
                continue
            modified = is_mutated(self.module, node) or self._is_modified_by_call(node)
            if modified and not comes_before(node, reading):
                raise Refusal(
                    f"`{read.id}` is modified after the code that opens the resource "
                    f"({self.facts.line(node)})"
                )

    def _also_called(self, name: str) -> Iterator[str]:
        """Yield the names and attributes to which the method assigns a local value as it is."""
        for node in ast.walk(self.method):
            if isinstance(node, ast.Assign) and getattr(node.value, "id", "") == name:
                yield from (ast.unparse(target) for target in node.targets)

    def _is_modified_by_call(self, node: ast.expr) -> bool:
        """Return whether a value is passed to a function of the project that modifies the parameter."""
        call = self.module.parent(node)
        if self.inputs is None or not isinstance(call, ast.Call) or node not in call.args:
            return False
        project, called = self.inputs.project, last_name(call.func)
        return any(
            isinstance(each, ast.Name) and each.id == parameter and is_mutated(module, each)
            for module in (project.mentions(called) if project.defines(called) else ())
            for function in module.functions_by_name.get(called, ())
            for parameter in parameters_at(function, call.args.index(node))
            for each in ast.walk(function)
        )

    def _carry_import(self, attribute: str, statement: ast.AST) -> None:
        text = self.module.segment(statement)
        imports = self.saves.setdefault(f"import {attribute}", [])
        beside = comments_of(self.module, statement)[1]  # type: ignore[arg-type]
        line = f"{text}  {beside}" if beside else text
        if line not in imports:
            imports.append(line)
        assert isinstance(statement, ast.stmt)
        if not self._compounds(statement) and self._imports_here_only(statement):
            self.moved.gone.add(statement)
            self._exchange(statement, "", takes_comments=True)

    def _imports_here_only(self, statement: ast.stmt) -> bool:
        names = {
            name for name, found in self.scope.bindings.items() if found[0].statement is statement
        }
        moving = self.moved.gone | set(self.definitions.values())
        return all(
            self._within(node, moving)
            for node in ast.walk(self.method)
            if isinstance(node, ast.Name) and node.id in names
        )

    def keep(self, attribute: str, name: str, copied: str = "") -> str:
        """See that a local value is kept on the instance; return how the body reads it."""
        known = self._kept_already(name)
        if known is not None:
            self._keep_in_time(attribute, known)
        known = known or self._kept_by_base(name)
        if known is None:
            known = self.moved.kept.get(name) or self._new_attribute(name)
            if name not in self.moved.kept:
                self.moved.kept[name] = known
                text = self._copied(name, copied) if copied else name
                self.saves.setdefault(attribute, []).append(f"{self.me}.{known} = {text}")
        return f"{self.me}.{known}"

    def _copied(self, name: str, how: str) -> str:
        """Return a parameter's value, copied where the caller may go on filling what it passed."""
        arguments = self.method.args
        stars = [each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None]
        if self.inputs is None or not self._is_parameter(name) or name in stars:
            return name
        mutated = any(self.inputs.mutated_argument(self.method, name))
        seen = bool(self.inputs.calls) and self.method.name in STARTS
        return COPIES[how].format(name) if mutated or not seen else name

    # -- values that are evaluated where they were

    def _parts_to_keep(
        self, node: ast.AST, bound: set[str], given: Mapping[ast.AST, str]
    ) -> list[ast.expr]:
        if self.inputs is None:
            return []
        moved = {
            name
            for name, bindings in self.scope.bindings.items()
            if any(each.statement in self.moved.gone for each in bindings)
        }
        lazy = self.handles.keys() | {name for name in self.facts.methods if self._is_lazy(name)}

        def skip(each: ast.AST) -> bool:
            if each in given:
                return True
            if isinstance(each, ast.Name):
                known = each.id in bound or each.id in moved or each.id in self.alias
                return known or any(self._is_part(each, name) for name in self.handles)
            return is_self_attribute(each, self.me) and each.attr in lazy

        return self.inputs.kept_parts(self.module, self.scope, self.me, node, skip, self.remade)

    def _is_lazy(self, name: str) -> bool:
        return self.facts.is_property(name) and bool(
            self.handles.keys() & set(self_names_used(self.facts.methods[name]))
        )

    def _paths_that_move(self, node: ast.AST, bound: set[str]) -> list[ast.expr]:
        """Return the relative paths that would be looked for in another directory later."""
        if self.inputs is None or not self.inputs.moves:
            return []
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        paths = [
            path for each in calls if (path := self.inputs.path_of(self.module, each)) is not None
        ]
        paths = [
            each
            for each in paths
            if not any(isinstance(n, ast.Call) and self.inputs.opens(n) for n in ast.walk(each))
            and not any(
                is_self_attribute(n, self.me) and n.attr in self.handles for n in ast.walk(each)
            )
        ]
        for path in paths:
            if bound & names_in([path]):
                raise Refusal(
                    f"the path may be relative ({self.facts.line(path)}), but the working "
                    f"directory changes ({self.inputs.moves})"
                )
        return paths

    def _keep_value(self, attribute: str, part: ast.expr, form: str = "{}") -> str:
        """See that the value of an expression is kept where it was evaluated."""
        key = form.format(ast.unparse(part))
        if key not in self.moved.kept:
            wanted = kept_name(attribute, hint_for(self.module.parent(part), part))
            self.moved.kept[key] = self._free_attribute(wanted)
            self.kept_inside.add(key)
        if key in self.kept_inside:
            self.kept_inside.discard(key)
            how = "" if is_new_list(part) else _gone_through(self.module, part)
            value = (COPIES[how] if how else form).format(self.module.segment(part))
            save = f"{self.me}.{self.moved.kept[key]} = {value}"
            self.kept_parts[save] = key, part
            self.saves.setdefault(attribute, []).append(save)
        read = f"{self.me}.{self.moved.kept[key]}"
        if any(isinstance(each, ast.Call) for each in ast.walk(part)):
            self.evaluated[part] = read
        return read

    def _changes(self, name: str) -> bool:
        """Return whether an attribute may be another one once the handle is opened."""
        return self.inputs is not None and bool(self.inputs.changes(name))

    def _free_attribute(self, wanted: str) -> str:
        taken = self.facts.names | set(self.moved.kept.values()) | self.kept_by_bases | self.taken
        while wanted in taken:
            wanted += "_"
        return wanted

    def _kept_already(self, name: str) -> str | None:
        """Return the attribute a parameter is stored as, if neither is bound again."""
        if len(self.scope.bindings[name]) != 1:
            return None
        for attribute, sites in self.facts.stores.items():
            site = sites[0]
            if len(sites) != 1 or site.method is not self.method or self._compounds(site.statement):
                continue
            if attribute in self.set_elsewhere or self._changes(attribute):
                continue
            if isinstance(site.value, ast.Name) and site.value.id == name:
                return attribute
        return self._kept_by_caller(name)

    def _keep_in_time(self, attribute: str, known: str) -> None:
        """Store a parameter where the handle was opened, if the handle is used before it is stored."""
        statement = self.facts.stores[known][0].statement
        opened = self.definitions.get(attribute)
        if opened is None or statement in self.moved.gone or statement not in self.method.body:
            return
        if any(not begins_before(e, opened) and begins_before(e, statement) for e in self._runs()):
            above, beside = comments_of(self.module, statement)
            text = self.module.segment(statement)
            lines = [*above, f"{text}  {beside}" if beside else text]
            self.saves.setdefault(attribute, []).append("\n".join(lines))
            self.moved.gone.add(statement)
            self._exchange(statement, "", takes_comments=True)

    def _runs(self) -> Iterator[ast.expr]:
        """Yield what may open a handle in this method: reads of one, and of the methods."""
        lazy = self.handles.keys() | self.facts.methods.keys()
        for node in ast.walk(self.method):
            if is_self_attribute(node, self.me) and isinstance(node.ctx, ast.Load):
                if node.attr in lazy:
                    yield node
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                whole = node.id == self.me and not is_self_attribute(
                    self.module.parent(node), self.me
                )
                if whole or node.id in self.alias:
                    yield node

    def _kept_by_caller(self, name: str) -> str | None:
        """Return the attribute as which the only caller, a constructor, stores an argument before."""
        calls = self.facts.reads.get(self.method.name, [])
        if self.method.name in STARTS or len(calls) != 1 or not self._is_parameter(name):
            return None
        caller, node = calls[0]
        call = self.module.parent(node)
        passed = argument_of(self.method, call, name) if isinstance(call, ast.Call) else None
        if caller.name not in STARTS or not isinstance(passed, ast.Name):
            return None
        bindings = self.module.inner_scope(caller).bindings.get(passed.id, [])
        if len(bindings) != 1:
            return None
        for attribute, sites in self.facts.stores.items():
            value, statement = sites[0].value, sites[0].statement
            before = statement in caller.body and comes_before(statement, passed)
            named = isinstance(value, ast.Name) and value.id == passed.id
            if len(sites) == 1 and before and named and not self._changes(attribute):
                return attribute
        return None

    def _kept_by_base(self, name: str) -> str | None:
        """Return the attribute a base class stores a parameter as, which it is handed here."""
        if len(self.scope.bindings[name]) != 1:
            return None
        for call in ast.walk(self.method):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".__init__"):
                passed = [*call.args, *(each.value for each in call.keywords)]
                if any(isinstance(each, ast.Name) and each.id == name for each in passed):
                    kept = name in self.kept_by_bases and not self._changes(name)
                    return name if kept else None
        return None

    def _new_attribute(self, name: str) -> str:
        wanted = f"_{name.lstrip('_')}" if self._is_underscored() or name[0] == "_" else name
        if self._is_path_of_its_name(name):
            wanted = f"_{name.lstrip('_')}_path"  # beside the handle that it opens: `archive`
        taken = self.facts.names | set(self.moved.kept.values()) | self.kept_by_bases | self.taken
        if wanted.startswith("_") and wanted in taken:
            wanted = f"_{next(iter(self.handles)).lstrip('_')}{wanted}"
        while wanted in taken:
            wanted = "_" + wanted
        return wanted

    def _is_path_of_its_name(self, name: str) -> bool:
        """Return whether a local name is that of a handle, and its value the path that opens it."""
        handle = next((n for n in self.handles if n.lstrip("_") == name.lstrip("_")), None)
        if handle is None or self.inputs is None:
            return False
        value = self.handles[handle].site.value
        calls = (each for each in ast.walk(value or self.method) if isinstance(each, ast.Call))
        return any(
            isinstance(path, ast.Name) and path.id == name
            for path in (self.inputs.path_of(self.module, each) for each in calls)
        )

    def _is_underscored(self) -> bool:
        names = [name for name in self.facts.stores if name not in self.handles]
        private = sum(name.startswith("_") for name in names)
        if not names:
            return any(name.startswith("_") for name in self.handles)
        return private * 2 > len(names)

    def _own_attribute(self, attribute: str, node: ast.AST) -> str | None:
        """Return another attribute to read where this one is bound again after the opening."""
        assert isinstance(node, ast.Attribute)
        name = node.attr
        sites = self.facts.stores.get(name, [])
        changes = self._changes(name) and name not in self.facts.methods
        if name in self.handles:
            return None
        if len(sites) < 2 and name not in self.set_elsewhere and not changes:
            return None
        moving = self._moving_with(attribute, node)
        later = [each for each in sites if self._is_later(each, moving)]
        if name in self.set_elsewhere:
            later = later or sites
        if self._reopens(attribute, later) or not (later or changes):
            return None
        key = f"{self.me}.{name}"
        if key not in self.moved.kept:
            self.moved.kept[key] = self._new_attribute("_" + name.lstrip("_"))
            how = _gone_through(self.module, node)
            text = COPIES[how].format(key) if how else key
            self.saves.setdefault(attribute, []).append(
                f"{self.me}.{self.moved.kept[key]} = {text}"
            )
        return f"{self.me}.{self.moved.kept[key]}"

    def _moving_with(self, attribute: str, node: ast.AST) -> ast.stmt:
        """Return the statement above which what a moved part reads is kept."""
        return self.handles[attribute].site.statement

    def _is_later(self, site: StoreSite, opened: ast.stmt) -> bool:
        if site.method is self.method:
            return begins_before(opened, site.statement)
        return site.method.name not in self.facts.started

    def _reopens(self, attribute: str, sites: Sequence[StoreSite]) -> bool:
        stored = {each.method for each in self.facts.stores[attribute]} - {self.method}
        return bool(sites) and all(each.method in stored for each in sites)

    def _locals_first(self, attribute: str, nodes: Sequence[ast.AST]) -> list[str]:
        """Return the local statements that move along, in order."""
        found: list[ast.stmt] = []
        todo = list(nodes)
        seen: set[str] = set()
        while todo:
            for name in self._free_locals(todo.pop(0)):
                statement = None if name in seen else self._movable(name)
                seen.add(name)
                if statement is not None and statement not in found:
                    found.append(statement)
                    self.moved.gone.add(statement)
                    todo += [
                        each
                        for each in ast.iter_child_nodes(statement)
                        if isinstance(each, ast.expr)
                    ]
        return [self._moved_local(attribute, each) for each in in_order(found)]

    def _moved_local(self, attribute: str, statement: ast.stmt) -> str:
        self._exchange(statement, "", takes_comments=True)
        above, beside = comments_of(self.module, statement)
        text = self._text(attribute, statement)
        return "\n".join([*above, f"{text}  {beside}" if beside else text])

    def _free_locals(self, node: ast.AST) -> list[str]:
        bound = bound_within(node) | self.bound_around
        return [
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Load)
            and each.id in self.scope.bindings
            and each.id not in bound
            and each.id != self.me
            and each.id not in self.alias
        ]

    def _movable(self, name: str) -> ast.stmt | None:
        """Return the statement that makes a local value which nothing else needs."""
        bindings = self.scope.bindings[name]
        if len(bindings) != 1 or bindings[0].kind not in ("assign", "annotated", "import"):
            return None
        statement = bindings[0].statement
        if not isinstance(statement, ast.stmt) or self._compounds(statement):
            return None
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return None
        value = getattr(statement, "value", None)
        if value is None or not all(
            isinstance(each, ast.Name) for each in _flat_targets(statement)
        ):
            return None
        if not self._used_here_only(statement) or self._parts_to_keep(value, set(), {}):
            return None
        opens = self.inputs is not None and self.inputs.opens(value)
        return statement if opens or _is_pure(value) or _is_client(value) else None

    def _used_here_only(self, statement: ast.stmt) -> bool:
        """Return whether what a statement binds is read in statements that move alone."""
        names = _target_names(statement)
        moving = self.moved.gone | set(self.definitions.values())
        return all(
            self._within(node, moving)
            for node in ast.walk(self.method)
            if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
        )

    def _indent_of(self, node: ast.AST) -> int:
        line = self.module.lines[self.module.span(node).start.row - 1]
        return len(line) - len(line.lstrip())


def _gone_through(module: Module, node: ast.AST) -> str:
    """Return how what moves goes through a collection that it reads; empty where it does not."""
    parent = module.parent(node)
    while isinstance(parent, ast.Call) and ast.unparse(parent.func) in (
        "enumerate", "zip", "sorted", "reversed",
    ):  # fmt: skip
        node, parent = parent, module.parent(parent)
    match parent:
        case ast.comprehension(iter=it) | ast.For(iter=it):
            return "iterated" if it is node else ""
        case ast.Starred():
            return "spread"
        case ast.keyword(arg=None):
            return "mapped"
        case ast.Attribute(attr="items" | "keys" | "values"):
            return "mapped"
    return ""


def is_new_list(part: ast.expr) -> bool:
    """Return whether an expression makes a list that nobody else holds."""
    called = ast.unparse(part.func) if isinstance(part, ast.Call) else ""
    return called in ("glob.glob", "os.listdir", "sorted", "list")


def kept_name(attribute: str, hint: str) -> str:
    """Return a name for a value that an attribute is opened from; no word stands in it twice."""
    plain = attribute.strip("_")
    words, others = hint.split("_"), plain.split("_")
    said = any(one.rstrip("s") == other.rstrip("s") for one in words for other in others)
    if hint == plain or (said and len(words) > 1):
        return f"_{hint}"
    return f"_{plain}" if plain.endswith(f"_{hint}") else f"_{plain}_{hint}"


def hint_for(parent: ast.AST | None, part: ast.expr) -> str:
    """Return what to call a value that is kept: after what it is, or the argument it is passed for."""
    if isinstance(parent, ast.keyword) and parent.arg is None:
        return "options"
    match part:
        case (
            ast.Attribute(attr=name)
            | ast.Subscript(slice=ast.Constant(value=str() as name))
            | ast.Call(
                func=ast.Attribute(attr="pop" | "get"), args=[ast.Constant(value=str() as name), *_]
            )
        ):
            if name.isidentifier():
                return name.strip("_") or "value"
    if isinstance(parent, ast.keyword) and parent.arg:
        return parent.arg
    if not isinstance(parent, ast.Call) or not parent.args or parent.args[0] is not part:
        return "argument"
    return _method_of_a_handle(parent.func) or "path"


def _method_of_a_handle(func: ast.expr) -> str:
    """Return the method that is called of an attribute or of a result: `filter` of `con.table("t").filter`."""
    name = func.attr if isinstance(func, ast.Attribute) else ""
    owner = func.value if isinstance(func, ast.Attribute) else func
    return name if isinstance(owner, (ast.Attribute, ast.Call)) and _is_owned(owner) else ""


def _is_owned(node: ast.expr) -> bool:
    while isinstance(node, (ast.Attribute, ast.Call)):
        if isinstance(node, ast.Call):
            return True
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _flat_targets(statement: ast.stmt) -> list[ast.expr]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    flat: list[ast.expr] = []
    for target in targets:
        flat += target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return flat


def _target_names(statement: ast.stmt) -> set[str]:
    return {each.id for each in _flat_targets(statement) if isinstance(each, ast.Name)}


def _is_pure(value: ast.expr) -> bool:
    return all(isinstance(each, PURE) or is_path_call(each) for each in ast.walk(value)) or (
        isinstance(value, ast.Call) and is_path_call(value) and all(_is_pure(a) for a in value.args)
    )


def is_path_call(node: ast.AST) -> bool:
    """Return whether a call puts a path, a text or a number together."""
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    return name in ("str", "Path", "pathlib.Path", "os.fspath", "bool", "int") or name.startswith(
        "os.path.join"
    )


def _is_client(value: ast.expr) -> bool:
    """Return whether a call makes a session: cheap, of no use but to open from, and not picklable."""
    if not isinstance(value, ast.Call):
        return False
    return ast.unparse(value.func).rpartition(".")[2].lower() in (
        "session",
        "get_session",
        "config",
        "options",
    )
