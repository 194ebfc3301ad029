"""config.schema.json and the table of settings in docs/usage.md, made of the settings themselves.

`python docs/schema.py` writes both. pydantic makes the schema; dlfix does not import it, because that takes longer than
a check whose result is cached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pydantic

from dlfix.config import FORMS, KEYS, START_METHODS, Settings

ROOT = Path(__file__).parents[1]
MARKS = "<!-- settings -->\n", "\n<!-- /settings -->"
_NARROWER: dict[str, tuple[Any, dict[str, Any]]] = {
    "target-start-methods": (tuple[Literal[START_METHODS], ...], {"min_length": 1}),  # type: ignore[valid-type]
    "prefer": (Literal[FORMS], {}),
}


def model() -> type[pydantic.BaseModel]:
    """Return the model of a configuration file."""
    hints = get_type_hints(Settings, localns={"Mapping": Mapping})
    keys: dict[str, Any] = {}
    for one in fields(Settings):
        key = one.name.replace("_", "-")
        if key not in KEYS:
            continue
        kind, more = _NARROWER.get(key, (hints[one.name], {}))
        default = {} if one.default is MISSING else one.default
        keys[one.name] = kind, pydantic.Field(default, alias=key, **one.metadata, **more)
    config = pydantic.ConfigDict(extra="forbid", strict=True, title="dlfix")
    made: type[pydantic.BaseModel] = pydantic.create_model(
        "Configuration", __config__=config, **keys
    )
    made.__doc__ = "The settings of dlfix: dlfix.toml, or [tool.dlfix] in pyproject.toml."
    return made


def schema() -> str:
    """Return the text of config.schema.json."""
    made = model().model_json_schema(by_alias=True)
    for told in made["properties"].values():
        del told["title"]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "dlfix"}
    head["description"] = "The settings of dlfix: dlfix.toml, or [tool.dlfix] in pyproject.toml."
    return json.dumps({**head, **made}, indent=2) + "\n"


def table() -> str:
    """Return the table of the settings."""
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for one in fields(Settings):
        key = one.name.replace("_", "-")
        if key in KEYS:
            default = {} if one.default is MISSING else one.default
            shown = (
                f"`{json.dumps(default)}`" if key != "exclude" else "`.git`, `.venv`, `build`, ..."
            )
            rows.append(f"| `{key}` | {shown} | {one.metadata['description']} |")
    return "\n".join(rows)


def main() -> None:
    """Write both."""
    (ROOT / "config.schema.json").write_text(schema(), encoding="utf-8")
    usage = ROOT / "docs" / "usage.md"
    text = usage.read_text(encoding="utf-8")
    new = MARKS[0] + table() + MARKS[1]
    usage.write_text(
        re.sub(r"<!-- settings -->.*<!-- /settings -->", lambda _: new, text, flags=re.S)
    )


if __name__ == "__main__":
    main()
