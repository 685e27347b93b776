"""Whether the words of passages bear out what a sentence says; decided by code alone.

The rules are those of the citation check (nodes.write.judge_citation), for a sentence and the quotes
of its claims instead of a sentence and a paper: no opposite, no number and no name from nowhere, no
citation of its own, and enough common words or meaning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from state.asking import Claim
from state.paper import Paper
from state.passage import Passage
from state.writing import Support
from tools.embed.port import Embedder
from tools.text.alignment import BEARS_MEANING, BEARS_WORDS, Evidence
from tools.text.foreign import foreign_citations
from tools.text.numbers import strange_numbers
from tools.text.opposites import opposed
from tools.text.strange_names import strange_names

_PLAIN = 0.5
"""Weighed share of a sentence's content words in its quotes from which it is plainly borne out."""

_SURE = 0.9
"""Words and meaning together from which a paraphrase is taken as borne out."""
_CLOSE = 0.65
"""Cosine from which other words are taken to say some of the same."""


@dataclass(frozen=True)
class Sources:
    """What sentences may rest on."""

    embedder: Embedder
    passages: Mapping[str, Passage]
    papers: Mapping[str, Paper]
    foreign: bool = False
    """Whether sentences are in another language than the passages, so that words tell nothing."""

    @cached_property
    def evidence(self) -> Evidence:
        """The passages, to weigh words by how few of them have each."""
        shown = {
            item.id: Paper(id=item.id, title=item.title, abstract=item.text)
            for item in self.passages.values()
        }
        return Evidence(shown, self.embedder)

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

    def named(self, claims: Sequence[Claim]) -> str:
        """Return what a sentence may call the papers of these claims."""
        papers = [self.papers[claim.paper] for claim in claims if claim.paper in self.papers]
        return " ".join(f"{paper.title} {paper.citation} {paper.year or ''}" for paper in papers)


def borne_out(text: str, claims: Sequence[Claim], sources: Sources) -> Support:
    """Return whether the quotes of these claims bear a sentence out. CPU-bound.

    Words and meaning must both speak for it, unless half of its words stand in the quotes; where
    only one of them does, it is borne out in part.
    """
    if not claims:
        return "not_in_source"
    quotes = [claim.quote.text for claim in claims]
    if any(opposed(text, quote) for quote in quotes):
        return "contradicted"
    around = sources.around(claims)
    if strange_numbers(text, around) or strange_names(text, around):
        return "not_in_source"
    if foreign_citations(text, [around]):
        return "not_in_source"
    if sources.foreign:
        return "supported"  # as far as code can tell: the mind's verdict decides
    evidence = sources.evidence
    words = evidence.words(text, " ".join([*quotes, sources.named(claims)]))
    if words >= _PLAIN:
        return "supported"
    meaning = max(evidence.measure(text, quote).meaning for quote in [*quotes, " ".join(quotes)])
    if words >= BEARS_WORDS and meaning >= BEARS_MEANING:
        return "supported" if words + meaning >= _SURE else "partly"
    return "partly" if meaning >= _CLOSE else "not_in_source"
