"""Papers as a mind sees them: under short ids of one question, title and abstract only."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from state.paper import Paper
from state.run import Failure
from tools.evidence.prompt_injection import without_injections

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
    return [
        Candidate(
            id=key,
            title=without_injections(paper.title)[0] or UNSHOWN,
            abstract=_cut(without_injections(paper.abstract or "")[0], longest),
        )
        for key, paper in papers.items()
    ]


def commanding(papers: Iterable[Paper]) -> list[Failure]:
    """Name the papers of which not all was shown, for a person to look at them."""
    return [
        Failure(
            stage="rank_papers", subject=paper.id,
            cause=f"it commands whoever reads it by machine: '{' '.join(commands)[:200]}'",
            remedy="these words were not shown to the mind; look at the paper yourself",
        )
        for paper in papers
        if (commands := without_injections(paper.title)[1] + without_injections(paper.abstract or "")[1])
    ]  # fmt: skip


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return text[:longest].rsplit(" ", 1)[0] + " ..."
