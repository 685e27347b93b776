"""Summarise the paragraphs, by a mind or by their own sentences: made once and kept by the text's hash.

Reads `run`, `paragraphs`. Writes `failures` (LLM-Ref, section 3.1: relevance is judged by summaries, the
answer made from the paragraphs themselves). Summaries stay in the store of documents (see
`summaries_of`). A short paragraph is its own summary; one that the mind does not summarise, asked twice,
is stood for by the best of its own sentences.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_in_batches, failures_by_cause
from state.synthesis import Paragraph, SynthesizeState
from tools.documents.document_cache import DocumentStore, summary_key
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.prompt_injection import injection_failure, without_injections
from tools.llm.task import Task
from tools.services import NodeRuntime, Services, open_services
from tools.text.words import (
    distinct_topic_stems,
    language,
    share_of_stems,
    split_sentences,
    topic_stems,
)

STAGE = "summarize_paragraphs"
VERSION = "topics 1"
"""Changes whenever the same paragraph would be summarised otherwise."""
SHORT = 60
"""Words of a paragraph below which it is its own summary."""
_TWO = 110
"""Words of a paragraph from which its summary has two sentences."""
_FIRST = 2
"""What the first sentence gains: it often names what the paragraph is about."""
_LONGEST = 45
"""Words of a sentence that are taken."""
TOGETHER, AGAIN = 16, 4
"""Paragraphs in one question, and in one that asks once more for what was missing."""
_ABOUT = 0.25
"""Share of a summary's content words that an English paragraph must have, or it is of another one."""
_MISSING = "the model gave no usable summary of it"
PROMPT = """\
You summarise paragraphs of research papers, so that a reader can later tell from the summary alone
whether a paragraph helps with a question. Write for every paragraph one sentence, or two where it says
more than one thing, with at most 40 words in all, in English. Keep what someone would look for: names
of methods, data sets and measures, numbers with what they count, who did what, and what is claimed,
with its doubts and conditions. Say it directly, without 'this paragraph' or 'the authors discuss', and add
nothing that the paragraph does not say. Answer for every paragraph under its own id.

Example: "We then turned to winter. Of the 60 hives, half stood on roofs. Losses there were 12%, in line
with Okafor (2011), but wind was not measured." becomes "Winter losses of 12% among 30 of 60 hives that
stood on roofs, as in Okafor (2011); wind was not measured."
"""


class ShownParagraph(BaseModel):
    """A paragraph as the mind sees it."""

    id: str
    text: str


class ParagraphSummary(BaseModel):
    """What the mind says of one paragraph."""

    id: str = Field(description="Of the paragraph, as given.")
    summary: str = Field(description="One or two sentences, 40 words at most.")


class Summaries(BaseModel):
    """The mind's answer."""

    summaries: list[ParagraphSummary]


def extract(embedder: Embedder, *, paragraphs: Sequence[ShownParagraph]) -> Summaries:
    """Take the sentences that say most of each paragraph."""
    return Summaries(
        summaries=[
            ParagraphSummary(id=item.id, summary=extractive_summary(item.text))
            for item in paragraphs
        ]
    )


TASK = Task(
    name="summarize_paragraphs",
    prompt=PROMPT,
    answer=Summaries,
    tier="fast",
    extract=extract,
    max_output_tokens=1800,
)


async def summarize_paragraphs(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Have the mind summarise what has no summary of it yet; each answer is kept as it comes."""
    services = open_services(runtime, state["run"])
    store = DocumentStore(services.clients.settings.home)
    found = await services.run_store.paragraphs.get(state["paragraphs"])
    read = {key: without_injections(item.text) for key, item in found.items()}
    keys = await asyncio.to_thread(_keys, services, list(found.values()))
    kept = await asyncio.to_thread(store.summaries, list(keys.values()))
    waiting = [key for key in keys if keys[key] not in kept and read[key][0].strip()]
    left = dict.fromkeys(waiting, _MISSING)

    def inputs(group: Sequence[str]) -> dict[str, Any]:
        # Under short ids, which a model copies without fault.
        return {
            "paragraphs": [
                ShownParagraph(id=f"P{number}", text=read[key][0])
                for number, key in enumerate(group, start=1)
            ]
        }

    async def take(group: Sequence[str], answer: Summaries) -> None:
        told: dict[str, str] = {}
        for item in answer.summaries:
            told.setdefault(item.id.strip(), " ".join(without_injections(item.summary)[0].split()))
        for number, key in enumerate(group, start=1):
            summary = told.get(f"P{number}", "")
            if await asyncio.to_thread(_holds, summary, read[key][0]):
                await asyncio.to_thread(store.put_summaries, {keys[key]: summary})
                left.pop(key, None)

    for sample, together in enumerate((TOGETHER, AGAIN)):
        causes = await ask_in_batches(
            services, TASK, [list(left)], together, inputs, take, sample=sample
        )
        left = {key: causes.get(key, _MISSING) for key in left}
    services.progress(
        STAGE, 1, 1, f"{counted(len(found), 'paragraph')}, {len(waiting)} of them new"
    )
    commanding = [
        injection_failure(
            STAGE, found[key].paper, commands, f"{found[key].place}: a paragraph of it"
        )
        for key, (_, commands) in read.items()
        if commands
    ]
    remedy = "CiteLoom judges their relevance by their own sentences"
    return {"failures": [*commanding, *failures_by_cause(STAGE, left, "paragraph", remedy)]}


async def summaries_of(services: Services, paragraphs: Sequence[Paragraph]) -> dict[str, str]:
    """Return a summary of each paragraph, by its id: that of the run's mind, or else its own words.

    Sentences that command a machine are in none; so a paragraph of nothing else has an empty one.
    """

    def recalled() -> dict[str, str]:
        keys = _keys(services, paragraphs)
        kept = DocumentStore(services.clients.settings.home).summaries(list(keys.values()))
        return {
            item.id: kept.get(keys.get(item.id, "")) or extractive_summary(item.text)
            for item in paragraphs
        }

    return await asyncio.to_thread(recalled)


def _keys(services: Services, paragraphs: Sequence[Paragraph]) -> dict[str, str]:
    """Return the keys of the paragraphs' summaries: of what the mind is shown; short ones have none."""
    asked = sha256(f"{PROMPT}{Summaries.model_json_schema()}".encode()).hexdigest()[:16]
    mind = services.mind
    way = f"{mind.name} {asked if mind.composes else VERSION}"
    return {
        item.id: summary_key(way, without_injections(item.text)[0])
        for item in paragraphs
        if not is_short(item.text)
    }


def _holds(summary: str, text: str) -> bool:
    """Whether this can be a summary of that text: shorter, and of the same things."""
    if not summary or len(summary) > len(text):
        return False
    return share_of_stems(summary, text) >= _ABOUT or language(text) != "en"


def is_short(text: str) -> bool:
    """Whether a paragraph is its own summary."""
    return len(text.split()) < SHORT


def extractive_summary(text: str) -> str:
    """Return one or two sentences of a paragraph, in its order; a short one stays whole.

    Taken is the sentence with most of the words that the paragraph repeats, then the one that adds
    most to it. Sentences that command a machine are left out, so that nothing is returned where
    there is nothing else.
    """
    plain, _ = without_injections(" ".join(text.split()))
    if is_short(plain):
        return plain
    sentences = [span.text for span in split_sentences(plain)]
    counts = Counter(topic_stems(plain))
    chosen: list[int] = []
    for _ in range(2 if len(plain.split()) >= _TWO else 1):
        said = {stem for place in chosen for stem in distinct_topic_stems(sentences[place])}
        left = [place for place in range(len(sentences)) if place not in chosen]
        gains = {
            place: sum(counts[stem] - 1 for stem in distinct_topic_stems(sentences[place]) - said)
            + _FIRST * (place == 0)
            for place in left
        }
        chosen += [max(left, key=lambda place: gains[place])] if any(gains.values()) else []
    return " ".join(_cut(sentences[place]) for place in sorted(chosen or [0]))


def _cut(sentence: str) -> str:
    words = sentence.split()
    return sentence if len(words) <= _LONGEST else f"{' '.join(words[:_LONGEST]).rstrip(',;:')} …"
