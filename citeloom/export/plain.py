"""Values as JSON."""

import json
from typing import Any

SCHEMA_VERSION = 1
"""Of all JSON files; docs/output.md describes their fields."""


def plain(value: object) -> Any:
    """Return a value, models within it too, as JSON has it."""
    from pydantic import TypeAdapter

    return TypeAdapter(Any).dump_python(value, mode="json")


def dump(value: object) -> str:
    """Return a value as JSON that people can read."""
    return json.dumps(plain(value), ensure_ascii=False, indent=2)
