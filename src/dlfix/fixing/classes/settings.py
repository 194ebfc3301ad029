"""Statements that configure a handle once it is open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.facts import is_self_attribute
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.origins import Origins
from dlfix.fixing.classes.text import names_in
from dlfix.project.module import Module
from dlfix.project.order import begins_before, in_order
from dlfix.project.syntax import LOG_METHODS, last_name

SQL = ("execute", "executescript", "sql", "query")
SQL_SETTINGS = ("PRAGMA", "SET ", "ATTACH", "LOAD", "INSTALL", "CREATE TEMP")
_TEMPORARY = re.compile(
    r"CREATE\s+TEMP(?:ORARY)?\s+(?:TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", re.IGNORECASE
)
_WRITES = re.compile(r"(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO)\s+(\w+)")
SQL_READS = ("SELECT", "WITH", "EXPLAIN", "SHOW", "DESCRIBE", "VALUES", "FROM")


class Settings(Origins):
    """Knows which statements set a handle up."""

    def settings_of(self, handle: Handle, *definitions: ast.stmt) -> list[ast.stmt]:
        """Return the statements that configure a handle once it is open, in order."""
        return [
            statement
            for statement in self._later(handle.site.statement, *definitions)
            if self._configures(statement, handle.attribute, handle)
        ]

    def _settings(self, attribute: str) -> list[ast.stmt]:
        handle, definition = self.handles[attribute], self.definitions[attribute]
        found = self.settings_of(handle, definition)
        for each in found:
            self._refuse_handled(each, definition)
        return found

    def _refuse_handled(self, setting: ast.stmt, definition: ast.stmt) -> None:
        """Refuse to take a setting out of a condition, a `try` or a loop around it."""
        for each in self.module.ancestors(setting):
            if each is self.method or any(definition is inner for inner in ast.walk(each)):
                return
            if isinstance(each, ast.stmt) and not isinstance(each, ast.With):
                where = self.facts.line(setting)
                raise Refusal(f"the resource is configured inside a compound statement ({where})")

    def _later(self, *opened: ast.stmt) -> list[ast.stmt]:
        first = in_order(opened)[0]
        return [
            each
            for each in self._statements(self.method.body)
            if begins_before(first, each) and each not in opened
        ]

    def _statements(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of a block, and those in compound ones that move in parts."""
        for statement in block:
            yield statement
            if not _is_compound_setting(statement, self._is_leaf):
                for part in ("body", "orelse", "finalbody"):
                    if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                        yield from self._statements(getattr(statement, part, []))

    def _is_leaf(self, statement: ast.stmt) -> bool:
        return any(
            self._configures_simply(statement, name, handle)
            for name, handle in self.handles.items()
        )

    def _configures(self, statement: ast.stmt, attribute: str, handle: Handle) -> bool:
        if _is_compound_setting(statement, self._is_leaf):
            return any(
                self._configures_simply(each, attribute, handle)
                for each in ast.walk(statement)
                if isinstance(each, ast.stmt)
            )
        return self._configures_simply(statement, attribute, handle)

    def _configures_simply(self, statement: ast.stmt, attribute: str, handle: Handle) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=receiver)]):
                return self._is_part(receiver, attribute)
            case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[receiver, *_])):
                return self._is_part(receiver, attribute)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=name)) as call):
                if self._is_it(receiver, attribute):
                    return self._is_setting(call, name, handle)
                if not self._is_part(receiver, attribute):
                    return False
                return self._is_sql_setting(call) if name in SQL else name in handle.configure
            case ast.Expr(value=ast.Call(args=[receiver, *_]) as call):
                return self._is_it(receiver, attribute) and self._is_set_up_by(call, handle)
        return False

    def _is_set_up_by(self, call: ast.Call, handle: Handle) -> bool:
        """Return whether all that a call does is to set up the handle that it gets."""
        found = [] if self.inputs is None else list(self.inputs.called(self.module, call.func))
        if len(found) != 1 or is_self_attribute(call.func, self.me):
            return False
        home, function = found[0]
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if home.parent(function) is not home.tree or not function.args.args or not body:
            return False
        given = function.args.args[0].arg
        return all(self._sets_up_given(statement, given, handle) for statement in body)

    def _sets_up_given(self, statement: ast.stmt, given: str, handle: Handle) -> bool:
        """Return whether a statement of a function sets up the handle that the function gets."""
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))]):
                return name == given
            case ast.Expr(
                value=ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_])
            ):
                return name == given
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) as call
            ):
                return name == given and self._is_setting(call, method, handle)
        return False

    def _is_it(self, node: ast.expr, attribute: str) -> bool:
        """Return whether a node is what an attribute holds, also by a local name given to it later."""
        path = self._path_of(node) if isinstance(node, ast.Name) else None
        return self._stands_for(path or node, attribute)

    def _is_setting(self, call: ast.Call, name: str, handle: Handle) -> bool:
        if name in LOG_METHODS or name == handle.close or name in ("close", "flush"):
            return False
        if name in SQL:
            return self._is_sql_setting(call)
        if fills_temporary(self.module, call):
            return True
        if name in handle.write:
            raise Refusal(f"the resource is written to ({self.facts.line(call)})")
        if name == "enter_context":
            raise Refusal(f"an exit stack closes the resource ({self.facts.line(call)})")
        return name not in handle.position or (name in handle.configure and _sets_property(call))

    def _is_sql_setting(self, call: ast.Call) -> bool:
        sql = sql_of(self.module, call)
        if sql.startswith(SQL_SETTINGS) or fills_temporary(self.module, call):
            return True
        if sql and not sql.startswith(SQL_READS):
            raise Refusal(f"the resource is written to ({self.facts.line(call)})")
        return False

    def _sets_up_items(self, statement: ast.stmt, attribute: str) -> bool:
        """Return whether a loop over what an attribute holds only calls methods of each."""
        if not isinstance(statement, ast.For) or statement.orelse:
            return False
        if not any(self._stands_for(each, attribute) for each in ast.walk(statement.iter)):
            return False
        names = names_in([statement.target])
        for each in statement.body:
            match each:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                    if name in names:
                        continue
            return False
        return True


def _sets_property(call: ast.Call) -> bool:
    """Return whether a call sets a named property, none that is a position: `cap.set(cv2.CAP_PROP_FORMAT, -1)`."""
    name = last_name(call.args[0]) if call.args else ""
    return name.isupper() and "POS" not in name.split("_")


def _is_compound_setting(statement: ast.stmt, is_leaf: object) -> bool:
    """Return whether all a compound statement does is to configure a handle."""
    if not isinstance(statement, (ast.If, ast.For, ast.With, ast.Try)):
        return False
    blocks = [*statement.body, *getattr(statement, "orelse", [])]
    if isinstance(statement, ast.Try):
        handled = [each for handler in statement.handlers for each in handler.body]
        blocks += [each for each in handled if not _only_logs(each)] + statement.finalbody
    return all(is_leaf(each) or _is_compound_setting(each, is_leaf) for each in blocks)  # type: ignore[operator]


def _only_logs(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name in LOG_METHODS
    return False


def fills_temporary(module: Module, call: ast.Call) -> bool:
    """Return whether a call writes to a table that only lives as long as the connection that made it."""
    written = _WRITES.match(sql_of(module, call))
    return written is not None and written[1] in {
        name.upper()
        for node in module.nodes(ast.Constant)
        if isinstance(node.value, str)
        for name in _TEMPORARY.findall(node.value)
    }


def sql_of(module: Module, call: ast.Call) -> str:
    """Return the start of the statement a call executes, empty where it is not known."""
    if not call.args:
        return ""
    node = call.args[0]
    if isinstance(node, ast.Name):
        scope = module.scope_of(node).lookup(node.id)
        found = scope.bindings.get(node.id, []) if scope is not None else []
        if len(found) != 1 or found[0].value is None or found[0].path:
            return ""
        node = found[0].value
    return _constant_start(node).lstrip().upper()


def _constant_start(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr) and node.values:
        return _constant_start(node.values[0])
    if isinstance(node, ast.BinOp):
        return _constant_start(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _constant_start(node.func.value) if node.func.attr == "format" else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""
