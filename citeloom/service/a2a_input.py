"""What an A2A message asks for: the skill, the graph's input, the settings of the run."""

import json
from base64 import b64encode
from typing import Any, cast, get_args

from a2a.helpers import get_data_parts, get_message_text
from a2a.types import Message

from citeloom.service.a2a_cards import TAKE_FILES
from graphs.calling import check_names
from state.run import GraphName
from tools.errors import InputError

DEFAULT: GraphName = "review"
"""The skill of a message to the whole service that names none."""
_TEXT = {
    "ask": "question",
    "synthesize": "question",
    "screen": "question",
    "revise": "instruction",
    "ingest": "",
    "table": "questions",
}
"""The field of a graph's input that the text of a message is, where it is not `text`."""


def asked_for(
    message: Message, graph: GraphName | None
) -> tuple[GraphName, dict[str, Any], dict[str, Any]]:
    """Return which graph a message is for, its input, and the settings of the run.

    Args:
        message: As it was sent.
        graph: The graph of the agent that it was sent to; None for the whole service, to which a message
            names its `skill` in its data.

    Raises:
        InputError: A part cannot be used; the text says what can.
    """
    inputs = _data(message)
    skill = str(inputs.pop("skill", graph or DEFAULT))
    skills = [graph] if graph else list(get_args(GraphName))
    if skill not in skills:
        raise InputError(f"there is no skill '{skill}' here: choose one of {', '.join(skills)}")
    chosen = cast(GraphName, skill)
    settings = inputs.pop("settings", {})
    if not isinstance(settings, dict):
        raise InputError("`settings` must be an object with settings of the run")
    check_names(chosen, inputs, settings)
    if uploads := _files(message):
        if chosen not in TAKE_FILES:
            raise InputError(f"{chosen} takes no files; {' and '.join(sorted(TAKE_FILES))} do")
        inputs["uploads"] = [*inputs.get("uploads", ()), *uploads]
    field, text = _TEXT.get(chosen, "text"), get_message_text(message)
    if field and text:
        inputs[field] = [text] if field == "questions" else text
    return chosen, inputs, settings


def _data(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for data in get_data_parts(message.parts):
        if not isinstance(data, dict):
            raise InputError("data must be an object with fields of the input")
        found |= json.loads(json.dumps(data), parse_float=_number)
    return {name: value for name, value in found.items() if value is not None}


def _number(text: str) -> int | float:
    """Return a number as it was meant: protobuf knows no integers."""
    value = float(text)
    return int(value) if value.is_integer() else value


def _files(message: Message) -> list[dict[str, str]]:
    uploads = []
    for part in message.parts:
        if part.WhichOneof("content") == "url":
            raise InputError(
                "send files with their content, not by address: CiteLoom fetches nothing"
            )
        if part.WhichOneof("content") == "raw":
            content = b64encode(part.raw).decode()
            uploads.append({"name": part.filename, "content": content, "encoding": "base64"})
    return uploads
