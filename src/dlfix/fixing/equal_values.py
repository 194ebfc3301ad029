"""Module-level names whose values are equal in every process: a definition of one can be evaluated in another module."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.catalog.catalog import load
from dlfix.project.import_time import IN_PLACE, ImportTime
from dlfix.project.syntax import LOG_METHODS, MUTATORS, base_name, dotted

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project

# What makes an equal value of equal arguments, and does nothing else: values that nothing can change,
_FIXED = frozenset(
    [
        *"abs bool bytes complex divmod float frozenset int len max min pow range round slice str sum tuple".split(),
        "collections.namedtuple", "typing.NamedTuple", "typing.TypeVar", "typing.NewType", "typing.ParamSpec",
        "typing_extensions.TypeVar", "typing_extensions.NewType", "typing_extensions.ParamSpec",
        "re.compile", "re.escape", "operator.attrgetter", "operator.itemgetter", "fractions.Fraction",
        "pathlib.Path", "pathlib.PurePath", "pathlib.PurePosixPath", "os.path.join", "os.path.basename",
        "os.path.dirname", "os.path.splitext", "os.path.normpath",
        "datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta", "datetime.timezone",
        "math.ceil", "math.exp", "math.floor", "math.log", "math.log2", "math.log10", "math.prod", "math.radians",
        "math.sqrt", "enum.Enum", "enum.IntEnum", "pandas.DateOffset", "pandas.Timedelta",
        "numpy.dtype", "numpy.float16", "numpy.float32", "numpy.float64", "numpy.int16", "numpy.int32",
        "numpy.int64", "numpy.int8", "numpy.uint16", "numpy.uint32", "numpy.uint64", "numpy.uint8",
        "torch.Size", "torch.device",
    ]
)  # fmt: skip
# and values that can be changed afterwards.
_CHANGEABLE = frozenset(
    [
        *"bytearray dict enumerate list reversed set sorted zip".split(),
        "collections.Counter", "collections.OrderedDict", "collections.defaultdict", "logging.getLogger",
        "types.SimpleNamespace", "numpy.arange", "numpy.array", "numpy.asarray", "numpy.concatenate", "numpy.eye",
        "numpy.full", "numpy.linspace", "numpy.logspace", "numpy.ones", "numpy.stack", "numpy.zeros",
    ]
)  # fmt: skip
# Methods of texts, mappings, paths and arrays that ask, and change nothing.
_ASKING = frozenset(
    "all any argmax argmin astype capitalize copy count decode encode endswith format get index items join joinpath "
    "keys lower lstrip max mean min prod removeprefix removesuffix replace reshape rsplit rstrip split splitlines "
    "startswith std strip sum title tolist upper values var with_name with_stem with_suffix zfill".split()
)
_HOLDING = frozenset(["max", "min", "tuple"])  # what they give is, or has, what they get
_ITERATORS = frozenset(["enumerate", "reversed", "zip"])  # used up by who reads them
_GENERIC = ("typing.", "typing_extensions.", "collections.", "numpy.typing.", "numpy.ndarray")
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_PLAIN = (
    ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr,
    ast.FormattedValue, ast.Slice, ast.Starred, ast.keyword, ast.comprehension, ast.expr_context, ast.operator,
    ast.unaryop, ast.boolop, ast.cmpop, *_DISPLAYS, ast.GeneratorExp,
)  # fmt: skip
# What holds for one process, or is set up by it.
_OF_PROCESS = re.compile(r"\b(?:environ|argv|sys\.path|modules|stdin|stdout|stderr)\b")


@dataclass(frozen=True, eq=False)
class EqualValues:
    """The definitions of a module whose values are equal in every process."""

    project: Project
    module: Module

    def is_equal(self, value: ast.expr) -> bool:
        """Return whether an expression has an equal value each time, if the names that it reads have, and no effect."""
        return all(self._is_equal(each) for each in self.module.within(value))

    def change(self, name: str, value: ast.expr | None = None) -> ast.AST | None:
        """Return where code may change a value, or the function or class that a name is defined as; None where nothing does."""
        uses = self._uses(name)
        if value is not None and self._is_changeable(value):
            return next((use for use in uses if not self._only_asks(use)), None)
        return next((use for use in uses if self._is_changed(use)), None)

    @cached_property
    def _names(self) -> ImportTime:
        return ImportTime(self.module.tree)

    # Expressions

    def _is_equal(self, node: ast.AST) -> bool:
        if self._is_unordered(node) and not self._leaves_order(node):
            return False
        if isinstance(node, ast.Name):
            return True
        if isinstance(node, ast.Attribute):
            return self._is_callee(node) or self._is_lasting(node)
        if isinstance(node, ast.Subscript):
            return self._is_generic(node.value) or self._is_own(node.value)
        if isinstance(node, ast.Call):
            return self._gives_equal(node)
        return isinstance(node, _PLAIN)

    def _is_unordered(self, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
        """Return whether a value is a set: a worker may go through its texts in another order."""
        if isinstance(node, ast.Call):
            return self._made_by(node.func) in ("set", "frozenset")
        if isinstance(node, ast.Name) and node.id not in seen:
            values = self._assigned(node.id)
            return any(self._is_unordered(each, seen | {node.id}) for each in values)
        return isinstance(node, (ast.Set, ast.SetComp))

    def _leaves_order(self, node: ast.AST) -> bool:
        """Return whether what reads a set gives the same in whichever order it is."""
        above = self.module.parent(node)
        if isinstance(above, ast.Call):
            return self._made_by(above.func) in ("len", "max", "min", "sorted")
        return isinstance(above, (ast.stmt, ast.Compare))

    def _assigned(self, name: str) -> list[ast.expr]:
        """Return what the statements of the module give a name."""
        bindings = self.module.scope.bindings.get(name, ())
        return [each.value for each in bindings if each.value is not None]

    def _is_callee(self, node: ast.AST) -> bool:
        above = self.module.parent(node)
        return isinstance(above, ast.Call) and above.func is node

    def _is_lasting(self, node: ast.Attribute) -> bool:
        """Return whether an attribute of an imported library is what the library made it."""
        name = self._library_name(node)
        return (
            bool(name)
            and not _OF_PROCESS.search(name)
            and node.attr not in self.module.stores_by_name
        )

    def _library_name(self, node: ast.expr) -> str:
        """Return the full name of what is imported, where it is not part of the project."""
        root = base_name(node)
        bindings = self.module.scope.bindings.get(root or "", ())
        if not bindings or any(each.kind != "import" for each in bindings):
            return ""
        name = self._names.full_name(node)
        package = name.partition(".")[0]
        return "" if self.project.contains(package, self.module) else name

    def _made_by(self, node: ast.expr) -> str:
        """Return the full name of a builtin or of what a library has."""
        name = dotted(node)
        if hasattr(builtins, name) and name not in self.module.scope.bindings:
            return name
        return self._library_name(node) if name else ""

    def _is_generic(self, node: ast.expr) -> bool:
        """Return whether a subscript of this makes a type: `Union[int, str]`, `list[int]`."""
        name = self._made_by(node)
        return name.startswith(_GENERIC) or isinstance(getattr(builtins, name, None), type)

    def _is_own(self, node: ast.expr) -> bool:
        """Return whether what an expression reads is made in the module: an item of it is, too."""
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        if not isinstance(node, ast.Name):
            return isinstance(node, (*_DISPLAYS, ast.Tuple, ast.Constant, ast.Call))
        scope = self.module.scope_of(node).lookup(node.id)
        return (scope is not None and not scope.is_module) or bool(self._assigned(node.id))

    def _gives_equal(self, call: ast.Call) -> bool:
        if self._made_by(call.func) in _FIXED | _CHANGEABLE:
            by_key = any(each.arg == "key" for each in call.keywords)  # which may be any function
            return not by_key and not self._is_used_up(call)
        asks = isinstance(call.func, ast.Attribute) and call.func.attr in _ASKING
        return asks and self._is_own(call.func.value)  # type: ignore[attr-defined]

    def _is_used_up(self, call: ast.Call) -> bool:
        """Return whether a call makes an iterator that is kept: who reads it first leaves nothing."""
        kept = not isinstance(self.module.parent(call), (ast.Call, ast.Starred, ast.comprehension))
        return kept and self._made_by(call.func) in _ITERATORS

    def _is_changeable(self, value: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
        match value:
            case ast.Call(func=func) if self._made_by(func) not in _HOLDING:
                return self._made_by(func) not in _FIXED
            case ast.Subscript(value=source) if self._is_generic(source):
                return False
            case ast.Name(id=name):
                values = () if name in seen else self._assigned(name)
                return any(self._is_changeable(each, seen | {name}) for each in values)
        return isinstance(value, _DISPLAYS) or any(
            self._is_changeable(each, seen) for each in ast.iter_child_nodes(value)
        )

    # Uses

    def _uses(self, name: str) -> Iterator[ast.AST]:
        """Yield the reads of a module-level name, in functions too."""
        for node in self.module.nodes_by_name.get(name, ()):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                scope = self.module.scope_of(node).lookup(name)
                if scope is None or scope.is_module:
                    yield node

    def _is_changed(self, node: ast.AST) -> bool:
        """Return whether a use sets or deletes part of what it reads, or calls a method that changes it."""
        above = self.module.parent(node)
        while isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is node:
            if not isinstance(above.ctx, ast.Load):
                return True
            if isinstance(above, ast.Attribute) and above.attr in MUTATORS:
                return True
            node, above = above, self.module.parent(above)
        match above:
            case ast.AugAssign(target=target):
                return target is node
            case ast.Call(args=[first, *_]) if first is node:
                return self._names.full_name(above.func) in {*IN_PLACE, "setattr", "delattr"}
        return False

    def _only_asks(self, node: ast.AST) -> bool:
        """Return whether a use of what can be changed surely leaves it as it is."""
        if self._is_changed(node):
            return False
        above = self.module.parent(node)
        match above:
            case ast.Subscript(value=value) if value is node:
                return self._only_asks(above)
            case ast.Attribute(attr=attr):
                return attr in _ASKING | LOG_METHODS or not self._is_callee(above)
            case ast.Call() | ast.keyword():
                return self._is_left_by(above)
            case ast.For(iter=source) | ast.comprehension(iter=source):
                return source is node
        return isinstance(
            above,
            (ast.BinOp, ast.Compare, ast.Expr, ast.FormattedValue, ast.Slice, ast.Subscript, ast.Starred),
        )  # fmt: skip

    def _is_left_by(self, use: ast.AST) -> bool:
        """Return whether a call leaves its arguments as they are."""
        call = self.module.parent(use) if isinstance(use, ast.keyword) else use
        if not isinstance(call, ast.Call):
            return False
        name = self._made_by(call.func)
        if hasattr(builtins, name):
            return name not in ("setattr", "delattr", "exec", "eval")
        return name in _FIXED | _CHANGEABLE or load().function(name) is not None


__all__ = ["EqualValues"]
