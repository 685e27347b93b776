"""The verdict on a sentence of an answer, from its passages and from what a mind that read them says.

Support is either that the sentence is its passage's own with no more than its source around it, or an
LLM's verdict. Code's comparisons may only refuse or lower it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nodes.ask.shown import (
    ShownClaim,
    ShownPassage,
    papers_of,
    quoted,
    show_claims,
    show_passages,
)
from state.asking import Claim
from state.paper import Paper
from state.passage import Passage
from state.request import Request
from state.writing import Support
from tools.evidence.prompt_injection import without_injections
from tools.evidence.support import BAD, judge
from tools.evidence.verbatim import names_of, verbatim
from tools.services import Services
from tools.text.source_lines import without_numbers
from tools.text.words import coverage

_ELSEWHERE = 0.5
"""Share of a sentence's content words in its passages up to which it tells of something else."""


@dataclass(frozen=True)
class Sources:
    """What sentences may rest on."""

    passages: Mapping[str, Passage]
    papers: Mapping[str, Paper]
    foreign: bool = False
    """Whether sentences are in another language than the passages, so that words tell nothing."""

    def shown(self, ids: Iterable[str]) -> list[tuple[Passage, ShownPassage]]:
        """Return some of the passages as a mind is shown them."""
        return show_passages((self.passages[key] for key in ids), self.papers)

    def shown_claims(self, claims: Sequence[Claim]) -> list[ShownClaim]:
        """Return claims as a mind is shown them."""
        return show_claims(claims, self.papers, self.passages)

    def around(self, claims: Sequence[Claim]) -> str:
        """Return everything that a sentence with these claims may take numbers and names from."""
        texts: list[str] = []
        for claim in claims:
            if passage := self.passages.get(claim.passage):
                texts.append(passage.text)
            if paper := self.papers.get(claim.paper):
                names = ", ".join(author.name for author in paper.authors)
                called = f"{paper.citation} ({paper.year}) ({paper.citation}, {paper.year})"
                texts.append(f"{paper.title} {names} {called} {paper.venue or ''}")
        return "\n".join(texts)

    def is_own(self, text: str, claim: Claim) -> bool:
        """Whether a sentence is the passage's own: as `quoted` makes it, or as `verbatim` finds it."""
        (shown,) = self.shown_claims([claim])
        if text == quoted(shown.words, shown):
            return True
        passage, paper = self.passages.get(claim.passage), self.papers.get(claim.paper)
        names = names_of(paper) if paper else ()
        if paper and paper.year:
            names = (*names, *(f"{name} ({paper.year})" for name in names))
        words = without_injections(passage.text if passage else claim.quote.text)[0]
        return any(verbatim(text, said, names) for said in (words, without_numbers(words)))


async def sources_of(services: Services, request: Request, of: Iterable[Claim | str]) -> Sources:
    """Return the passages of these ids, or of these claims, and their papers."""
    ids = [item if isinstance(item, str) else item.passage for item in of]
    passages = await services.run_store.passages.get(ids)
    papers = await papers_of(services, request, passages.values())
    return Sources(passages, papers, foreign=request.language != "en")


def judge_sentence(
    text: str, claims: Sequence[Claim], sources: Sources, said: str | None
) -> Support:
    """Return whether the quotes of these claims support a sentence.

    Args:
        text: The sentence.
        claims: What it rests on.
        sources: Their passages and papers.
        said: The verdict of a mind that was shown sentence and quotes; None where none gave one.
    """
    if any(sources.is_own(text, claim) for claim in claims):
        return "supported"
    around = sources.around(claims)
    quotes = [claim.quote.text for claim in claims]
    verdict = judge(text, quotes, around, said or "supported").verdict
    if verdict in BAD:
        return verdict
    if not sources.foreign and coverage(text, around) <= _ELSEWHERE:
        return "not_in_source"
    return verdict if said else "not_checked"
