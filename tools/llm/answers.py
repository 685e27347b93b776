"""Reading an answer out of what a model wrote."""

import json
import re
from typing import Any

from pydantic import ValidationError

from tools.llm.prompt import clean
from tools.llm.task import AnswerT

_TAG = r"(?:think(?:ing)?|thought|reasoning)[>\]]"
_THOUGHT = re.compile(rf"[<\[]{_TAG}.*?(?:[<\[]/{_TAG}|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(rf"\A.*[<\[]/{_TAG}", re.DOTALL | re.IGNORECASE)
_OBJECT_START = re.compile(r'\{\s*["}]')
_MOST_OBJECTS = 200
"""Objects looked at, so that a hostile text costs little."""


class UnusableAnswerError(ValueError):
    """What the model wrote is not the answer; the text says why, in words for the model.

    `shaped` tells whether there was a JSON object of the schema's shape, fields and types.
    """

    def __init__(self, reason: str, *, shaped: bool) -> None:
        super().__init__(reason)
        self.shaped = shaped


def read_answer(schema: type[AnswerT], raw: str) -> tuple[AnswerT, str]:
    """Return the answer in `raw` and its JSON text, from which it can be read again.

    The last JSON object that fits counts: thoughts, code fences and prose around it do not. An
    object that is cut or malformed makes the whole unusable, since what is whole inside it, or
    before it, is a part or an example and not the answer.

    Raises:
        UnusableAnswerError: There is no JSON object that fits.
    """
    # What begins with an object has no thoughts before it; a tag may stand in its strings.
    seen = raw.strip() if raw.lstrip().startswith("{") else visible(raw)
    if not seen:
        raise UnusableAnswerError("the answer was empty", shaped=False)
    found = _objects(seen)
    if not found:
        raise UnusableAnswerError("the answer held no JSON object", shaped=False)
    reason, shaped = "", False
    for item in reversed([item for item in found if item] or found):
        text = json.dumps(clean(item), ensure_ascii=False)
        try:
            answer = schema.model_validate_json(text)
        except ValidationError as error:
            if not reason:
                reason, shaped = _explain(error), _is_shaped(error)
        else:
            if not item or schema.model_fields.keys() & item.keys():
                return answer, text
            reason = reason or "none of its keys is in the schema"
    raise UnusableAnswerError(reason, shaped=shaped)


def reread(schema: type[AnswerT], text: str) -> AnswerT | None:
    """Read a kept answer again; None when the schema's own checks have changed since."""
    try:
        return schema.model_validate_json(text)
    except ValidationError:
        return None


def visible(raw: str) -> str:
    """Return what the model wrote without its thoughts, also where a server dropped `<think>`."""
    return _THOUGHT_END.sub("", _THOUGHT.sub("", raw)).strip()


def repair_request(reason: Exception) -> str:
    """Return the message that sends an answer back; the request holds the schema already."""
    return (
        f"That answer cannot be used: {reason}\n"
        "Give the whole answer again as one JSON object that matches the schema, and nothing else."
    )


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects in `text`, in order."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    found: list[dict[str, Any]] = []
    start = _OBJECT_START.search(text)
    while start and len(found) < _MOST_OBJECTS:
        try:
            item, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            raise UnusableAnswerError(f"its JSON is broken: {error}", shaped=True) from error
        found.append(item)
        start = _OBJECT_START.search(text, end)
    return found


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _is_shaped(error: ValidationError) -> bool:
    kinds = [fault["type"] for fault in error.errors(include_url=False, include_context=False)]
    return not any(kind == "missing" or kind.endswith(("_type", "_parsing")) for kind in kinds)


def _explain(error: ValidationError) -> str:
    """Return the first faults with their places, and none of the answer's own words."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}" for fault in faults]
    more = [f"and {len(lines) - 5} more"] if len(lines) > 5 else []
    return "; ".join([*lines[:5], *more])
