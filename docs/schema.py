"""config.schema.json, catalog.schema.json, and the table of settings in docs/usage.md.

`python docs/schema.py` generates them from the definitions that dlfix validates with.
"""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dlfix.catalog.rows import TABLES, ResourceRow, Variant
from dlfix.config import KEYS, Configuration
from dlfix.validation import adapter

ROOT = Path(__file__).parents[1]
MARKS = "<!-- settings -->\n", "\n<!-- /settings -->"
DRAFT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def config_schema() -> str:
    """Return the text of config.schema.json."""
    return _text(adapter(Configuration).json_schema())


def catalog_schema() -> str:
    """Return the text of catalog.schema.json."""
    rows: list[tuple[Any, Any, TypeAdapter[Any]]] = [
        (table, "validation", TypeAdapter(list[row]))  # type: ignore[valid-type]
        for table, row in TABLES.items()
    ]
    tables, schema = TypeAdapter.json_schemas(rows, title="dlfix catalogue")
    # A mode is written as one table: its own keys, and those of the row that it changes.
    variant, row = (schema["$defs"][one.__name__] for one in (Variant, ResourceRow))
    changes = {key: row["properties"][key] for key in row["properties"].keys() - {"name", "modes"}}
    del variant["properties"]["changes"]
    variant["properties"] = {**dict(sorted(changes.items())), **variant["properties"]}
    properties = {table: tables[table, "validation"] for table, _, _ in rows}
    return _text(
        {**schema, "type": "object", "properties": properties, "additionalProperties": False}
    )


def _text(schema: dict[str, Any]) -> str:
    return json.dumps({**DRAFT, **_untitled(schema)}, indent=2) + "\n"


def _untitled(schema: Any, *, top: bool = True) -> Any:
    """Return a schema without the titles that only repeat a key."""
    if isinstance(schema, list):
        return [_untitled(one, top=False) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value, top=False)
        for key, value in schema.items()
        if top or key != "title" or not isinstance(value, str)
    }


def table() -> str:
    """Return the table of the settings."""
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for key, one in zip(KEYS, fields(Configuration), strict=True):
        default = {} if one.default is MISSING else one.default
        shown = f"`{json.dumps(default)}`" if key != "exclude" else "`.git`, `.venv`, `build`, ..."
        rows.append(f"| `{key}` | {shown} | {one.metadata['description']} |")
    return "\n".join(rows)


def main() -> None:
    """Write all three."""
    (ROOT / "config.schema.json").write_text(config_schema(), encoding="utf-8")
    (ROOT / "catalog.schema.json").write_text(catalog_schema(), encoding="utf-8")
    usage = ROOT / "docs" / "usage.md"
    text = usage.read_text(encoding="utf-8")
    new = MARKS[0] + table() + MARKS[1]
    usage.write_text(
        re.sub(r"<!-- settings -->.*<!-- /settings -->", lambda _: new, text, flags=re.S)
    )


if __name__ == "__main__":
    main()
