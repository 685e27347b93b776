"""What goes over the wire of the fake endpoint: the replies of a script, requests read back."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

RungName = Literal["json_schema", "tools", "json_object", "text"]
Shown = Literal["field", "tags", "parts", "hidden"]
"""Where thoughts stand in an answer."""
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
class Thought:
    """Another reply after so many tokens of thinking, which the output limit counts.

    The thoughts stand where servers put them: in a field beside the content ('field'), before the
    answer ('tags'), as a part of the content ('parts'), or nowhere ('hidden', and only then does
    usage tell how many there were). What goes beyond the limit is cut off.
    """

    tokens: int
    shown: Shown
    reply: "Answer"


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
Reply: TypeAlias = Answer | Text | Thought | Refusal | Status | Body | Hang | Cut | Slow
Script: TypeAlias = Callable[[dict[str, Any]], Reply]


# --- Reading requests -----------------------------------------------------------------------


def inputs_of(request: dict[str, Any]) -> dict[str, object]:
    """Return the fenced inputs of a conversation by name, parsed where they are JSON; later ones count.

    The text that was answered first, of which later questions are, is its `section`.
    """
    told = [item["content"] for item in request["messages"] if item["role"] == "user"]
    found = [item for content in told for item in _FENCE.findall(content)]
    before = [
        _parsed(item["content"]) for item in request["messages"] if item["role"] == "assistant"
    ]
    texts = [one["text"] for one in before if isinstance(one, dict) and "text" in one]
    section = {"section": texts[0]} if texts else {}
    return {**section, **{name: _parsed(content) for name, _, content in found}}


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
    told = next(
        filter(
            None,
            (_TOLD_SCHEMA.search(str(item["content"])) for item in reversed(request["messages"])),
        ),
        None,
    )
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


def thinking(tokens: int, shown: Shown, script: Script) -> Script:
    """Return a script that answers as `script` does, after thinking."""

    def answer(request: dict[str, Any]) -> Reply:
        reply = script(request)
        thinks = tokens and isinstance(reply, dict | list | BaseModel)
        return Thought(tokens, shown, reply) if thinks else reply  # type: ignore[arg-type]

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
        given_as = reply.reply if isinstance(reply, Thought) else reply
        plain = given_as.model_dump(mode="json") if isinstance(given_as, BaseModel) else given_as
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
    if isinstance(reply, Thought):
        tokens = _think(reply, request, body["choices"][0])
    if counted:
        given = sum(len(str(item["content"])) for item in request["messages"]) // 4
        made = len(json.dumps(message)) // 4 if tokens is None else tokens
        body["usage"] = {
            "prompt_tokens": given,
            "completion_tokens": made,
            "total_tokens": given + made,
        }
        if isinstance(reply, Thought) and reply.shown == "hidden":
            body["usage"]["completion_tokens_details"] = {
                "reasoning_tokens": min(reply.tokens, made)
            }
    return body


def _think(reply: Thought, request: dict[str, Any], choice: dict[str, Any]) -> int:
    """Put thoughts before the answer and cut both at the limit; return the output tokens."""
    limit = request.get("max_tokens") or request.get("max_completion_tokens") or 10**9
    thoughts = "hmm " * min(reply.tokens, limit)
    message = choice["message"]
    call = message["tool_calls"][0]["function"] if message.get("tool_calls") else None
    text = call["arguments"] if call else message["content"]
    made = reply.tokens + len(text) // 4 + 1
    answer = text[: 4 * max(limit - reply.tokens, 0)]
    if made > limit:
        choice["finish_reason"] = "length"
    if call and answer:
        call["arguments"] = answer
    elif call:
        del message["tool_calls"]
    if reply.shown == "field":
        message["reasoning_content"] = message["reasoning"] = thoughts
    elif reply.shown == "tags":
        answer = f"<think>{thoughts}" + (f"</think>\n{answer}" if reply.tokens < limit else "")
    if not call or reply.shown == "tags":
        message["content"] = answer or None
    if reply.shown == "parts" and not call:
        thinks = {"type": "thinking", "thinking": [{"type": "text", "text": thoughts}]}
        message["content"] = [thinks, *([{"type": "text", "text": answer}] if answer else [])]
    return min(made, limit)
