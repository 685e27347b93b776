"""Take the question: check what was sent, read the conversation, and find in it what the question is about.

Reads the input of `ask`. Writes `run`, `request`, `wanted`, `history`, `standalone`, `messages`, `stop`,
and resets what an earlier question on the same thread has left.
"""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages

from nodes.common.check_input import check_date, check_language, parse_input, refusing
from state.ask import AskState, CitedPaper, ConversationTurn, PassageConditions
from state.inputs import AskInput, CheckedRequest, LibraryPapers
from state.reducers import begin_run
from tools.errors import PROGRAM, InputError
from tools.run_settings import check_settings, route_options_of
from tools.services import NodeRuntime, Services, open_services
from tools.text.words import question_language, tokens

STAGE = "take_question"
SOURCES = "\n\nSources:\n"
"""What stands between the prose of an answer and its sources, in a message."""
CLOSEST = "\n\nClosest passages:\n"
"""What stands between a refusal and the sentences that are no answer, in a message."""
REFUSED = "No answer:"
"""How a message begins that answers nothing."""
STOPPED = "The run stopped:"
"""What stands between the part of an answer and why there is no more."""
REMEMBERED = 6
"""Turns that a follow-up question may be about."""
_LONGEST = 1500
MOST_QUESTION_CHARACTERS = 2000


async def take_question(state: AskState, runtime: NodeRuntime) -> AskState:
    """Check the question and the library; an error becomes `stop`, for a person to read."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, wanted, history = (
        CheckedRequest(text="", kind="question"),
        PassageConditions(),
        list[ConversationTurn](),
    )
    messages: list[AnyMessage] = []
    referents = _cited(state) or state.get("referents", [])
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(AskInput, state)
        question, earlier = last_question(sent.question, sent.messages)
        if sent.question.strip() and len(earlier) == len(sent.messages):
            messages = [HumanMessage(question)]
        history = conversation_turns(earlier)
        if history and referents:
            history[-1] = history[-1].model_copy(update={"papers": tuple(referents)})
        request = await _request(question, sent, composes=services.mind.composes)
        wanted = await check_conditions(sent, services)
    return begin_run(
        AskState,
        settings=route_options_of(services.context),
        run=run,
        request=request,
        referents=referents,
        wanted=wanted,
        history=history,
        standalone=request.text,
        messages=messages,
        stop=next(iter(stopped), None),
        failures=stopped,
    )


def _cited(state: AskState) -> list[CitedPaper]:
    """Return the papers of the thread's last answer, in the order in which it cited them."""
    papers = {key: paper for paper in state.get("cited", []) for key in (paper.id, *paper.aliases)}
    told = [papers[claim.paper] for claim in state.get("claims", []) if claim.paper in papers]
    return [
        CitedPaper(id=paper.id, title=paper.title, citation=paper.citation)
        for paper in {paper.id: paper for paper in told}.values()
    ]


def question_text(question: str) -> str:
    """Return a question with its white space folded.

    Raises:
        InputError: It is empty, too long, or no text.
    """
    text = " ".join(question.split())
    if "\x00" in text:
        raise InputError("the question is not text (it looks like a binary file)")
    if len(text) > MOST_QUESTION_CHARACTERS:
        raise InputError(
            f"the question has {len(text):,} characters; the maximum is {MOST_QUESTION_CHARACTERS:,}: "
            "ask one question; for an abstract use `find` or `review`"
        )
    if not tokens(text):
        raise InputError('no question: ask one, such as "How does RAG choose passages?"')
    return text


async def _request(question: str, sent: AskInput, *, composes: bool) -> CheckedRequest:
    text = question_text(question)
    code, notes = await check_language(text, composes=composes, told_by=question_language)
    return CheckedRequest(
        text=text,
        kind="question",
        language=code,
        library=sent.library,
        notes=notes,
        before=check_date(sent.before),
    )


async def check_conditions(sent: LibraryPapers, services: Services) -> PassageConditions:
    """Return the conditions, with papers by their canonical ids.

    Raises:
        InputError: The library does not have one of the papers, or the years are in the wrong order.
        LibraryError: There is no such library.
    """
    if None not in (sent.first_year, sent.last_year) and sent.first_year > sent.last_year:  # type: ignore[operator]
        raise InputError(
            f"the years {sent.first_year} to {sent.last_year} are in the wrong order: give "
            "the first year first"
        )
    papers = await papers_by_id(services, sent.library, sent.papers)
    return PassageConditions(
        papers=tuple(papers),
        first_year=sent.first_year,
        last_year=sent.last_year,
        before=check_date(sent.before),
        tags=tuple(dict.fromkeys(sent.tags)),
    )


async def papers_by_id(services: Services, name: str, ids: Sequence[str]) -> list[str]:
    """Return papers of a library by their canonical ids, each once.

    Raises:
        InputError: The library does not have one of them.
        LibraryError: There is no such library.
    """
    found = await asyncio.to_thread((await services.library(name)).get, list(ids))
    if unknown := [raw for raw in ids if raw not in found]:
        raise InputError(
            f"library '{name}' does not have {', '.join(unknown[:5])}: find ids with "
            f"`{PROGRAM} library search {name} WORDS`, or add the paper with `{PROGRAM} "
            "library add`"
        )
    return list(dict.fromkeys(found[raw].id for raw in ids))


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
    raise InputError("no question: send `question`, or `messages` with one by role 'user'")


def conversation_turns(messages: Sequence[Any]) -> list[ConversationTurn]:
    """Return the latest questions with their answers, oldest first, without lists of sources and of what is near."""
    found: list[ConversationTurn] = []
    for message in messages:
        role, text = _spoken(message)
        text = text.partition(SOURCES)[0].partition(CLOSEST)[0].strip()[:_LONGEST]
        if role == "human" and text:
            found.append(ConversationTurn(question=text))
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
