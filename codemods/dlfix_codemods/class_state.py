"""`__getstate__` and `__setstate__`: built on those a class has, or made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import libcst as cst

from dlfix.fixing.classes.plans import Drop, State

INDENT = "    "
REDUCERS = ("__reduce_ex__", "__reduce__")
Quoted = Callable[[str], str]


def edit(
    body: list[cst.BaseStatement], state: State, quoted: Quoted
) -> tuple[list[cst.BaseStatement], str]:
    """Edit the state methods among a class' members; return the source of those it lacks.

    `quoted` gives a text the quotes that the file uses.
    """
    made = []
    if state.getstate == "own":
        body = [_edited(each, state.called, state, quoted) for each in body]
    elif state.getstate == "reduce":
        for name in REDUCERS:
            body = [_edited(each, name, state, quoted) for each in body]
    elif state.drops or state.slots or state.has_dict:
        made.append(_getstate(state))
    if state.setstate == "own":
        body = [_edited(each, "__setstate__", state, quoted) for each in body]
    elif state.restores or state.slots or state.has_dict or state.looks_up:
        made.append(_setstate(state))
    return body, "\n".join(made)


def method_with_state(body: Sequence[cst.BaseStatement], called: str) -> str:
    """Return the method of a class that tells what is pickled."""
    names = {each.name.value for each in body if isinstance(each, cst.FunctionDef)}
    return next((name for name in (*REDUCERS, called) if name in names), "")


def _getstate(state: State) -> str:
    returns = " -> dict[str, object]" if state.typed else ""
    lines = [f"def __getstate__(self){returns}:"]
    names = ", ".join(f'"{name}"' for name in state.slots)
    comma = "," if len(state.slots) == 1 else ""
    if state.slots and not state.has_dict:
        left_out = ", ".join(drop.name for drop in state.drops)
        lines.append(f"names = ({names}{comma})  # {left_out}: {state.drops[0].why}")
        lines.append("return {name: getattr(self, name) for name in names if hasattr(self, name)}")
    else:
        whole = {"inherited": "dict(super().__getstate__())"}.get(
            state.getstate, "self.__dict__.copy()"
        )
        lines.append(f"state = {whole}")
        if state.slots:
            lines += [
                f"for name in ({names}{comma}):",
                f"{INDENT}if hasattr(self, name):",
                f"{INDENT * 2}state[name] = getattr(self, name)",
            ]
        lines += [*_drops(state.drops, "state"), "return state"]
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).replace("\n", f"\n{INDENT}") + "\n"


def _drops(drops: Sequence[Drop], name: str) -> list[str]:
    lines = []
    for drop in drops:
        why = f"  # {drop.why}" if drop.why else ""
        lines.append(_drop(drop, name) + why)
    return lines


def _drop(drop: Drop, name: str) -> str:
    if drop.code:
        return drop.code.replace("state[", f"{name}[")
    if drop.becomes:
        return f'{name}["{drop.name}"] = {drop.becomes}'
    return f'{name}.pop("{drop.name}", None)'


def _setstate(state: State) -> str:
    typed = "state: dict[str, object]" if state.typed else "state"
    returns = " -> None" if state.typed else ""
    update = ["self.__dict__.update(state)"]
    if state.slots or state.has_dict:
        update = ["for name, value in state.items():", f"{INDENT}setattr(self, name, value)"]
    elif state.setstate == "inherited":
        update = ["super().__setstate__(state)"]
    lines = [f"def __setstate__(self, {typed}){returns}:", *update, *state.restores]
    return _joined(lines)


def _edited(
    member: cst.BaseStatement, name: str, state: State, quoted: Quoted
) -> cst.BaseStatement:
    if not isinstance(member, cst.FunctionDef) or member.name.value != name:
        return member
    if name == "__setstate__":
        return _with_restores(member, [quoted(line) for line in state.restores])
    drops = _untold(member, state.drops)
    transformer = _Reduced if state.getstate == "reduce" else _Returns
    edited = member.visit(transformer(drops, quoted))
    assert isinstance(edited, cst.FunctionDef)
    return edited


def _untold(member: cst.FunctionDef, drops: Sequence[Drop]) -> list[Drop]:
    """Leave out the reasons that a method gives already."""
    text = cst.Module([member]).code
    return [replace(each, why="" if f"# {each.why}" in text else each.why) for each in drops]


def _with_restores(method: cst.FunctionDef, restores: Sequence[str]) -> cst.FunctionDef:
    lines = [cst.parse_statement(line) for line in restores]
    block = method.body
    assert isinstance(block, cst.IndentedBlock)
    return method.with_changes(body=block.with_changes(body=[*block.body, *lines]))


class _Returns(cst.CSTTransformer):
    """Takes attributes from the state before each `return` of a `__getstate__`."""

    def __init__(self, drops: Sequence[Drop], quoted: Quoted) -> None:
        super().__init__()
        self.drops = drops
        self.quoted = quoted
        self.depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.depth += 1
        return self.depth == 1

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        match updated_node.body:
            case [cst.Return(value=cst.Name(value=name))]:
                return self._flat(updated_node, [], updated_node, name)
            case [cst.Return(value=cst.BaseExpression() as value)]:
                whole = cst.Assign([cst.AssignTarget(cst.Name("state"))], _copied(value))
                kept = updated_node.with_changes(body=[whole])
                last = cst.parse_statement("return state")
                return self._flat(kept, [kept], last, "state")
        return updated_node

    def _flat(
        self,
        first: cst.SimpleStatementLine,
        before: Sequence[cst.BaseStatement],
        last: cst.CSTNode,
        name: str,
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        drops = [cst.parse_statement(self.quoted(line)) for line in _drops(self.drops, name)]
        if before:
            return cst.FlattenSentinel([*before, *drops, last])  # type: ignore[list-item]
        assert isinstance(last, cst.SimpleStatementLine)
        drops[0] = drops[0].with_changes(leading_lines=first.leading_lines)
        return cst.FlattenSentinel([*drops, last.with_changes(leading_lines=[])])


class _Reduced(_Returns):
    """Takes attributes from the state that a `__reduce__` returns among other parts."""

    def __init__(self, drops: Sequence[Drop], quoted: Quoted) -> None:
        super().__init__(drops, quoted)
        self.names: set[str] = set()  # local names of the state

    def visit_Assign(self, node: cst.Assign) -> None:
        if _is_whole(node.value):
            targets = [each.target for each in node.targets]
            self.names |= {each.value for each in targets if isinstance(each, cst.Name)}

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        match updated_node.body:
            case [cst.Return(value=cst.Tuple() as parts)]:
                state = next((each for each in _parts(parts) if self._is_state(each)), None)
                if isinstance(state, cst.Name):
                    return self._flat(updated_node, [], updated_node, state.value)
                if state is not None:
                    whole = cst.Assign([cst.AssignTarget(cst.Name("state"))], _copied(state))
                    kept = updated_node.with_changes(body=[whole])
                    last = updated_node.deep_replace(state, cst.Name("state"))
                    assert isinstance(last, cst.CSTNode)
                    return self._flat(kept, [kept], last.with_changes(leading_lines=[]), "state")
        return updated_node

    def _is_state(self, node: cst.BaseExpression) -> bool:
        return _is_whole(node) or (isinstance(node, cst.Name) and node.value in self.names)


def _parts(value: cst.Tuple) -> Iterator[cst.BaseExpression]:
    for each in value.elements:
        if isinstance(each.value, cst.Tuple):
            yield from _parts(each.value)
        else:
            yield each.value


def _is_whole(node: cst.BaseExpression) -> bool:
    """Return whether an expression gives all attributes of an instance, or a copy of them."""
    match node:
        case cst.Attribute(attr=cst.Name(value="__dict__")):
            return True
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value="copy")), args=[]):
            return _is_whole(value)
        case cst.Call(func=cst.Name(value="vars"), args=[_]):
            return True
        case cst.Call(args=[cst.Arg(value=value)]):
            return _is_whole(value)
    return False


def _copied(value: cst.BaseExpression) -> cst.BaseExpression:
    """Return `value`, copied where it is the instance's own `__dict__`."""
    match value:
        case cst.Attribute(attr=cst.Name(value="__dict__")) | cst.Call(func=cst.Name(value="vars")):
            return cst.Call(cst.Attribute(value, cst.Name("copy")))
    return value
