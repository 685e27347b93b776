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
from tools.text import quotable
from tools.text.self_reference import attribute
from tools.text.source_lines import without_numbers

ANNOTATION, RECORD = ("Annotation",), ("Record",)
"""Sections of passages that are not the paper's words: the library's of it, and its record as a sentence."""


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
    title: str = ""
    """Of its paper, as `citation` and `year` are."""
    citation: str = ""
    year: int | None = None
    quote: str = ""
    section: str = ""


def show_passages(
    passages: Iterable[Passage], papers: Mapping[str, Paper]
) -> list[tuple[Passage, ShownPassage]]:
    """Return passages as they are shown, as S1, S2, ...; one that only commands is left out."""
    shown: list[tuple[Passage, ShownPassage]] = []
    keys: dict[str, str] = {}
    for passage in passages:
        text, _ = without_injections(passage.text)
        if not text.strip():
            continue
        paper = papers.get(passage.paper)
        item = ShownPassage(
            id=f"S{len(shown) + 1}", paper=without_injections(passage.title)[0],
            section=without_injections(" > ".join(passage.section))[0], text=text,
            citation=_citation(paper), year=paper.year if paper else None,
            key=keys.setdefault(passage.paper, f"P{len(keys) + 1}"),
        )  # fmt: skip
        shown.append((passage, item))
    return shown


def show_claims(
    claims: Sequence[Claim], papers: Mapping[str, Paper], passages: Mapping[str, Passage]
) -> list[ShownClaim]:
    """Return the claims with what their papers are called and under which heading they stand."""
    shown = []
    for claim in claims:
        paper, passage = papers.get(claim.paper), passages.get(claim.passage)
        shown.append(
            ShownClaim(
                number=claim.number, claim=claim.text, quote=claim.quote.text,
                title=without_injections(paper.title)[0] if paper else "",
                citation=_citation(paper), year=paper.year if paper else None,
                section=without_injections(" > ".join(passage.section))[0] if passage else "",
            )
        )  # fmt: skip
    return shown


def quoted(claim: ShownClaim) -> str:
    """Return a claim's quote as a sentence of an answer: verbatim in quotation marks, with its source.

    'Lewis et al. (2020): “RAG models generate ...”', or 'Lewis et al. (2020) introduce RAG models
    ...' where it began with 'We' or 'This paper'. The paper's own '[12]' is left out. Nothing else
    is changed, so that whoever checks the
    answer can make the sentence again and compare.
    """
    text = without_numbers(claim.quote)
    if claim.section == RECORD[0]:
        return f"“{text.removeprefix('“')}"  # quotes are found without the marks around them
    year = f" ({claim.year})" if claim.year else ""
    if not claim.citation:
        return quotable.shown(text, f"‘{claim.title}’{year}" if claim.title else "")
    name = f"{claim.citation}{year}"
    if claim.section != ANNOTATION[0]:
        return quotable.shown(text, name)
    plural = claim.citation.endswith("et al.") or " and " in claim.citation
    return attribute(text, name, plural) or quotable.shown(
        text, f"The library's annotation of {name}"
    )


def _citation(paper: Paper | None) -> str:
    """Return how a paper is called; one without authors is called by its title, which may command."""
    return without_injections(paper.citation)[0] if paper else ""


async def papers_of(
    services: Services, request: Request, of: Iterable[Passage | Claim]
) -> dict[str, Paper]:
    """Return the records of the papers that passages or claims are of."""
    ids = list(dict.fromkeys(item.paper for item in of))
    if not ids:  # nor is a library opened, or made, for a question that was refused
        return {}
    library = await services.library(request.library)
    return await asyncio.to_thread(library.get, ids)


async def claims_as_shown(
    services: Services, request: Request, claims: Sequence[Claim]
) -> list[ShownClaim]:
    """Return the claims as they are shown, with what their papers and passages tell."""
    papers = await papers_of(services, request, claims)
    passages = await services.run_store.passages.get([claim.passage for claim in claims])
    return show_claims(claims, papers, passages)
