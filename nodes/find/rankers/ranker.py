"""What every ranker gives, and papers as a mind sees them: short ids, title, abstract, words found in their texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from textwrap import shorten

from pydantic import BaseModel

from state.paper import Paper
from state.quote import Debate
from state.run import Failure
from state.search import RankedOrder
from tools.evidence.prompt_injection import injection_failure, without_injections


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """What a ranker says of some papers."""

    scores: Mapping[str, float]
    """0..100 by paper id. Every paper asked about is here, whatever went wrong.

    Equal scores are broken by prior, which a ranker does not know.
    """
    debates: Sequence[Debate] = ()
    failures: Sequence[Failure] = ()
    listing: RankedOrder | None = None


TITLE_WITHHELD = "(its title is not shown)"


class ShownCandidate(BaseModel):
    """A paper as the mind sees it."""

    id: str
    title: str
    abstract: str
    passage: str | None = None
    """Words of its full text that a search found."""


def with_short_ids(papers: Sequence[Paper]) -> dict[str, Paper]:
    """Return the papers under the ids C1, C2, ..., in their order."""
    return {f"C{number}": paper for number, paper in enumerate(papers, start=1)}


def candidates(papers: Mapping[str, Paper], *, longest: int | None = None) -> list[ShownCandidate]:
    """Return what is shown of the papers; abstracts are cut after `longest` characters.

    What they command a machine to do is not shown.
    """
    shown = {key: without_injections(paper.abstract or "")[0] for key, paper in papers.items()}
    return [
        ShownCandidate(
            id=key,
            title=without_injections(paper.title)[0] or TITLE_WITHHELD,
            abstract=shorten(shown[key], longest, placeholder=" ...") if longest else shown[key],
            passage=None if longest else _passage(paper),
        )
        for key, paper in papers.items()
    ]


_TEXT = attrgetter("text")


def _passage(paper: Paper) -> str | None:
    shown = (without_injections(text)[0] for text in map(_TEXT, paper.snippets))
    return "\n".join(filter(None, shown)) or None


def injection_failures(papers: Iterable[Paper]) -> list[Failure]:
    """Name the papers of which not all was shown, for a person to look at them."""
    return [
        injection_failure("judge_papers", paper.id, commands)
        for paper in papers
        if (
            commands := [
                command
                for text in (paper.title, paper.abstract or "", *map(_TEXT, paper.snippets))
                for command in without_injections(text)[1]
            ]
        )
    ]
