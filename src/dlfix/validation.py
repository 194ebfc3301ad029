"""What users write in TOML, validated by pydantic against the dataclass that defines it.

pydantic is imported when there is something to validate: importing it takes longer than a check whose result is cached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T")

STRICT: Final = {"extra": "forbid", "strict": True}
"""pydantic's configuration of a definition: no unknown keys, no conversions."""

_EXPECTED: Final = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "string_type": "a string",
    "tuple_type": "a list",
    "dict_type": "a table",
    "dataclass_type": "a table",
}


class Invalid(Exception):
    """What is wrong with the values, in one line that names the key."""


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def adapter(definition: type[T]) -> TypeAdapter[T]:
    """Return what validates values for a dataclass."""
    from pydantic import TypeAdapter

    if definition not in _adapters:
        _adapters[definition] = TypeAdapter(definition)
    return _adapters[definition]


def validated(definition: type[T], values: Mapping[str, Any]) -> T:
    """Return the instance that values of a TOML table make; `Invalid` if they do not."""
    from pydantic import ValidationError

    # As JSON, because a list of TOML is a tuple here and nothing else is converted.
    text = json.dumps(values, default=lambda date: {"date": str(date)})
    try:
        return adapter(definition).validate_json(text)
    except ValidationError as error:
        raise Invalid(_message(error.errors()[0], definition)) from None


def _message(error: ErrorDetails, definition: type[Any]) -> str:
    key = _key(error["loc"])
    kind, given = error["type"], error["input"]
    if kind == "unexpected_keyword_argument":
        return f"unknown key {key}{nearest(str(error['loc'][-1]), _keys(definition))}"
    if kind == "missing":
        return f"{key} is missing"
    if kind in ("too_short", "string_too_short"):
        return f"{key} must not be empty"
    if kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        hint = nearest(given, allowed) if isinstance(given, str) else ""
        return f"{key} must be one of {', '.join(filter(None, allowed))}{hint}"
    expected = _EXPECTED.get(kind)
    return f"{key} must be {expected}" if expected else f"{key}: {error['msg']}"


def _key(places: Sequence[str | int]) -> str:
    """Return a place as TOML would write it: "`modes[0].parameter`"."""
    parts = (f"[{place}]" if isinstance(place, int) else f".{place}" for place in places)
    return f"`{''.join(parts).lstrip('.')}`"


def _keys(definition: type[Any]) -> list[str]:
    return list(adapter(definition).json_schema()["properties"])


def nearest(word: str, known: Sequence[str]) -> str:
    """Return `; did you mean ...?` if something known is similar to `word`, else nothing."""
    import difflib  # only for mistakes; it takes a tenth of the start

    folded = {one.lower(): one for one in known}
    close = difflib.get_close_matches(word.lower().replace("_", "-"), folded, n=1, cutoff=0.5)
    return f"; did you mean `{folded[close[0]]}`?" if close else ""
