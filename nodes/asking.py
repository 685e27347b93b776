"""Ask a person: one way for every question of a run; docs/people.md tells of them.

A node that asks is run again from its start when the answer comes, and so does nothing before it asks that
costs money or may come out otherwise.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from langgraph.types import interrupt
from pydantic import ValidationError

from state.questions import Answer, Asking, Question
from tools.errors import CiteLoomError, EndedError

ReadT = TypeVar("ReadT")
CLOSING = "Send nothing to go on as it is, or 'stop' to end the run here with what it has."
_FORM = 'send nothing, the edited text, or {"action": "accept"|"edit"|"stop", "text": ...}'


def is_due(asking: Asking, why: str) -> bool:
    """Whether a person is to be asked, where `why` is the reason to, if there is one."""
    return asking in {"on", True} or (asking == "auto" and bool(why))


async def ask(question: Question, read: Callable[[str], Awaitable[ReadT]]) -> ReadT | None:
    """Stop for a person; an answer that cannot be used is asked for again, with the reason.

    Args:
        question: What is asked; its proposal is what the run would do.
        read: Turns an edited proposal into what the run goes on with; its errors are told.

    Returns:
        What `read` made of the answer; None where the run goes on as proposed.

    Raises:
        EndedError: The person ends the run.
    """
    shown = question
    while True:
        given = interrupt(shown.model_dump(mode="json"))
        text = ""
        try:
            answer = Answer.model_validate(given)
            text = answer.text.strip()
            if answer.action == "stop":
                break
            if answer.action == "accept" or text in {"", question.proposal.strip()}:
                return None
            return await read(answer.text)
        except ValidationError:
            shown = shown.model_copy(update={"error": f"the answer cannot be read: {_FORM}"})
        except CiteLoomError as error:
            shown = shown.model_copy(update={"error": str(error), "proposal": text})
    raise EndedError(f"a person ended the run when asked about its {question.kind}")
