"""Whether one node of a file may be evaluated after another: asked of the control-flow graph of their function."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dlfix.facts.cfg import Graph, graph_of
from dlfix.facts.model import FUNCTIONS as OF_FUNCTIONS
from dlfix.facts.model import NOTHING, FileFacts, Kind
from dlfix.fixing.proof.syntax import FUNCTIONS, Function
from dlfix.project.module import Module

# What facts call the nodes that may be asked about.
_KINDS: dict[type[ast.AST], tuple[int, ...]] = {
    ast.Name: (Kind.NAME, Kind.NAME_STORE, Kind.NAME_DELETE),
    ast.Attribute: (Kind.ATTRIBUTE, Kind.ATTRIBUTE_STORE, Kind.ATTRIBUTE_DELETE),
    ast.Call: (Kind.CALL,),
    ast.ClassDef: (Kind.CLASS,),
    ast.FunctionDef: (Kind.FUNCTION,),
    ast.AsyncFunctionDef: (Kind.ASYNC_FUNCTION,),
    ast.ExceptHandler: (Kind.HANDLER,),
    ast.Import: (Kind.IMPORT,),
    ast.ImportFrom: (Kind.IMPORT_FROM,),
}


def node_of(facts: FileFacts, function: Function) -> int:
    """Return the node of a function in its file's facts."""
    named = (n for n in facts.nodes(*OF_FUNCTIONS) if facts.symbol(n) == function.name)
    return next((n for n in named if facts.row(n) == function.lineno), NOTHING)


class EvaluatedAfter:
    """The graphs of one text, for nodes of its tree."""

    def __init__(self, module: Module, facts: FileFacts) -> None:
        self.module, self.facts = module, facts
        self._graphs: dict[int, Graph] = {}

    def may_follow(self, first: ast.AST, second: ast.AST, avoiding: Iterable[ast.AST] = ()) -> bool:
        """Return whether a node may be evaluated after another, around some; also where the graph does not hold both."""
        one, other = self._node(first), self._node(second)
        if NOTHING in (one, other):
            return True
        graph = self._graph(first)
        if graph is None or not (graph.holds(one) and graph.holds(other)):
            return True
        around = {self._node(each) for each in avoiding} - {NOTHING}
        return graph.reaches(one, other, around)

    def _graph(self, node: ast.AST) -> Graph | None:
        """Return the graph of the function around a node, or of the module."""
        around = next((a for a in self.module.ancestors(node) if isinstance(a, FUNCTIONS)), None)
        root = 0 if around is None else node_of(self.facts, around)
        if root == NOTHING:
            return None
        if root not in self._graphs:
            self._graphs[root] = graph_of(self.facts, root)
        return self._graphs[root]

    def _node(self, node: ast.AST) -> int:
        """Return what facts have where a node of the tree stands, if it is of a kind that is known here."""
        kinds = _KINDS.get(type(node))
        if kinds is None:
            return NOTHING
        begin, end = self.module.span(node).start, self.module.span(node).end
        place = (begin.row, begin.column, end.row, end.column)
        return next((n for n in self.facts.nodes(*kinds) if self.facts.span(n) == place), NOTHING)


__all__ = ["EvaluatedAfter", "node_of"]
