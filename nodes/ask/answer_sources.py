"""What answers rest on, and how a mind is shown it: under short ids, without words that command it."""

import asyncio
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from state.ask import Claim, DraftSentence
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import OF_ANNOTATION, OF_RECORD, Passage
from state.quote import ANNOTATION, Quote
from tools.evidence.own_sentences import names_of, verbatim
from tools.evidence.prompt_injection import without_injections
from tools.llm.task import AnswerT, Task, TaskModel
from tools.services import Services
from tools.text import quotable
from tools.text.self_reference import name_authors
from tools.text.source_lines import without_numbers
from tools.text.words import split_sentences

PASSAGE_FIELDS = """\
A passage has its `id`, its paper's `title`, authors (`citation`) and `year`, the headings above it (`section`)
and its `text`.
"""
CLAIM_FIELDS = """\
A claim has its `number`, its paper's `title`, authors (`citation`) and `year`, the headings above the passage
it was drawn from (`section`), and the `quote` that it rests on, copied from there; where there is no `quote`,
the claim is the quote.
"""
"""What prompts say of the fields below."""
ASPECTS = 5
"""Most things that an answer is asked to cover."""
_FEWEST = 3
"""Letters of a phrase."""
_ROOM = 200
"""Tokens kept free beside the passages."""


class ShownPassage(BaseModel):
    """A passage as the mind sees it."""

    id: str
    title: str
    """Of its paper, as `citation` and `year` are."""
    section: str
    text: str
    citation: str = ""
    year: int | None = None


class QuoteInPassage(BaseModel):
    """Words of a passage that a sentence rests on."""

    passage: str
    words: str


class ShownClaim(BaseModel):
    """A claim as the mind sees it."""

    number: int
    claim: str
    title: str = ""
    """Of its paper, as `citation` and `year` are."""
    citation: str = ""
    year: int | None = None
    quote: str | None = None
    """None where the claim is the quote."""
    section: str = ""

    @property
    def words(self) -> str:
        """The quote."""
        return self.claim if self.quote is None else self.quote


def quote_as_sentence(words: str, source: ShownPassage | ShownClaim) -> str:
    """Return words of a paper as a sentence of an answer: verbatim in quotation marks, with their source.

    'Lewis et al. (2020): “RAG models generate ...”', or 'Lewis et al. (2020) introduce RAG models
    ...' where it began with 'We' or 'This paper'. The paper's own '[12]' is left out. Nothing else
    is changed, so that whoever checks the
    answer can make the sentence again and compare.
    """
    text = without_numbers(words)
    if source.section == OF_RECORD[0]:
        return f"“{text.removeprefix('“')}"  # quotes are found without the marks around them
    year = f" ({source.year})" if source.year else ""
    if not source.citation:
        return quotable.quote_with_names(text, f"‘{source.title}’{year}" if source.title else "")
    name = f"{source.citation}{year}"
    if source.section != OF_ANNOTATION[0]:
        return quotable.quote_with_names(text, name)
    plural = source.citation.endswith("et al.") or " and " in source.citation
    return name_authors(text, name, plural, annotated=True) or quotable.quote_with_names(
        text, f"The library's annotation of {name}"
    )


def whole_sentences(quote: Quote, text: str) -> str:
    """Return the sentences of a passage in which a quote stands: what a person reads to judge it."""
    start, end = quote.start or 0, quote.end or 0
    spans = [item for item in split_sentences(text) if item.start < end and start < item.end]
    first, last = (spans[0].start, spans[-1].end) if spans else (start, end)
    more = any(map(str.isalnum, text[first:start] + text[end:last]))
    whole = text[first:last] if more else quote.text
    return quote.text if without_injections(whole)[1] else whole


def with_claims_left(
    draft: Iterable[DraftSentence], held: Mapping[int, Claim]
) -> list[DraftSentence]:
    """Return the sentences with those of their claims that there still are: a person may take some out."""
    left = (
        DraftSentence(text=item.text, claims=tuple(key for key in item.claims if key in held))
        for item in draft
    )
    return [item for item in left if item.claims]


def is_several_sentences(text: str) -> bool:
    """Whether what should be one sentence is several: small models send a whole passage, or answer, as one."""
    return len(split_sentences(text)) > 1


def in_words(missing: Sequence[str]) -> list[str]:
    """Return what is missing as phrases; small models send numbers of claims, or nothing."""
    phrases = [" ".join(item.split()) for item in missing]
    return [item for item in phrases if sum(map(str.isalpha, item)) >= _FEWEST][:ASPECTS]


def fit_to_window(
    mind: TaskModel, task: Task[AnswerT], passages: Iterable[ShownPassage], **inputs: Any
) -> list[ShownPassage]:
    """Return the first of the passages, as many as the model's window holds beside the other inputs."""
    shown = list(passages)

    def is_too_long(count: int) -> bool:
        return mind.spare(task, **inputs, passages=shown[:count]) < _ROOM

    # One is shown in any case: the model then says that it is too long.
    return shown[: bisect_left(range(2, len(shown) + 1), True, key=is_too_long) + 1]


def _citation(paper: Paper | None) -> str:
    """Return how a paper is called; one without authors is called by its title, which may command."""
    return without_injections(paper.citation)[0] if paper else ""


@dataclass(frozen=True)
class AnswerSources:
    """What sentences may rest on."""

    passages: Mapping[str, Passage]
    papers: Mapping[str, Paper]

    def shown(self, ids: Iterable[str]) -> list[tuple[Passage, ShownPassage]]:
        """Return some of the passages as they are shown, as S1, S2, ...; one that only commands is left out."""
        shown: list[tuple[Passage, ShownPassage]] = []
        for passage in (self.passages[key] for key in ids):
            text, _ = without_injections(passage.text)
            if not text.strip():
                continue
            paper = self.papers.get(passage.paper)
            item = ShownPassage(
                id=f"S{len(shown) + 1}",
                title=without_injections(passage.title)[0],
                section=without_injections(" > ".join(passage.section))[0],
                text=text,
                citation=_citation(paper),
                year=paper.year if paper else None,
            )
            shown.append((passage, item))
        return shown

    def shown_claims(self, claims: Sequence[Claim]) -> list[ShownClaim]:
        """Return claims with what their papers are called and under which heading they stand."""
        shown = []
        for claim in claims:
            paper, passage = self.papers.get(claim.paper), self.passages.get(claim.passage)
            shown.append(
                ShownClaim(
                    number=claim.number,
                    claim=claim.text,
                    quote=None if claim.text == claim.quote.text else claim.quote.text,
                    title=without_injections(paper.title)[0] if paper else "",
                    citation=_citation(paper),
                    year=paper.year if paper else None,
                    section=without_injections(" > ".join(passage.section))[0] if passage else "",
                )
            )
        return shown

    def around(self, claims: Sequence[Claim]) -> list[str]:
        """Return everything that a sentence with these claims may take numbers and names from."""
        texts: list[str] = []
        for claim in claims:
            if passage := self.passages.get(claim.passage):
                texts += [passage.text, *passage.section, passage.title]
            if paper := self.papers.get(claim.paper):
                names = " ".join(author.name for author in paper.authors)
                called = f"{paper.citation} ({paper.year}) ({paper.citation}, {paper.year})"
                texts += [paper.text, f"{called} {names} {paper.venue or ''}"]
        return texts

    def is_own(self, text: str, claim: Claim) -> bool:
        """Whether a sentence is the passage's own: as `quoted` makes it, or as `verbatim` finds it."""
        (shown,) = self.shown_claims([claim])
        if text == quote_as_sentence(shown.words, shown):
            return True
        passage, paper = self.passages.get(claim.passage), self.papers.get(claim.paper)
        names = names_of(paper) if paper else ()
        if paper and paper.year:
            names = (*names, *(f"{name} ({paper.year})" for name in names))
        words = without_injections(passage.text if passage else claim.quote.text)[0]
        noted = claim.quote.part == ANNOTATION
        known = (words, without_numbers(words))
        return any(verbatim(text, said, names, annotated=noted) for said in known)


async def load_answer_sources(
    services: Services, request: CheckedRequest, of: Iterable[Claim | str]
) -> AnswerSources:
    """Return the passages of these ids, or of these claims, and their papers.

    Raises:
        LibraryError: The library is gone.
    """
    ids = [item if isinstance(item, str) else item.passage for item in of]
    passages = await services.run_store.passages.get(ids)
    papers: dict[str, Paper] = {}
    if passages:  # nor is a library opened, or made, for a question that was refused
        library = await services.library(request.library)
        keys = dict.fromkeys(item.paper for item in passages.values())
        papers = await asyncio.to_thread(library.get, list(keys))
    return AnswerSources(passages, papers)
