"""Whether the words of passages bear out what a sentence of an answer says; decided by code alone.

The rules are those of tools.evidence.support, for a sentence and the quotes of its claims.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from state.asking import Claim
from state.paper import Paper
from state.passage import Passage
from state.writing import Support
from tools.embed.port import Embedder
from tools.evidence.alignment import Evidence
from tools.evidence.support import refuted, weighed


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
    """Return whether the quotes of these claims bear a sentence out. CPU-bound."""
    if not claims:
        return "not_in_source"
    quotes = [claim.quote.text for claim in claims]
    if verdict := refuted(text, quotes, sources.around(claims)):
        return verdict
    if sources.foreign:
        return "supported"  # as far as code can tell: the mind's verdict decides
    return weighed(text, quotes, sources.named(claims), sources.evidence)
