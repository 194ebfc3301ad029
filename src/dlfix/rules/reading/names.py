"""Names that are free, and names that are not."""

from __future__ import annotations

import ast
from collections.abc import Collection

from dlfix.project.trees import walk


def free_attribute(wanted: str, taken: Collection[str]) -> str:
    """Return the wanted name, with a number where it is taken."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def words(tree: ast.AST) -> set[str]:
    """Return every name, attribute, parameter and definition a piece of code mentions."""
    return {word for node in walk(tree) for word in words_of(node)}


def words_of(node: ast.AST) -> set[str]:
    """Return the names that a node by itself mentions."""
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
            return {word}
        case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word):
            return {word}
        case ast.ClassDef(name=word) | ast.alias(asname=str(word)) | ast.alias(name=word):
            return {word}
        case ast.keyword(arg=str(word)):
            return {word}
    return set()
