"""JSON out of an endpoint: the ways to ask for it, and its answers read.

SCHEMA   response_format json_schema, strict
TOOL     a forced function call
GRAMMAR  response_format json_object with the schema in it (llama.cpp turns it into a grammar)
TEXT     the schema in the message, plain JSON in the answer

What was learnt of an endpoint's manners is kept for the process. Output limits have a ladder too: a model
that thinks takes its thoughts out of the limit, so an answer that they cut is asked for again with more
room beside it.
"""

import json
import re
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from tools.http.response_errors import says
from tools.llm.task import AnswerT, cleaned_json
from tools.settings import Settings

_UNSUPPORTED_STRICT = frozenset({"default", "title", "minLength", "maxLength"})
"""Keywords that strict modes reject or that say nothing; the answer is validated here anyway."""


@dataclass(frozen=True)
class SchemaForms:
    """One answer's JSON schema."""

    name: str
    plain: dict[str, Any]
    strict: dict[str, Any]
    """All fields required, none beside them, as strict structured output demands."""
    text: str
    """`plain` as compact JSON."""


@cache
def schema_forms(answer: type[BaseModel], name: str) -> SchemaForms:
    """Return the schema of `answer`, titled `name`. Imports the OpenAI SDK: call it in a thread."""
    from openai import pydantic_function_tool

    plain = {**_without(answer.model_json_schema(), frozenset({"title"})), "title": name}
    tool: Any = pydantic_function_tool(answer, name=name)
    strict = {**_without(tool["function"]["parameters"], _UNSUPPORTED_STRICT), "title": name}
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return SchemaForms(name=name, plain=plain, strict=strict, text=text)


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


OPENAI_URL = "https://api.openai.com/v1"


def url_of(settings: Settings) -> str:
    """Return the endpoint's address."""
    return (settings.llm_base_url or OPENAI_URL).rstrip("/")


class OutputMode(IntEnum):
    """A way to get JSON, the most reliable first."""

    SCHEMA = 0
    TOOL = 1
    GRAMMAR = 2
    TEXT = 3


_FORMAT = (
    "response_format",
    "responseformat",
    "json_schema",
    "json_object",
    "structured",
    "schema",
    "grammar",
    "guided",
    "requested param",
)
_TOOLS = ("tool", "function", "requested param")
_SHORT_OF = {OutputMode.SCHEMA: _FORMAT, OutputMode.TOOL: _TOOLS, OutputMode.GRAMMAR: _FORMAT}
_IN_CRASH = (*_FORMAT[:4], "tool_choice", "tools", "grammar")
_BAD_SCHEMA = re.compile(
    r"invalid.{0,20}schema|unsupported schema|schema.{0,80}(not permitted|unsupported)", re.I | re.S
)
_LIMIT_NAME = re.compile(
    r"max_tokens.{0,80}(unsupported|not supported|max_completion_tokens)", re.I | re.S
)
_TOO_LARGE = re.compile(
    r"max_(?:completion_|output_|new_)?tokens.{0,120}"
    r"(?:too (?:large|high)|at most|less than|maximum|range|exceed|>)",
    re.I | re.S,
)
_WINDOW = re.compile(r"context[_ ](?:length|window|size)\D{0,30}(\d{3,})", re.I)
_LEAST_MOST = 512
"""A smaller number in an endpoint's words is no output limit of a model: a status, say."""

_TEMPERATURE = re.compile(
    r"temperature.{0,80}(not support|unsupported|only|default|deprecated)"
    r"|(not support|unsupported|only).{0,40}temperature",
    re.I | re.S,
)
_REFUSALS = {
    "max_tokens": _LIMIT_NAME,
    "temperature": _TEMPERATURE,
    "reasoning_effort": re.compile(r"reasoning[_. ]?effort", re.I),
}
"""What a request may do without, or under another name, and how an endpoint says so."""

LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
ROOMS = (0, 4_000, 16_000, 48_000)
"""Tokens for thinking beside an answer: each is tried after an answer was cut at the one before."""
_UNKNOWN = 1_000_000_000


@dataclass
class EndpointBehaviour:
    """What one model at one endpoint understands, as far as this process has seen."""

    refused: set[str] = field(default_factory=set)
    """Names of _REFUSALS that it does not take."""
    most: int = _UNKNOWN
    """The largest output limit it takes."""
    window: int = _UNKNOWN
    thinking: int = 0
    """The room that it needs beside its answers: one of ROOMS."""
    rung: OutputMode = OutputMode.SCHEMA
    by_task: dict[str, OutputMode] = field(default_factory=dict)
    ratio: float = 1.0
    """The highest ratio of real to estimated input tokens, never below 1."""

    def rung_for(self, task: str) -> OutputMode:
        """Return the rung to stand on for a task."""
        return max(self.rung, self.by_task.get(task, OutputMode.SCHEMA))

    def lower(self, below: OutputMode, task: str, *, only_task: bool = False) -> None:
        """Go to the rung under `below`, where a call at the same time has not gone there already."""
        rung = OutputMode(min(below + 1, OutputMode.TEXT))
        if only_task:
            self.by_task[task] = max(rung, self.by_task.get(task, OutputMode.SCHEMA))
        else:
            self.rung = max(rung, self.rung)

    def widen(self, room: int) -> None:
        """Learn that thinking took more than `room`."""
        self.thinking = max(
            self.thinking, min((wider for wider in ROOMS if wider > room), default=0)
        )

    def adapt(
        self, status: int, text: str, rung: OutputMode, task: str, body: dict[str, Any]
    ) -> bool:
        """Learn from a rejected request; True when another form of it is worth sending."""
        if status not in {400, 404, 422, 500, 501}:
            return False
        if found := _WINDOW.search(text):
            known, self.window = self.window, min(self.window, int(found[1]))
            return self.window < known
        if _TOO_LARGE.search(text) and self._lower_limit(text, body):
            return True
        for name, pattern in _REFUSALS.items():
            if status < 500 and name in body and pattern.search(text):
                self.refused.add(name)
                return True
        named = _SHORT_OF.get(rung)
        if named is None or not says(text, _IN_CRASH if status >= 500 else named):
            return False
        self.lower(rung, task, only_task=_BAD_SCHEMA.search(text) is not None)
        return True

    def basics(self, limit: int, temperature: float, effort: str | None) -> dict[str, Any]:
        """Return the output limit and, where they are understood, temperature and effort."""
        said = {
            LIMIT_NAMES["max_tokens" in self.refused]: limit,
            "temperature": temperature,
            "reasoning_effort": effort,
        }
        return {
            name: value
            for name, value in said.items()
            if value is not None and name not in self.refused
        }

    def _lower_limit(self, text: str, body: dict[str, Any]) -> bool:
        """Learn the largest output limit from the words that reject a larger one."""
        sent = max(body.get(name, 0) for name in LIMIT_NAMES)
        named = map(int, re.findall(r"\d+", text.replace(",", "")))
        lower = max((number for number in named if _LEAST_MOST <= number < sent), default=0)
        self.most = lower or self.most
        return bool(lower)


def form_of(rung: OutputMode, shapes: SchemaForms) -> dict[str, Any]:
    """Return what a request on this rung holds to say the answer's shape."""
    if rung is OutputMode.SCHEMA:
        schema = {"name": shapes.name, "schema": shapes.strict, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if rung is OutputMode.TOOL:
        function = {
            "name": shapes.name,
            "description": "Give the answer.",
            "parameters": shapes.plain,
        }
        choice = {"type": "function", "function": {"name": shapes.name}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    if rung is OutputMode.GRAMMAR:
        return {"response_format": {"type": "json_object", "schema": shapes.plain}}
    return {}


_dialects: dict[tuple[str, str], EndpointBehaviour] = {}


def endpoint_behaviour(url: str, model: str) -> EndpointBehaviour:
    """Return what is known of a model at an endpoint; the process remembers it."""
    fresh = EndpointBehaviour(refused={"max_tokens"} if url == OPENAI_URL else set())
    return _dialects.setdefault((url, model), fresh)


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
    seen = raw.strip() if raw.lstrip().startswith("{") else without_thoughts(raw)
    if not seen:
        raise UnusableAnswerError("the answer was empty", shaped=False)
    found = _objects(seen)
    if not found:
        raise UnusableAnswerError("the answer held no JSON object", shaped=False)
    reason, shaped = "", False
    for item in reversed([item for item in found if item] or found):
        text = json.dumps(cleaned_json(item), ensure_ascii=False)
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


def parse_cached_answer(schema: type[AnswerT], text: str) -> AnswerT | None:
    """Read a kept answer again; None when the schema's own checks have changed since."""
    try:
        return schema.model_validate_json(text)
    except ValidationError:
        return None


def without_thoughts(raw: str) -> str:
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
