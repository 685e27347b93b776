"""Synthesize: answer from the first contexts, then update the answer with the further ones.

Reads `run`, `request`, `contexts`, `draft`, `folded`. Writes `draft`, `folded`. Each visit folds one
pack of contexts into the draft (LLM-Ref, section 3.3); the graph comes back until all are folded, so
that a run that was killed goes on behind the last pack. Question, paragraphs and answer are kept
within the model's window by counting tokens. There are four questions: for a first answer, for an update
of it, for putting back what an update has lost, and for shortening what became too long. Citation
marks are not shown: which works a line rests on is found by aligning it with its sources.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from nodes.common.ask_model import TOO_LARGE, ask_with_check
from nodes.synthesize.shown_contexts import (
    ContextPiece,
    ShownPaper,
    TokenBudget,
    fitting,
    load_context_pieces,
    plain_prose,
    show,
    token_budget,
)
from state.inputs import CheckedRequest
from state.run import Failure
from state.synthesis import SynthesizeState
from tools.embed.embedder import Embedder
from tools.llm.task import Task, count_tokens
from tools.services import NodeRuntime, Services, open_services
from tools.text.answer_sentences import AnswerSource, rate_sentences
from tools.text.quotable import is_whole, quote_with_names
from tools.text.words import (
    SAME,
    distinct_content_stems,
    language,
    language_name,
    resemblance,
    share_of_stems,
    split_sentences,
)

STAGE = "synthesize_answer"
MOST = 12
"""Passages of a synthesis."""
_LEAST, _NEAR_BEST = 0.4, 0.5
"""Value, and share of the best passage's value, from which a passage is told."""
_PARTS = re.compile(r"\?\s+|,?\s+and\s+")
MIN_WORDS_KEPT = 0.5
"""Share of the former answer's content words, or a sentence's, below which an update has lost it."""
_FROM_SOURCES = 0.3
"""Share of an answer's content words that its sources have, below which it is not from them."""
_LONG_WORDS = 12
"""Characters a word, on average, from which a text is in a script without spaces between words."""
_LOST = "the update lost more than half of the answer so far"
_NOT_FROM_SOURCES = "the answer does not use the paragraphs"
_AS_BEFORE = "the answer is unchanged: it does not use these paragraphs"
_NOT_TAKEN = "CiteLoom skipped it; a larger window would fit it (CITELOOM_LLM_CONTEXT_TOKENS)"
_STANDS_IN = "CiteLoom shows sentences of the sources instead, chosen without the model"
_WRITE = """\
You write a synthesis: connected prose that answers `question` from paragraphs of research papers.
`sources` gives them by paper: its title, how a sentence names its authors, and the paragraphs, in which
"we" are these authors.

- The paragraphs are all you know; what they do not say, you do not say. Each sentence is held against
  them afterwards, and one that they do not bear out is left out.
- Begin with the answer as a whole. Then go by what the question asks for, a paragraph for each part, not
  by paper: bring together what several papers say of one thing, say in what they differ, and
  what one of them says is still open.
- A sentence may sum up or compare several papers, as far as what they say bears it out. Name the authors
  where the reader must know whose method or finding it is: what a paper tells of others is theirs.
- Sentences of 12 to 35 words, in `language` (name or code), in the terms, spelling and sober tone of the sources,
  with their numbers, names and hedges exactly as they are. Each says something: none that only
  announces the next, such as "The methods differ."
- Leave out what does not bear on the question. Stay below `most_words` words in all. Plain
  paragraphs only: no headings, lists or citation marks, and no remarks on the task.

Example: to "Do hives on roofs survive the winter?" Ruiz has "On roofs we lost 12% of the hives." and Tanaka
and Bell have "Of 60 hives in meadows, most of them in wind, 31% died." A good beginning is "Fewer hives
died in winter on roofs, 12% by Ruiz's count, than the 31% that Tanaka and Bell report from
meadows, where most stood in wind." Not "Roofs shelter hives from wind.", which neither says.
"""
_FIRST = """
If the paragraphs do not answer the question, return no paragraph.
"""
_AGAIN = """
`answer_so_far` is the answer from earlier paragraphs, which you do not see again. Return it updated:
add what these bring that is new where it belongs, correct what they contradict, and join what
they repeat. All else stays, for it rests on the earlier paragraphs: never drop a statement because these do
not mention it. Where the answer is near `most_words` already, say more tersely what it says before
you add to it. If these paragraphs bring nothing new, return it as it is.
"""
_RESTORE = """\
An answer to `question` was updated, and on the way statements of the former answer were lost. `text` is
the update; `lost` are sentences of the former answer whose statements it should still make.
Return the text with each of them put where it belongs, in its own words, unless the text says it
already or says that it is wrong. Change nothing else, add nothing of your own, and stay below
`most_words` words in all. Plain paragraphs only, without remarks on the task.
"""
_SHORTEN = """\
`text` is an answer to `question` and too long. Say it in less than `most_words` words: join
sentences that say the same, say tersely what is said at length, and then drop what bears least on the
question. What stays keeps its order, its numbers, names and hedges; nothing is added, and no statement
comes to say more than it did. Plain paragraphs only, without remarks on the task.
"""


class Synthesis(BaseModel):
    """The mind's answer, paragraph by paragraph."""

    paragraphs: list[str]


def extract(
    embedder: Embedder,
    *,
    question: str,
    sources: Sequence[ShownPaper] = (),
    answer_so_far: str = "",
    text: str = "",
    **_: object,
) -> Synthesis:
    """Add to the answer so far the sentences of the sources that answer best, as they stand."""
    told = choose_quotes(embedder, question, sources, answer_so_far) if sources else [text]
    return Synthesis(paragraphs=told)


def _task(name: str, prompt: str) -> Task[Synthesis]:
    return Task(
        name=name,
        prompt=prompt,
        answer=Synthesis,
        tier="strong",
        extract=extract,
        max_output_tokens=2400,
    )


FIRST = _task("synthesize_answer", _WRITE + _FIRST)
UPDATE = _task("update_answer", _WRITE + _AGAIN)
RESTORE = _task("restore_answer", _RESTORE)
SHORTEN = _task("shorten_answer", _SHORTEN)


async def synthesize_answer(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Fold the next contexts into the draft; a pack that fails leaves the draft as it was."""
    services = open_services(runtime, state["run"])
    contexts, folded, draft = state["contexts"], state.get("folded", 0), state.get("draft", "")
    each = services.context.updates == "each"
    following = contexts[folded : folded + 1] if each else contexts[folded:]
    pieces, failures = await load_context_pieces(services, following)
    room = token_budget(services.mind, UPDATE, _constant(state["request"]))
    count = await asyncio.to_thread(fitting, pieces, room.beside(count_tokens(draft)))
    if count or (pieces and room.whole <= 0):  # the mind tells of a window without any room
        pack = pieces[: max(count, 1)]
        draft, failed = await _fold(services, state["request"], room, draft, pack)
        failures += failed
    elif pieces:
        failures.append(_failure(pieces[:1], TOO_LARGE, _NOT_TAKEN))
    taken = max(count, 1)
    folded = folded + (pieces[taken].place if taken < len(pieces) else len(following))
    services.progress(STAGE, folded, len(contexts), f"paragraphs, {len(draft.split())} words")
    return {"draft": draft, "folded": folded, "failures": failures}


def _constant(request: CheckedRequest) -> dict[str, Any]:
    """Return the inputs that all questions of a run share."""
    return {"language": language_name(request.language), "question": request.text}


async def _fold(
    services: Services,
    request: CheckedRequest,
    room: TokenBudget,
    draft: str,
    pack: Sequence[ContextPiece],
) -> tuple[str, list[Failure]]:
    """Return the answer with these pieces taken in, or the draft as it was and why.

    Where there is no draft yet, sentences of the sources stand in for an answer that is none.
    """
    fixed = {"question": request.text, "most_words": room.most_words}
    inputs: dict[str, Any] = {**_constant(request), **fixed, "sources": show(pack)}
    if draft:
        made, cause = await _ask(services, UPDATE, room, {**inputs, "answer_so_far": draft})
    else:
        made, cause = await _ask(services, FIRST, room, inputs)
    if not cause and (lost := await asyncio.to_thread(_lost, draft, made)):
        made, cause = await _ask(services, RESTORE, room, {**fixed, "text": made, "lost": lost})
    if not cause and count_tokens(made) > room.answer:
        shorter, _ = await _ask(services, SHORTEN, room, {**fixed, "text": made})
        made = shorter or made
    told = "\n".join([draft, *(piece.text for piece in pack)])
    cause = cause or await asyncio.to_thread(_fault, draft, made, told)
    if not cause:
        return await asyncio.to_thread(_cut, made, room.answer), []
    if draft:
        return draft, [_failure(pack, cause, _AS_BEFORE)]
    stand_in = await asyncio.to_thread(partial(extract, services.clients.embedder, **inputs))
    return "\n\n".join(stand_in.paragraphs), [_failure(pack, cause, _STANDS_IN)]


async def _ask(
    services: Services, task: Task[Synthesis], room: TokenBudget, inputs: dict[str, Any]
) -> tuple[str, str]:
    """Return the prose that a mind answers with, and why there is none."""
    asked = await ask_with_check(
        services.mind, replace(task, max_output_tokens=room.output), inputs
    )
    paragraphs = asked.answer.paragraphs if asked.answer else []
    return await asyncio.to_thread(plain_prose, paragraphs), str(asked.error or "")


def _lost(draft: str, made: str) -> list[str]:
    """Return the sentences that an update has lost; none where it has kept most of the answer."""
    told = [span.text for part in draft.split("\n\n") for span in split_sentences(part)]
    return (
        [text for text in told if kept(text, made) < MIN_WORDS_KEPT]
        if kept(draft, made) < MIN_WORDS_KEPT
        else []
    )


def _fault(draft: str, made: str, told: str) -> str:
    """Say why an answer to what was told cannot stand; empty where it can."""
    if draft and kept(draft, made) < MIN_WORDS_KEPT:
        return _LOST
    strange = (
        made and share_of_stems(made, told) < _FROM_SOURCES and language(made) == language(told)
    )
    return _NOT_FROM_SOURCES if strange else ""


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
    return share_of_stems(former, text) if distinct_content_stems(former) else 1.0


def _pairs(text: str) -> set[str]:
    solid = "".join(char for char in text if char.isalnum())
    return {solid[place : place + 2] for place in range(len(solid) - 1)}


def _failure(pack: Sequence[ContextPiece], cause: str, remedy: str) -> Failure:
    subject = "; ".join(dict.fromkeys(piece.named for piece in pack))[:300]
    return Failure(stage=STAGE, subject=subject, cause=cause, remedy=remedy, lost=True)


def choose_quotes(
    embedder: Embedder, question: str, sources: Sequence[ShownPaper], answer_so_far: str = ""
) -> list[str]:
    """Return the paragraphs of an answer: what it has so far, then what is new, one for each part and paper.

    CPU-bound: it embeds.
    """
    told = list(filter(None, answer_so_far.split("\n\n")))
    said = [line for part in told for line in part.split("” ")]
    read = [AnswerSource(text, source.title) for source in sources for text in source.paragraphs]
    owners = [source for source in sources for _ in source.paragraphs]
    parts = [part for part in _PARTS.split(question) if len(part.split()) > 1] or [question]
    rated = [rate_sentences(embedder, part, read) for part in parts]
    best = max((item.value for found in rated for item in found[:1]), default=0.0)
    least = max(_LEAST, _NEAR_BEST * best)
    for found in rated:
        new: dict[tuple[str, str], list[str]] = {}
        for item in found:
            owner = owners[item.source]
            line = quote_with_names(item.text, owner.authors)
            fits = item.value >= least and len(said) < MOST and is_whole(item.text)
            if fits and not any(line in one or resemblance(line, one) >= SAME for one in said):
                said.append(line)
                new.setdefault((owner.title, owner.authors), []).append(item.text)
        told += (
            # A passage may hold one that was found before it.
            " ".join(
                quote_with_names(text, authors)
                for text in texts
                if not any(text in other for other in texts if other != text)
            )
            for (_, authors), texts in new.items()
        )
    return told
