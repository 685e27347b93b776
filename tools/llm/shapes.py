"""An answer's schema in the forms that endpoints want."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

_UNSUPPORTED_STRICT = frozenset({"default", "title", "minLength", "maxLength"})
"""Keywords that strict modes reject or that say nothing; the answer is validated here anyway."""


@dataclass(frozen=True)
class Shapes:
    """One answer's JSON schema."""

    name: str
    plain: dict[str, Any]
    strict: dict[str, Any]
    """All fields required, none beside them, as strict structured output demands."""
    text: str
    """`plain` as compact JSON."""


@cache
def shapes_of(answer: type[BaseModel], name: str) -> Shapes:
    """Return the schema of `answer`, titled `name`. Imports the OpenAI SDK: call it in a thread."""
    from openai import pydantic_function_tool

    plain = {**_without(answer.model_json_schema(), frozenset({"title"})), "title": name}
    tool: Any = pydantic_function_tool(answer, name=name)
    strict = {**_without(tool["function"]["parameters"], _UNSUPPORTED_STRICT), "title": name}
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return Shapes(name=name, plain=plain, strict=strict, text=text)


def _without(schema: Any, unwanted: frozenset[str], *, named: bool = False) -> Any:
    """Drop keywords; `named` says that the keys are names of fields, which are kept."""
    if isinstance(schema, list):
        return [_without(item, unwanted) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without(value, unwanted, named=not named and key in {"properties", "$defs"})
        for key, value in schema.items()
        if named or key not in unwanted
    }
