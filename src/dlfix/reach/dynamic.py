"""Names that are computed: `getattr(module, name)`, `globals()[name]`, `eval(name)`, `module.__dict__[f"{kind}Set"]`."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlfix.reach.copied_entries import rounds
from dlfix.reach.signatures import GUESSED, Given, accepts, given_by
from dlfix.reach.values import (
    Argument,
    Bound,
    Class,
    Constant,
    External,
    Frame,
    Function,
    Instance,
    ModuleValue,
    Passed,
    Reached,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

ANY = re.compile(".*")
MOST_MEMBERS = 64  # of one namespace, for one computed name
_DEFINING = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)


class _Lookup(NamedTuple):
    """What is known of a name that is worked out: how it looks, what the program or its settings say, how it is called."""

    pattern: re.Pattern[str] = ANY
    said: tuple[str, ...] = ()
    given: Given | None = None


class Members:
    """Looks up the members of modules and classes that a computed name may stand for."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter

    def named_by(
        self, owner: Value, name: ast.expr, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        """Yield the members of `owner` whose names an expression may give."""
        found = self.interpreter.evaluate(name, frame)
        texts = [(r.value.value, rounds(r)) for r in found if isinstance(r.value, Constant)]
        known = {text: of for text, of in texts if isinstance(text, str)}
        for text, of in known.items():
            for reached in self.interpreter.attribute(owner, text, node, frame):
                yield Reached(reached.value, (*reached.steps, *of))
        if len(known) < len(found) or not found:
            lookup = self._lookup(name, known, node, frame)
            yield from self._fitting(owner, lookup, node, frame)

    def spelled(self, call: ast.Call, frame: Frame) -> Iterator[Reached]:
        """Yield what `eval(name)` gives: the object of that name, or what is then called so."""
        found = self.interpreter.values_at(call.args[0], frame)
        texts = [v.value if isinstance(v, Constant) else None for v in found] or [None]
        known = [text for text in texts if isinstance(text, str)]
        for text in texts:
            if isinstance(text, str) and text.isidentifier():
                yield from self.interpreter.name(text, frame, None)
            elif text is None and _is_called(call, frame.module):
                lookup = self._lookup(call.args[0], known, call, frame)
                yield from self.of_module(frame.module, lookup)
            else:
                yield Reached(Unknown())

    def modules(self, name: Argument | None, frame: Frame) -> Iterator[Reached]:
        """Yield the modules of the tree that `import_module(f"package.{name}")` may import."""
        known = known_start(name.node, name.frame.module) if isinstance(name, Bound) else ""
        start = known.rpartition(".")[0]
        package = self.interpreter.project.find(start, frame.module) if start else None
        if isinstance(name, Bound) and package is not None and package.is_package:
            pattern = self._pattern(name.node, name.frame)
            files = [p for p in self.interpreter.project.files if p.parent == package.folder]
            for path in files[:MOST_MEMBERS]:
                dotted = f"{start}.{path.stem}"
                if path.stem != "__init__" and pattern.fullmatch(dotted):
                    yield Reached(ModuleValue(dotted, self.interpreter.project.get(path)))
        yield Reached(ModuleValue("?"))

    def _lookup(
        self, name: ast.expr, known: Iterable[str], node: ast.expr, frame: Frame
    ) -> _Lookup:
        """Return what is known of a name that is worked out, and of the call of what it leads to."""
        pattern = self._pattern(name, frame)
        above = frame.module.parent(node)
        called = above if isinstance(above, ast.Call) and above.func is node else None
        said: tuple[str, ...] = ()
        if pattern is ANY:
            settings = self.interpreter.named_elsewhere.names_for(name, frame)
            said = tuple(dict.fromkeys((*known, *sorted(settings))))
        return _Lookup(pattern, said, given_by(called) if called is not None else None)

    def _pattern(self, node: ast.expr, frame: Frame) -> re.Pattern[str]:
        """Return what the text of an expression looks like, as far as its parts are known."""
        return re.compile("".join(self._parts(node, frame))) if _is_joined(node) else ANY

    def _parts(self, node: ast.expr, frame: Frame) -> Iterator[str]:
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                yield from self._parts(part, frame)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from self._parts(node.left, frame)
            yield from self._parts(node.right, frame)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value)
        else:
            yield ".*"

    def _fitting(
        self, owner: Value, lookup: _Lookup, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        if isinstance(owner, (External, ModuleValue)) and getattr(owner, "module", None) is None:
            yield Reached(External(f"{owner.name}.*"))
        elif isinstance(owner, ModuleValue) and owner.module is not None:
            yield from self.of_module(owner.module, lookup)
        elif isinstance(owner, (Instance, Class)) and lookup.pattern is not ANY:
            yield from self._methods(owner, lookup.pattern, node, frame)
        else:
            yield Reached(Unknown())

    def of_module(self, module: Module, lookup: _Lookup) -> Iterator[Reached]:
        """Yield the classes and functions of a module whose names fit: those that are said somewhere, else all."""
        found = self._defined(module, lookup.said) or self._defined(
            module, self._names(module, lookup.pattern)
        )
        for reached in found:
            if lookup.given is None or accepts(reached.value, lookup.given, self.interpreter):
                guessed = Passed(module, reached.value.node, GUESSED)  # type: ignore[union-attr]
                yield Reached(reached.value, (*reached.steps, guessed))
        yield Reached(Unknown())

    def _defined(self, module: Module, names: Iterable[str]) -> list[Reached]:
        """Return the classes and functions that a module has under some names."""
        return [
            reached
            for name in names
            for reached in self.interpreter.global_name(module, name)
            if isinstance(reached.value, (Class, Function))
        ]

    def _names(self, module: Module, pattern: re.Pattern[str]) -> list[str]:
        """Return the names of a module's classes and functions that fit."""
        names = [
            name
            for name, bindings in module.scope.bindings.items()
            if pattern.fullmatch(name)
            and not (pattern is ANY and all(_is_from_elsewhere(each, module) for each in bindings))
            and any(_defines(each) or (pattern is not ANY and _makes(each)) for each in bindings)
        ]
        self.interpreter.cut(when=len(names) > MOST_MEMBERS)
        return names[:MOST_MEMBERS]

    def _methods(
        self, owner: Instance | Class, pattern: re.Pattern[str], node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        cls = owner.cls if isinstance(owner, Instance) else owner
        names = {
            statement.name: None
            for base in self.interpreter.instances.mro(cls)
            if isinstance(base, Class)
            for statement in getattr(base.node, "body", ())
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        for name in names:
            if pattern.fullmatch(name):
                yield from self.interpreter.attribute(owner, name, node, frame)


def known_start(name: ast.expr, module: Module) -> str:
    """Return the text that a computed text begins with; `__name__` is that of the module that it stands in."""
    return "".join(itertools.takewhile(bool, (_text_of(each, module) for each in _joined(name))))


def _joined(name: ast.expr) -> list[ast.expr]:
    """Return the parts that a text is put together from, in order."""
    match name:
        case ast.JoinedStr(values=values):
            return values
        case ast.BinOp(left=left, right=right):
            return [*_joined(left), *(_joined(right) if isinstance(name.op, ast.Add) else ())]
    return [name]


def _text_of(part: ast.expr, module: Module) -> str:
    """Return the text of a part; empty where it is not known."""
    named = part.value if isinstance(part, ast.FormattedValue) else part
    match named:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id="__name__"):
            return module.name
        case ast.Name(id="__package__"):
            return module.name if module.is_package else module.name.rpartition(".")[0]
    return ""


def _is_called(node: ast.expr, module: Module) -> bool:
    above = module.parent(node)
    return isinstance(above, ast.Call) and above.func is node


def _makes(binding: Binding) -> bool:
    """Return whether an assignment may make a function: `pad_batch = timed(_pad_batch)`."""
    return not binding.path and isinstance(binding.value, (ast.Call, ast.Lambda))


def _defines(binding: Binding) -> bool:
    """Return whether a binding is a class, a function, or a name that is given a lambda."""
    is_lambda = isinstance(binding.value, ast.Lambda) and not binding.path
    return isinstance(binding.statement, _DEFINING) or is_lambda


def _is_from_elsewhere(binding: Binding, module: Module) -> bool:
    """Return whether a name is imported from outside the package: a helper of the module, not a choice it offers."""
    match binding.statement:
        case ast.ImportFrom(level=0, module=str() as source):
            package = module.name if module.is_package else module.name.rpartition(".")[0]
            return not f"{source}.".startswith(f"{package}.")
        case ast.ImportFrom(level=level):
            return level > 1
    return isinstance(binding.statement, ast.Import)


def _is_joined(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    )
