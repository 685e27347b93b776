"""Synthesize: answer from the first contexts, then update the answer with the further ones.

Reads `run`, `request`, `contexts`, `draft`, `folded`. Writes `draft`, `folded`. Each visit folds one
pack of contexts into the draft (LLM-Ref, section 3.3); the graph comes back until all are folded, so
that a run that was killed goes on behind the last pack. Question, paragraphs and answer are kept
within the model's window by counting tokens. Citation marks are not shown: which works a line rests
on is found by aligning it with its sources.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.ask_checked import ask_checked
from nodes.synthesize.choose_quotes import choose_quotes
from nodes.synthesize.packing import Piece, Room, Shown, fitting, room_of, show, stretches
from nodes.synthesize.shown_contexts import pieces_of, plain_prose
from state.request import Request
from state.run import Failure
from state.synthesis import SynthesizeState
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.llm.prompt import count_tokens
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.language import language, language_name
from tools.text.sentences import split_sentences
from tools.text.words import coverage, distinct_content_stems

STAGE = "synthesize_answer"
KEEPS = 0.5
"""Share of the former answer's content words below which an update has lost it."""
_TOLD = 0.5
"""The same of one of its sentences."""
_FROM_SOURCES = 0.3
"""Share of an answer's content words that its sources have, below which it is not from them."""
_LONG_WORDS = 12
"""Characters a word, on average, from which a text is in a script without spaces between words."""
_LOST = "the update lost more than half of the answer so far"
_TOO_LONG = "the answer grew larger than the model's window has room for"
_NOT_FROM_SOURCES = "the answer is not made of what the paragraphs say"
_AS_BEFORE = "the answer stands as it was before: these paragraphs were not taken in"
_STANDS_IN = "sentences of the sources, chosen without the model, stand in its place"

PROMPT = """\
You write a synthesis: connected prose that answers a question from paragraphs of research papers. The
paragraphs in `sources` are all you know, and what they do not say, you do not say. Write in the
language given, with the terms, the spelling and the sober tone of the sources; keep numbers, names
and hedges exactly. Bring together what several sources say of one thing, and say where they differ;
name a paper's authors only where the reader must know whose finding it is. Each sentence should rest
on one or two source sentences, so that it can be traced back to them. Leave out what does not bear on
the question. Plain paragraphs only: no headings, lists or citation marks, and no remarks on the task.

Without `answer_so_far` this is the first answer. With it, update that answer: add what the sources
bring that is new where it belongs, correct what they contradict, join what they repeat, and keep all
else that stands there. Never drop a statement because these sources do not mention it: it rests on
earlier ones. If they bring nothing new, return it as it is.

Stay below `most_words` words in all. Where the answer comes near that, say more tersely what it says
before you add to it. Where `faults` is given, an earlier attempt had these: this time have none of them.
If the sources do not answer the question and there is no answer so far, return no paragraph.
"""


class Synthesis(BaseModel):
    """The mind's answer, paragraph by paragraph."""

    paragraphs: list[str]


def extract(
    embedder: Embedder, *, question: str, sources: Sequence[Shown], answer_so_far: str = "",
    **_: object,
) -> Synthesis:  # fmt: skip
    """Add to the answer so far the sentences of the sources that answer best, as they stand."""
    return Synthesis(paragraphs=choose_quotes(embedder, question, sources, answer_so_far))


TASK = Task(
    name="synthesize_answer", prompt=PROMPT, answer=Synthesis, tier="strong", extract=extract,
    max_output_tokens=2400,
)  # fmt: skip


async def synthesize_answer(
    state: SynthesizeState, runtime: Runtime[RunContext]
) -> SynthesizeState:
    """Fold the next contexts into the draft; a pack that fails leaves the draft as it was."""
    services = open_services(runtime, state["run"])
    contexts, folded, draft = state["contexts"], state.get("folded", 0), state.get("draft", "")
    each = services.context.updates == "each"
    following = contexts[folded : folded + 1] if each else contexts[folded:]
    pieces, failures = await pieces_of(services, following)
    room = room_of(services.mind, TASK, _constant(state["request"]))
    packs, taken = await asyncio.to_thread(_packs, pieces, room, draft)
    for pack in packs:
        draft, failed = await _fold(services, state["request"], room, draft, pack)
        failures += failed
    folded = folded + (pieces[taken].place if taken < len(pieces) else len(following))
    services.progress(STAGE, folded, len(contexts), f"paragraphs, {len(draft.split())} words")
    failures = list(dict.fromkeys(failures))  # stretches of one paragraph fail alike
    return {"draft": draft, "folded": folded, "failures": failures}


def _constant(request: Request) -> dict[str, Any]:
    """Return the inputs that all questions of a run share."""
    return {"language": language_name(request.language), "question": request.text}


def _packs(pieces: Sequence[Piece], room: Room, draft: str) -> tuple[list[Sequence[Piece]], int]:
    """Return the packs of this visit, and how many pieces they are made of.

    One pack; where not even the first piece fits, its stretches, one after another.
    """
    if not pieces:
        return [], 0
    if count := fitting(pieces, room.beside(count_tokens(draft))):
        return [pieces[:count]], count
    return [[part] for part in stretches(pieces[0], room.beside(room.output))], 1


async def _fold(
    services: Services, request: Request, room: Room, draft: str, pack: Sequence[Piece]
) -> tuple[str, list[Failure]]:
    """Return the answer with these pieces taken in, or the draft as it was and why.

    Where there is no draft yet, sentences of the sources stand in for an answer that is none.
    """
    inputs: dict[str, Any] = {**_constant(request), "most_words": room.most_words}
    inputs |= {"sources": show(pack)} | ({"answer_so_far": draft} if draft else {})
    told = "\n".join([draft, *(piece.text for piece in pack)])

    async def faults(answer: Synthesis) -> list[str]:
        return await asyncio.to_thread(_faults, draft, plain_prose(answer.paragraphs), room, told)

    asked = await ask_checked(
        services.mind, replace(TASK, max_output_tokens=room.output), inputs, faults
    )
    made = await asyncio.to_thread(plain_prose, asked.answer.paragraphs if asked.answer else [])
    if asked.stands and not asked.error:
        return made, []
    cause = str(asked.error) if asked.error else asked.faults[0]
    if draft:
        return draft, [_failure(pack, cause, _AS_BEFORE)]
    if cause == _TOO_LONG:
        return await asyncio.to_thread(_cut, made, room.answer), []
    stand_in = await asyncio.to_thread(partial(extract, services.clients.embedder, **inputs))
    return "\n\n".join(stand_in.paragraphs), [_failure(pack, cause, _STANDS_IN)]


def _faults(draft: str, made: str, room: Room, told: str) -> list[str]:
    """Say what is wrong with an answer to what was told, within the room kept for that."""
    if draft and kept(draft, made) < KEEPS:
        found = [_LOST]
        told_before = [span.text for part in draft.split("\n\n") for span in split_sentences(part)]
        for sentence in (text for text in told_before if kept(text, made) < _TOLD):
            if sum(map(count_tokens, [*found, sentence])) > room.again:
                break
            found.append(f"it lost: {sentence}")
        return found
    if count_tokens(made) > room.answer:
        return [_TOO_LONG]
    if made and coverage(made, told) < _FROM_SOURCES and language(made) == language(told):
        return [_NOT_FROM_SOURCES]
    return []


def _cut(text: str, most: float) -> str:
    """Drop sentences from the end until the answer has room in the window."""
    while text and count_tokens(text) > most:
        before, _, last = text.rpartition("\n\n")
        shorter = " ".join(span.text for span in split_sentences(last)[:-1])
        text = f"{before}\n\n{shorter}" if shorter and before else shorter or before
    return text


def kept(former: str, text: str) -> float:
    """Return the share of the former text's content words that a text has, 0..1; 1 where it had none.

    In scripts without spaces pairs of characters stand for words.
    """
    if len(former) > _LONG_WORDS * len(former.split()):
        wanted = _pairs(former)
        return len(wanted & _pairs(text)) / len(wanted) if wanted else 1.0
    return coverage(former, text) if distinct_content_stems(former) else 1.0


def _pairs(text: str) -> set[str]:
    solid = "".join(char for char in text if char.isalnum())
    return {solid[place : place + 2] for place in range(len(solid) - 1)}


def _failure(pack: Sequence[Piece], cause: str, remedy: str) -> Failure:
    names = dict.fromkeys(piece.named for piece in pack)
    return Failure(stage=STAGE, subject="; ".join(names)[:300], cause=cause, remedy=remedy)
