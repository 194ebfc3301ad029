"""Conditions the other way round, as a person would write them."""

from __future__ import annotations

import libcst as cst

_OPPOSITES: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
}
_LITERALS = (cst.SimpleString, cst.Integer)
_LOOSE = (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr)


def negated(test: cst.BaseExpression) -> cst.BaseExpression:
    """Return a test that is true where another is not."""
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return inner
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator, right)]):
            opposite = _OPPOSITES.get(type(operator))
            if opposite is not None:
                return cst.Comparison(left, [cst.ComparisonTarget(opposite(), right)])
    return cst.UnaryOperation(cst.Not(), _closed(test))


def both(one: cst.BaseExpression, other: cst.BaseExpression) -> cst.BaseExpression:
    """Return a test that is true where both are."""
    known, further = _excluded(one), _excluded(other)
    if known and further and known[0].deep_equals(further[0]):
        values = cst.Tuple(
            [cst.Element(each) for each in (*known[1], *further[1])],
            lpar=[cst.LeftParen()],
            rpar=[cst.RightParen()],
        )
        return cst.Comparison(known[0], [cst.ComparisonTarget(cst.NotIn(), values)])
    return cst.BooleanOperation(_closed(one), cst.And(), _closed(other))


def _excluded(
    test: cst.BaseExpression,
) -> tuple[cst.BaseExpression, list[cst.BaseExpression]] | None:
    """Return what a test says is none of some literals, and the literals."""
    match test:
        case cst.Comparison(
            left=cst.Name() | cst.Attribute() as left,
            comparisons=[cst.ComparisonTarget(operator, right)],
        ):
            if isinstance(operator, cst.NotEqual) and isinstance(right, _LITERALS):
                return left, [right]
            if isinstance(operator, cst.NotIn) and isinstance(right, cst.Tuple):
                values = [each.value for each in right.elements]
                return (left, values) if all(isinstance(v, _LITERALS) for v in values) else None
    return None


def _closed(test: cst.BaseExpression) -> cst.BaseExpression:
    """Return a test in brackets, where it would fall apart without."""
    if not isinstance(test, _LOOSE) or test.lpar:
        return test
    return test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
