"""Passages and claims as a mind is shown them: under short ids, without words that command it."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from state.asking import Claim
from state.paper import Paper
from state.passage import Passage
from state.request import Request
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.asking.port import Held, Shown


class ShownPassage(BaseModel):
    """A passage as the mind sees it."""

    id: str
    paper: str
    """The paper's title."""
    section: str
    text: str
    citation: str = ""
    year: int | None = None
    key: str = ""
    """The paper's short id: passages of one paper share it."""


class ShownClaim(BaseModel):
    """A claim as the mind sees it."""

    number: int
    claim: str
    paper: str
    """Authors and title of its paper."""
    title: str = ""
    citation: str = ""
    year: int | None = None
    key: str = ""
    quote: str = ""


def show_passages(
    passages: Iterable[Passage], papers: Mapping[str, Paper]
) -> list[tuple[Passage, ShownPassage]]:
    """Return passages as they are shown, as S1, S2, ...; one that only commands is left out."""
    shown: list[tuple[Passage, ShownPassage]] = []
    keys = _Keys()
    for passage in passages:
        text, _ = without_injections(passage.text)
        if not text.strip():
            continue
        paper = papers.get(passage.paper)
        title, _ = without_injections(passage.title)
        section, _ = without_injections(" > ".join(passage.section))
        item = ShownPassage(
            id=f"S{len(shown) + 1}", paper=title, section=section, text=text,
            citation=_citation(paper), year=paper.year if paper else None,
            key=keys.of(passage.paper),
        )  # fmt: skip
        shown.append((passage, item))
    return shown


def show_claims(claims: Sequence[Claim], papers: Mapping[str, Paper]) -> list[ShownClaim]:
    """Return the claims with what their papers are called."""
    keys = _Keys()
    shown = []
    for claim in claims:
        paper = papers.get(claim.paper)
        title = without_injections(paper.title)[0] if paper else ""
        year = f", {paper.year}" if paper and paper.year else ""
        shown.append(
            ShownClaim(
                number=claim.number, claim=claim.text,
                paper=f"{_citation(paper)}{year}: {title}" if paper else "", title=title,
                citation=_citation(paper), year=paper.year if paper else None,
                key=keys.of(claim.paper), quote=claim.quote.text,
            )
        )  # fmt: skip
    return shown


def _citation(paper: Paper | None) -> str:
    """Return how a paper is called; one without authors is called by its title, which may command."""
    return without_injections(paper.citation)[0] if paper else ""


def as_shown(item: ShownPassage) -> Shown:
    """Return a passage as the embedded engine takes it."""
    section = tuple(part for part in item.section.split(" > ") if part)
    return Shown(
        item.id, item.paper, section, item.text, item.key or item.paper, item.citation, item.year
    )


def as_held(items: Sequence[ShownClaim]) -> list[Held]:
    """Return claims as the embedded engine takes them."""
    return [
        Held(
            item.number, item.claim, item.title, item.key or item.title, item.citation, item.year,
            item.quote,
        )
        for item in items
    ]  # fmt: skip


async def papers_of(
    services: Services, request: Request, of: Iterable[Passage | Claim]
) -> dict[str, Paper]:
    """Return the records of the papers that passages or claims are of."""
    ids = list(dict.fromkeys(item.paper for item in of))
    if not ids:  # nor is a library opened, or made, for a question that was refused
        return {}
    library = await services.library(request.library)
    return await asyncio.to_thread(library.get, ids)


class _Keys:
    """Short names of papers, in the order of their coming."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, paper: str) -> str:
        return self._names.setdefault(paper, f"P{len(self._names) + 1}")
