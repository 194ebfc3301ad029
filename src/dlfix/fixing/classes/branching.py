"""Openings that stand in branches: the body asks what the branches asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.closing import asks, is_closer
from dlfix.fixing.classes.facts import (
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.kept_locals import Keeping, is_path_call
from dlfix.fixing.classes.statements import only_raises
from dlfix.fixing.classes.text import dedented, indented, shifted

INDENT = "    "


class Branching(Keeping):
    """Writes a body with several ways out."""

    def _branches(self, attribute: str, compounds: Sequence[ast.stmt]) -> bool:
        tests = [each.test for each in compounds if isinstance(each, ast.If)]
        if any(self._reads(attribute, test) for test in tests):
            return False  # opened unless it is: `if Rows.file is None: ...`
        return bool(tests) and self._may_be_none(attribute)

    def _reads(self, attribute: str, test: ast.expr) -> bool:
        return any(
            isinstance(each, ast.Attribute)
            and each.attr == attribute
            and not self._is_of_another(each.value)
            for each in ast.walk(test)
        )

    def _is_of_another(self, owner: ast.expr) -> bool:
        """Return whether an object is one that the method was given or made, and not its own: `args.file`."""
        return (
            isinstance(owner, ast.Name) and owner.id in self.scope.bindings and owner.id != self.me
        )

    def _may_be_none(self, attribute: str) -> bool:
        """Return whether an object whose constructor does not open an attribute has it all the same."""
        others = [
            site
            for site in self.facts.stores[attribute]
            if site.statement is not self.handles[attribute].site.statement
            and site.method.name in self.facts.started
        ]
        return bool(others) or attribute in self.defaults or self._is_asked_for(attribute)

    def _is_asked_for(self, attribute: str) -> bool:
        """Return whether a method asks if the attribute is there at all: it must not always be."""
        return any(
            asks(node, self_name(method), attribute)
            for method in self.facts.all_methods
            if not is_closer(method)
            for node in ast.walk(method)
        )

    def _exits_before(self, attribute: str) -> list[ast.If]:
        """Return the statements after which the method returns before it opens an attribute."""
        found = [
            each
            for each in self._run_before(self.definitions[attribute])
            if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Return)
        ]
        for each in found:
            if each.orelse or self._is_set_in(attribute, each):
                raise Refusal(f"`{attribute}` is set on several paths ({self.facts.line(each)})")
        return found

    def _run_before(self, definition: ast.stmt) -> Iterator[ast.stmt]:
        """Yield the statements of the blocks around one that run before it, in order."""
        around = {definition, *self.module.ancestors(definition)}
        block: Sequence[ast.stmt] = self.method.body
        while block:
            index = next(i for i, each in enumerate(block) if each in around)
            yield from block[:index]
            inner = (getattr(block[index], name, []) for name in ("body", "orelse", "finalbody"))
            block = next((each for each in inner if around.intersection(each)), [])

    def _is_set_in(self, attribute: str, statement: ast.stmt) -> bool:
        sites = [site for site in self.facts.stores[attribute] if not site.resets]
        return any(self._within(site.statement, {statement}) for site in sites)

    def _returning(self, attribute: str) -> list[str]:
        """Return the lines that give None where the method returned before it opened an attribute."""
        exits = self.exits.get(attribute, [])
        lines = self._locals_first(attribute, [each.test for each in exits])
        for each in exits:
            lines += [f"if {self._text(attribute, each.test)}:", f"{INDENT}return None"]
        return lines

    def _branching(
        self, attribute: str, compounds: Sequence[ast.stmt], docs: Sequence[str]
    ) -> list[str]:
        outer = compounds[-1]
        by_test = self._kept_by_test(attribute, outer)
        pruned = self._pruned(attribute, outer)
        self.taken_locals.add(outer)
        lines = [*docs, pruned]
        if by_test and not self._is_asked_for(attribute):
            lines = self._asking_what_is_kept(attribute, by_test, pruned, docs)
        pruned = lines[-1]
        if not _always_returns(pruned):
            asked = self._is_asked_for(attribute)
            lines.append(f'raise AttributeError("{attribute}")' if asked else "return None")
        return lines

    def _kept_by_test(self, attribute: str, outer: ast.stmt) -> list[str]:
        """Return the statements that keep values only because a branch asks for them."""
        if not isinstance(outer, ast.If) or only_raises(outer.orelse):
            return []
        known = list(self.saves.get(attribute, ()))
        self._text(attribute, outer.test)
        return [each for each in self.saves.get(attribute, ()) if each not in known]

    def _asking_what_is_kept(
        self, attribute: str, by_test: Sequence[str], pruned: str, docs: Sequence[str]
    ) -> list[str]:
        """Return the lines of a pruned branch, which ask whether what it opens from was kept where that says the same as its test."""
        first = next((each for each in self.inside if self._is_never_none(each)), "")
        body = _one_way_in(pruned)
        names = [each.partition(" = ")[0] for each in by_test]
        kept = first.partition(" = ")[0]
        if not first or not body or any(name in body for name in names):
            return [*docs, pruned]
        for name, save in zip(names, by_test, strict=True):
            self.saves[attribute].remove(save)
            known = self.moved.kept.items()
            self.moved.kept = {k: v for k, v in known if f"{self.me}.{v}" != name}
        self.saves[attribute].append(f"{kept} = None")
        return [f"if {kept} is None:", f"{INDENT}return None", *docs, body]

    def _is_never_none(self, save: str) -> bool:
        """Return whether what is kept is an object in any case: a path that is put together, a text."""
        made = ast.parse(save.partition(" = ")[2], mode="eval").body
        if not isinstance(made, ast.Name):
            return _makes_text(made)
        bindings = [each for each in self.scope.bindings.get(made.id, ()) if not each.path]
        return len(bindings) == 1 and _makes_text(getattr(bindings[0].statement, "value", None))

    def _pruned(self, attribute: str, statement: ast.stmt) -> str:
        """Return a compound statement with what opens `attribute` alone, each time a `return`."""
        if not isinstance(statement, ast.If):
            return self._pruned_store(attribute, statement)
        if not any(site.statement in ast.walk(statement) for site in self.facts.stores[attribute]):
            return ""
        text = f"if {self._text(attribute, statement.test)}:\n"
        body = self._pruned_block(attribute, statement.body)
        rest = self._pruned_block(attribute, statement.orelse)
        if body and not rest and only_raises(statement.orelse):
            return body
        text += indented(body or "return None", INDENT)
        if rest.startswith("if ") and len(statement.orelse) == 1:
            return text + "\nel" + rest
        return text + "\n" + rest if rest else text

    def _pruned_block(self, attribute: str, block: Sequence[ast.stmt]) -> str:
        parts: list[str] = []
        for each in block:
            part = self._pruned(attribute, each)
            if part and parts and _always_returns("\n".join(parts)):
                raise Refusal(f"`{attribute}` is reassigned ({self.facts.line(each)})")
            parts += [part] if part else []
        return "\n".join(parts)

    def _pruned_store(self, attribute: str, statement: ast.stmt) -> str:
        for site in self.facts.stores[attribute]:
            if site.statement is statement:
                if site.value is None:
                    raise Refusal(
                        "the expression that creates the stored value is unknown "
                        f"({self.facts.line(statement)})"
                    )
                self.moved.gone.add(statement)
                begin = self.module.span(site.value).start.column - self._indent_of(site.value)
                text = shifted(self._text(attribute, site.value), 7 - begin, begin)
                self._exchange(
                    statement, "\n".join(self._saved_inside(attribute, statement)), False
                )
                return "return " + text
        moving = any(
            isinstance(each, ast.stmt) and each in self.moved.gone for each in ast.walk(statement)
        )
        if moving and self._mentions(statement, attribute):
            where = self.facts.line(statement)
            raise Refusal(f"the resource is opened and configured in several branches ({where})")
        return ""

    def _saved_inside(self, attribute: str, statement: ast.stmt) -> list[str]:
        """Take, of what must be kept, what only a branch around a statement evaluates, or has a value for."""
        compounds = self._compounds(statement)
        saves = self.saves.get(attribute, [])
        inside = [
            save
            for save in saves
            if any(self._is_bound_in(save.rpartition(" = ")[2], each) for each in compounds)
            or self._is_conditional(save, statement, compounds)
        ]
        self.saves[attribute] = [each for each in saves if each not in inside]
        self.inside += inside
        self.kept_inside |= {self.kept_parts[save][0] for save in inside if save in self.kept_parts}
        return inside

    def _is_conditional(
        self, save: str, statement: ast.stmt, compounds: Sequence[ast.stmt]
    ) -> bool:
        """Return whether a statement evaluates what is kept, and other branches than its own do not."""
        if save not in self.kept_parts or not compounds:
            return False
        part = self.kept_parts[save][1]
        is_own = any(each is part for each in ast.walk(statement))
        return is_own and not _always_evaluates([compounds[-1]], ast.unparse(part))

    def _is_bound_in(self, name: str, compound: ast.stmt) -> bool:
        return any(
            self._within(each.statement, {compound}) for each in self.scope.bindings.get(name, [])
        )

    def _mentions(self, node: ast.AST, attribute: str) -> bool:
        return any(
            is_self_attribute(each, self.me) and each.attr == attribute for each in ast.walk(node)
        )


def _one_way_in(pruned: str) -> str:
    """Return what a text does in one branch, if it returns None in the other; else nothing."""
    nothing = f"{INDENT}return None"
    test, _, rest = pruned.partition("\n")
    if not test.startswith("if "):
        return ""
    if rest.startswith(f"{nothing}\n"):
        other = rest.removeprefix(f"{nothing}\n")
        return _of_block(other.removeprefix("else:\n")) if other.startswith("el") else other
    return _of_block(rest.removesuffix("\nreturn None").removesuffix(f"\nelse:\n{nothing}"))


def _of_block(text: str) -> str:
    """Return the lines of an indented block; nothing where there are others among them."""
    if not all(line.startswith(INDENT) or not line for line in text.splitlines()):
        return ""
    return dedented(text, INDENT).removeprefix(INDENT)


def _makes_text(value: ast.AST | None) -> bool:
    if isinstance(value, ast.Call):
        return is_path_call(value) or ast.unparse(value.func).startswith("os.path.")
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Div, ast.Mod))
    )


def _always_evaluates(block: Sequence[ast.stmt], text: str) -> bool:
    """Return whether a block evaluates an expression whichever of its branches it takes."""
    for statement in block:
        asked: ast.AST = statement
        if isinstance(statement, ast.If):
            asked = statement.test
            if all(_always_evaluates(each, text) for each in (statement.body, statement.orelse)):
                return True
        is_simple = isinstance(asked, (ast.expr, ast.Assign, ast.AnnAssign, ast.Expr))
        if is_simple and any(ast.unparse(each) == text for each in ast.walk(asked)):
            return True
    return False


def _always_returns(text: str) -> bool:
    function = ast.parse("def f():\n" + indented(text, INDENT)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return _ends(function.body[-1])


def _ends(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Return, ast.Raise)):
        return True
    if isinstance(statement, ast.If) and statement.orelse:
        return _ends(statement.body[-1]) and _ends(statement.orelse[-1])
    return False
