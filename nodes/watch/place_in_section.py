"""Place in section: say of a new paper which sentence of a section it contradicts, extends or repeats.

Not a step of a graph: a watch calls it with the papers that a search kept. A model says what the paper does to a
sentence; code finds the paper's words, and an answer without them counts for nothing. Without a model each paper
stands beside the sentence to which it is nearest in meaning, and nothing is said of it.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.judge.judge_prompts import JudgedSentence
from nodes.write.paper_passages import shown_paper
from state.paper import Paper
from state.quote import Quote
from state.watch import Placed
from tools.embed.embedder import Embedder
from tools.errors import CiteLoomError
from tools.evidence.prompt_injection import own_words, without_injections
from tools.evidence.quotes import MIN_LENGTH, quote_paper
from tools.llm.task import Task
from tools.services import Services
from tools.text.words import split_sentences

STAGE = "place_in_section"

PROMPT = f"""\
A researcher wrote a section on related work. A new `paper` has appeared, with its title and abstract. `sentences` are
those of the section that are nearest to it, each with its number. Say whether the paper changes one of them.

Answer in this order:
1. paper_words: the stretch of the paper's words that decides, copied letter by letter from its title or abstract, at
   least {MIN_LENGTH} characters long.
2. sentence: the number of the one sentence that these words concern most.
3. says: what the paper says on it, as a clause without a subject ("reports the opposite for long texts").
4. change:
   - contradicts: if these words hold, the sentence as it stands is wrong or needs a limit.
   - extends: they add to what the sentence says: a further method, result, case or limit on the same matter.
   - same: they say what the sentence says already.
   - none: they share its subject at most.

Judge by the words shown, not by what you know. Another way to do a thing does not contradict a sentence on the first
way. Where `faults` of an earlier answer are listed, give the whole answer again with these mended.
"""


class Placing(BaseModel):
    """The mind's answer."""

    paper_words: str = Field(description="Words of the paper, verbatim.")
    sentence: int = Field(description="The number of a sentence, as given.")
    says: str = ""
    change: Literal["contradicts", "extends", "same", "none"]


def extract(embedder: Embedder, **_: object) -> Placing:
    """Say nothing: to compare is not for the embedded engine."""
    return Placing(paper_words="", sentence=0, change="none")


TASK = Task(
    name="place_in_section",
    prompt=PROMPT,
    answer=Placing,
    tier="strong",
    extract=extract,
    max_output_tokens=500,
)


async def place_in_section(
    services: Services, papers: Sequence[Paper], sentences: Sequence[str]
) -> tuple[list[Placed], list[str]]:
    """Return each paper's place in a section, and why some were not compared, a line for each cause."""
    if not sentences or not papers:
        return [Placed() for _ in papers], []
    near = await asyncio.to_thread(_nearest, services.clients.embedder, papers, sentences)
    if not services.mind.judges:
        return [_beside(one, sentences) for one in near], []
    found = await asyncio.gather(
        *(_asked(services, paper, sentences, one) for paper, one in zip(papers, near, strict=True))
    )
    return [placed for placed, _ in found], [*dict.fromkeys(why for _, why in found if why)]


def _nearest(
    embedder: Embedder, papers: Sequence[Paper], sentences: Sequence[str]
) -> list[tuple[list[int], Quote]]:
    """Return for each paper the places of the sentences nearest to it, and its words nearest to the first."""
    asked = embedder.embed(sentences)
    found = []
    for paper in papers:
        spans = (span.text for span in split_sentences(paper.abstract or ""))
        own = [paper.title, *(text for text in spans if not without_injections(text)[1])]
        cosines = embedder.embed(own) @ asked.T
        order = (-cosines.max(axis=0)).argsort(kind="stable").tolist()
        found.append((order[:8], quote_paper(own[int(cosines[:, order[0]].argmax())], paper)))
    return found


def _beside(near: tuple[list[int], Quote], sentences: Sequence[str]) -> Placed:
    (at, *_), words = near
    return Placed(
        sentence=at + 1, sentence_text=sentences[at], words=words if words.verified else None
    )


async def _asked(
    services: Services, paper: Paper, sentences: Sequence[str], near: tuple[list[int], Quote]
) -> tuple[Placed, str]:
    """Return the paper as the mind places it, or beside the nearest sentence and why."""
    shown = {at + 1: sentences[at] for at in sorted(near[0])}
    inputs = {
        "paper": shown_paper(paper, "new"),
        "sentences": [JudgedSentence(number=at, text=text) for at, text in shown.items()],
    }

    def faults(answer: Placing) -> list[str]:
        found = {
            f"there is no sentence {answer.sentence}": answer.sentence in shown,
            f"not in the paper's words: {answer.paper_words!r}": own_words(
                answer.paper_words, paper
            ),
        }
        return [fault for fault, right in found.items() if not right]

    nearest = _beside(near, sentences)
    try:
        asked = await ask_with_check(services.mind, TASK, inputs, faults)
    except CiteLoomError as error:
        return nearest, f"new papers were not compared with the section: {error}"
    answer = asked.answer
    if answer is None or not asked.stands:
        cause = asked.error or "the model's quote stands in no abstract"
        return nearest, f"a new paper was not compared with the section: {cause}"
    return Placed(
        change=answer.change,
        sentence=answer.sentence,
        sentence_text=shown[answer.sentence],
        says=answer.says.strip(),
        words=own_words(answer.paper_words, paper),
    ), ""
