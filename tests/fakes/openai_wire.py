"""What goes over the wire of the fake endpoint: the replies of a script, requests read back."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

RungName = Literal["json_schema", "tools", "json_object", "text"]
_FENCE = re.compile(r"<(\w+)-([0-9a-f]{16,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
_TOLD_SCHEMA = re.compile(r"JSON schema:\n(\{.*\})", re.DOTALL)


# --- Replies --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """The message's content as it is; `finish` is its finish_reason."""

    content: str | None
    finish: str = "stop"
    usage: bool = True
    tokens: int | None = None
    """Output tokens to report; None estimates them."""


@dataclass(frozen=True)
class Refusal:
    """A refusal in the field that OpenAI has for it."""

    words: str = "I cannot help with that."


@dataclass(frozen=True)
class Status:
    """An error status with an OpenAI-like body."""

    code: int
    message: str = "something is wrong"
    error_code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Body:
    """Any body with status 200."""

    content: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """No answer for this long; then a 503."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Cut:
    """A body that ends before its announced length."""


@dataclass(frozen=True)
class Slow:
    """Another reply after a while."""

    seconds: float
    reply: "Reply"


HTML = Body(b"<!DOCTYPE html><html><body>Welcome</body></html>", "text/html")
NO_CHOICES = Body(b'{"id": "x", "object": "chat.completion", "model": "m", "choices": []}')

Answer: TypeAlias = dict[str, Any] | list[Any] | BaseModel
Reply: TypeAlias = Answer | Text | Refusal | Status | Body | Hang | Cut | Slow
Script: TypeAlias = Callable[[dict[str, Any]], Reply]


# --- Reading requests -----------------------------------------------------------------------


def inputs_of(request: dict[str, Any]) -> dict[str, object]:
    """Return the fenced inputs by name, parsed where they are JSON."""
    message = next(item for item in request["messages"] if item["role"] == "user")
    return {name: _parsed(content) for name, _, content in _FENCE.findall(message["content"])}


def task_of(request: dict[str, Any]) -> str:
    """Return the task's name on any rung, or '' for a request that asks for no JSON."""
    return str(schema_of(request).get("title", ""))


def schema_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the schema the request asks for, or {}."""
    rung = rung_of(request)
    if rung == "json_schema":
        schema: dict[str, Any] = request["response_format"]["json_schema"]["schema"]
        return {**schema, "title": request["response_format"]["json_schema"]["name"]}
    if rung == "tools":
        function = request["tools"][0]["function"]
        return {**function["parameters"], "title": function["name"]}
    if rung == "json_object" and "schema" in request["response_format"]:
        found: dict[str, Any] = request["response_format"]["schema"]
        return found
    told = _TOLD_SCHEMA.search(str(request["messages"][0]["content"]))
    return dict(json.loads(told[1])) if told else {}


def rung_of(request: dict[str, Any]) -> RungName:
    """Return how the request asks for JSON."""
    if request.get("tools"):
        return "tools"
    kind = request.get("response_format", {}).get("type", "text")
    return kind if kind in {"json_schema", "json_object"} else "text"


def rejecting(*rungs: RungName, script: Script, status: int = 400) -> Script:
    """Return a script that rejects these rungs, each by its name, and else does as `script`."""
    names = {"json_schema": "response_format", "json_object": "response_format", "tools": "tools"}

    def answer(request: dict[str, Any]) -> Reply:
        rung = rung_of(request)
        if rung in rungs:
            return Status(status, f"'{names[rung]}' of type '{rung}' is not supported")
        return script(request)

    return answer


def _parsed(content: str) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return content


def completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Return the chat completion that carries a reply in the form the request asks for."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    finish, counted, tokens = "stop", True, None
    if isinstance(reply, Refusal):
        message["refusal"] = reply.words
    elif isinstance(reply, Text):
        message["content"], finish, counted = reply.content, reply.finish, reply.usage
        tokens = reply.tokens
    else:
        plain = reply.model_dump(mode="json") if isinstance(reply, BaseModel) else reply
        text = json.dumps(plain, ensure_ascii=False)
        if rung_of(request) == "tools":
            call = {"name": request["tools"][0]["function"]["name"], "arguments": text}
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
            finish = "tool_calls"
        else:
            message["content"] = text
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if counted:
        given = sum(len(str(item["content"])) for item in request["messages"]) // 4
        made = len(json.dumps(message)) // 4 if tokens is None else tokens
        body["usage"] = {
            "prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made
        }  # fmt: skip
    return body
