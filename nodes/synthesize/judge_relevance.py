"""Judge which paragraphs help with the question: the clear cases by likeness, the others by their summaries.

Reads `run`, `request`, `paragraphs`. Writes `contexts`, `failures` (LLM-Ref, section 3.2). All that help
are taken, not a number of the best. With the setting relevance 'cascade' the embedder decides the clear
cases and the mind the others, many in one question; with 'each' the mind is asked about every single
paragraph, as LLM-Ref does. None may help: then the papers do not tell.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_in_batches, failures_by_cause
from nodes.synthesize.summarize_paragraphs import summaries_of
from state.synthesis import Context, Paragraph, SynthesizeState
from tools.embed.calibration import calibrated
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.prompt_injection import without_injections
from tools.llm.task import Task
from tools.services import NodeRuntime, Services, open_services
from tools.text.words import share_of_stems, topic_stems

STAGE = "judge_relevance"
WORDS = 0.35
"""Weight of the share of words beside the closeness in meaning."""
CLEAR_OUT = 0.06
"""Below it a paragraph is not relevant: one in seven of the question's own paper, and half of those on
other matters. Of the paragraphs that hold the answer 1.5 % lie there; of the cited contexts 10 %, most
of which share neither word nor meaning with the question."""
CLEAR_IN = 0.52
"""From it on a paragraph is relevant: 94 % of such contexts are cited. A wrong yes cannot be mended, and
a question to the mind about thirty paragraphs costs little, so few are clear: 2 to 4 %."""
BAR = 0.41
"""From it on a paragraph counts as relevant where nobody else judges the unclear ones."""
FLOOR, NEAR_BEST = 0.3, 0.6
"""Where nobody else judges: from FLOOR on those count, too, that have this share of the best."""
_LONG = 180
"""Words of a paragraph whose end lies beyond what a small model of meaning reads: its summary is
compared, too. Comparing all summaries took twice as long and ranked no better."""
TOGETHER = 50
"""Paragraphs in one question, unless it is one each."""
PROMPT = """\
You help someone who will answer `question` from paragraphs of several research papers. `paragraphs` has of
each its id, the heading it stands under, and a summary (or its own words, where it is short).

First write in `needed` what the answer must tell, part by part, in a few words each. Then give in `ids` all
paragraphs that are worth reading for one of these parts: that give some of it, or a definition, method,
result, comparison or limit that bears on it. Judge each by itself, and take as many as help, however
many these are; of steps or items of one list take all or none. Leave out what only shares words with
the question, and what only says how a paper is arranged. If none helps, give none. Use only ids
that are given.

Example: "How long do bees remember a colour?" needs "duration of memory for colours; how it was tested".
"Trained bees chose blue above chance after six days" helps, and so does "The bees were tested
unrewarded, each once". "Bees see ultraviolet light" does not, though it is on bees and colours.
"""


class ShownSummary(BaseModel):
    """A paragraph as the mind sees it."""

    id: str
    section: str
    summary: str
    alone: bool = Field(default=False, exclude=True)
    """Whether it counts as relevant where the embedder alone decides; a model is not shown it."""


class Helping(BaseModel):
    """The mind's answer."""

    needed: list[str] = Field(description="What the answer must tell, part by part.")
    ids: list[str] = Field(description="Of the paragraphs that help, as given.")


def extract(embedder: Embedder, *, question: str, paragraphs: Sequence[ShownSummary]) -> Helping:
    """Take those that the embedder finds near enough to the question."""
    return Helping(needed=[], ids=[item.id for item in paragraphs if item.alone])


TASK = Task(
    name="judge_relevance",
    prompt=PROMPT,
    answer=Helping,
    tier="fast",
    extract=extract,
    max_output_tokens=600,
)


async def judge_relevance(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Take the paragraphs that help; where the mind cannot judge, the embedder's view counts."""
    services, request = open_services(runtime, state["run"]), state["request"]
    found = await services.run_store.paragraphs.get(state["paragraphs"])
    summaries = await summaries_of(services, list(found.values()))
    scores = await _scores(services, request.text, list(found.values()), summaries)
    alone = relevant_without_model(scores)
    clear: dict[str, bool] = {}
    # The scale is known for questions in English only.
    if services.context.relevance == "cascade" and request.language == "en":
        outside = {key: score for key, score in scores.items() if not CLEAR_OUT <= score < CLEAR_IN}
        clear = {key: score >= CLEAR_IN for key, score in outside.items()}
    helping = {key for key, fits in clear.items() if fits}

    def inputs(group: Sequence[str]) -> dict[str, Any]:
        # Under short ids, which a model copies without fault.
        shown = [
            ShownSummary(
                id=f"P{number}",
                section=without_injections(" > ".join(found[key].section))[0],
                summary=summaries[key],
                alone=key in alone,
            )
            for number, key in enumerate(group, start=1)
        ]
        return {"question": request.text, "paragraphs": shown}

    async def take(group: Sequence[str], answer: Helping) -> None:
        named = {f"P{number}": key for number, key in enumerate(group, start=1)}
        helping.update(named[key.strip()] for key in answer.ids if key.strip() in named)

    most = 1 if services.context.relevance == "each" else TOGETHER
    open_ = [key for key in scores if key not in clear]
    unjudged = await ask_in_batches(services, TASK, [open_], most, inputs, take)
    helping |= unjudged.keys() & alone
    by_mind = set(open_) - unjudged.keys() if services.mind.judges else set()
    contexts = [
        Context(paragraph=key, score=score, by="mind" if key in by_mind else "embedding")
        for key, score in scores.items()
        if key in helping
    ]
    services.progress(
        STAGE,
        1,
        1,
        f"{len(contexts)} of {counted(len(found), 'paragraph helps', 'paragraphs help')}",
    )
    remedy = "CiteLoom judged these by similarity to the question"
    failures = failures_by_cause(STAGE, unjudged, "paragraph", remedy)
    return {"contexts": contexts, "failures": failures}


async def _scores(
    services: Services, question: str, paragraphs: Sequence[Paragraph], summaries: dict[str, str]
) -> dict[str, float]:
    shown = [item for item in paragraphs if summaries[item.id]]  # the others only command
    values = await asyncio.to_thread(
        paragraph_similarities,
        services.clients.stored_embedder,
        question,
        [without_injections(item.text)[0] for item in shown],
        [summaries[item.id] for item in shown],
    )
    return {item.id: value for item, value in zip(shown, values, strict=True)}


def paragraph_similarities(
    embedder: Embedder, question: str, texts: Sequence[str], summaries: Sequence[str]
) -> list[float]:
    """Return how well each paragraph fits the question, 0..1; synchronous, it embeds.

    Args:
        embedder: Whose vectors are compared.
        question: In English; see CLEAR_OUT for what is known of the scale.
        texts: The paragraphs.
        summaries: Theirs, in the same order; empty where there is none.
    """
    if not texts:
        return []
    long = [
        place
        for place, (text, summary) in enumerate(zip(texts, summaries, strict=True))
        if summary and len(text.split()) > _LONG
    ]
    asked = " ".join(topic_stems(question)) or question
    rows = embedder.embed([question, *texts, *(summaries[place] for place in long)])
    near = calibrated(embedder, rows[1:] @ rows[0])
    best = near[: len(texts)].copy()
    best[long] = np.maximum(best[long], near[len(texts) :])
    return [
        round(
            min(max((float(cosine) + WORDS * share_of_stems(asked, text)) / (1 + WORDS), 0.0), 1.0),
            4,
        )
        for cosine, text in zip(best, texts, strict=True)
    ]


def relevant_without_model(scores: Mapping[str, float]) -> set[str]:
    """Return the paragraphs that count as relevant where their likeness is all that is known.

    Those above BAR, and those not far below the best: a question in other words than its papers'
    is near to none. Where none reaches FLOOR the papers do not tell.
    """
    bar = min(BAR, max(FLOOR, NEAR_BEST * max(scores.values(), default=0.0)))
    return {key for key, score in scores.items() if score >= bar}
