"""What every ranker gives, and papers as a mind sees them: short ids, title and abstract only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten

from pydantic import BaseModel

from state.paper import Paper
from state.quote import Debate
from state.run import Failure
from state.search import Listing
from tools.evidence.prompt_injection import reported, without_injections


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """What a ranker says of some papers."""

    scores: Mapping[str, float]
    """0..100 by paper id. Every paper asked about is here, whatever went wrong.

    Equal scores are broken by prior, which a ranker does not know.
    """
    debates: Sequence[Debate] = ()
    failures: Sequence[Failure] = ()
    listing: Listing | None = None


UNSHOWN = "(its title is not shown)"


class Candidate(BaseModel):
    """A paper as the mind sees it."""

    id: str
    title: str
    abstract: str


def keyed(papers: Sequence[Paper]) -> dict[str, Paper]:
    """Return the papers under the ids C1, C2, ..., in their order."""
    return {f"C{number}": paper for number, paper in enumerate(papers, start=1)}


def candidates(papers: Mapping[str, Paper], *, longest: int | None = None) -> list[Candidate]:
    """Return what is shown of the papers; abstracts are cut after `longest` characters.

    What they command a machine to do is not shown.
    """
    shown = {key: without_injections(paper.abstract or "")[0] for key, paper in papers.items()}
    return [
        Candidate(
            id=key,
            title=without_injections(paper.title)[0] or UNSHOWN,
            abstract=shorten(shown[key], longest, placeholder=" ...") if longest else shown[key],
        )
        for key, paper in papers.items()
    ]


def commanding(papers: Iterable[Paper]) -> list[Failure]:
    """Name the papers of which not all was shown, for a person to look at them."""
    return [
        reported("judge_papers", paper.id, commands)
        for paper in papers
        if (commands := without_injections(paper.title)[1] + without_injections(paper.abstract or "")[1])
    ]  # fmt: skip
