"""A conversation as `ask` reads it: messages of LangChain, or dicts with role and content."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import convert_to_messages

from state.asking import Turn
from tools.errors import InputError

SOURCES = "\n\nSources:\n"
"""What stands between the prose of an answer and its sources, in a message."""
CLOSEST = "\n\nClosest passages:\n"
"""What stands between a refusal and the sentences that are no answer, in a message."""
REFUSED = "The run was stopped:"
"""How a message begins that answers nothing."""
REMEMBERED = 6
"""Turns that a follow-up question may be about."""
_LONGEST = 1500


def last_question(question: str, messages: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return what is asked, and the messages before it.

    Raises:
        InputError: Nothing is asked.
    """
    if question.strip():
        last = _spoken(messages[-1]) if messages else ("", "")
        repeats = last[0] == "human" and last[1].strip() == question.strip()
        return question, list(messages[:-1] if repeats else messages)
    for place in range(len(messages) - 1, -1, -1):
        role, text = _spoken(messages[place])
        if role == "ai":  # what was asked before it has its answer
            break
        if role == "human" and text.strip():
            return text, list(messages[:place])
    raise InputError("there is no question: send `question`, or `messages` with one by role 'user'")


def turns(messages: Sequence[Any]) -> list[Turn]:
    """Return the latest questions with their answers, oldest first, without lists of sources and of what is near."""
    found: list[Turn] = []
    for message in messages:
        role, text = _spoken(message)
        text = text.partition(SOURCES)[0].partition(CLOSEST)[0].strip()[:_LONGEST]
        if role == "human" and text:
            found.append(Turn(question=text))
        elif role == "ai" and found:
            found[-1] = found[-1].model_copy(update={"answer": text})
    # What was refused says nothing of what the conversation is about.
    kept = [turn for turn in found if not turn.answer.startswith(REFUSED)]
    return kept[-REMEMBERED:]


def _spoken(message: Any) -> tuple[str, str]:
    """Return who speaks ('human', 'ai' or another) and the text; nothing of what is no message."""
    try:
        (made,) = convert_to_messages([message])
    except (ValueError, KeyError, TypeError, NotImplementedError):
        return "", ""
    return made.type, str(made.text)
