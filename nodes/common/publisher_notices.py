"""Notices: what publishers said of papers after they appeared, for every graph that keeps, cites or checks papers.

Retractions, expressions of concern, corrections, and the published version of a preprint. They are asked for anew in
each run: an answer that an earlier run has cached may be from before the notice.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from state.inputs import CheckedRequest
from state.merging import is_preprint_doi, is_preprint_venue
from state.paper import Notice, NoticeKind, Paper, title_key, united_notices
from state.run import Failure
from state.writing import VerdictReason
from tools.errors import InputError, PermanentError, TransientError
from tools.scholar.open_source import is_online
from tools.services import Services


@dataclass(frozen=True)
class Standing:
    """One thing that stands against citing a paper as it is."""

    cause: VerdictReason
    detail: str
    """In words, with the DOI of the notice or of the published version, where it is known."""
    remedy: str


async def noticed_now(
    services: Services,
    request: CheckedRequest,
    papers: Collection[Paper],
    stage: str,
    *,
    records: bool = False,
) -> tuple[dict[str, Paper], list[Failure]]:
    """Return the papers of which something is told that they do not say yet, marked; and who could not be asked.

    A marked paper is not always a retracted one: see `Paper.retracted` and `Paper.notices`. Without a source on
    the network nobody but the library is asked.

    Args:
        services: Of the run that asks.
        request: Its sources are asked.
        papers: Those in question; of one that is retracted already nothing more is asked.
        stage: The node that asks, for its failures.
        records: Whether the sources are asked for the records, too: those of an earlier run may be old.
    """
    open_, marked, failures = {one.id: one for one in papers if not one.retracted}, {}, []
    asked = [name for name in request.sources if records]
    if any(is_online(name) for name in request.sources):
        asked.append("notices")
    for name in asked if open_ else ():
        try:
            told, published = await _told_by(name, services, request, list(open_.values()))
        except (TransientError, PermanentError, InputError) as error:
            subject = "crossref" if name == "notices" else name
            failures.append(Failure(stage=stage, subject=subject, cause=str(error), remedy=_REMEDY))
            continue
        for key in {**told, **published}:
            paper = _marked(
                open_[key],
                told.get(key, ()),
                "crossref" if name == "notices" else name,
                published.get(key, ""),
            )
            if paper != open_[key]:
                marked[key] = open_[key] = paper
            if paper.retracted:
                open_.pop(key)
    return marked, failures


_REMEDY = "CiteLoom knows only the retractions that other sources mark; run again when it answers"


async def _told_by(
    name: str, services: Services, request: CheckedRequest, papers: list[Paper]
) -> tuple[Mapping[str, tuple[Notice, ...]], Mapping[str, str]]:
    """Return what a source, or Crossref's notices, say of these papers, by their ids.

    Beside it, under which DOI those that are cited as preprints have appeared.
    """
    if name == "notices":
        return await (await services.crossref(request, refresh=True)).notices(papers), {}
    source = await services.source(name, request, refresh=True)
    ids = {key: paper.id for paper in papers for key in (paper.id, *paper.aliases)}
    records = await source.get([key for key in ids if not key.startswith("title:")])
    told: dict[str, tuple[Notice, ...]] = {}
    published: dict[str, str] = {}
    for key, record in records.items():
        own = (Notice(kind="retraction"),) if record.retracted else ()
        told[ids[key]] = united_notices(told.get(ids[key], ()), record.notices, own)
        if doi := published_doi(record):
            published[ids[key]] = doi
    preprints = {one.id for one in papers if _cited_as_preprint(one) and not published_doi(one)}
    return told, {key: doi for key, doi in published.items() if key in preprints}


def _marked(paper: Paper, notices: tuple[Notice, ...], source: str, doi: str = "") -> Paper:
    """Return a paper with these notices; its origin names who says that it was retracted, and the notice."""
    update: dict[str, object] = {"notices": united_notices(paper.notices, notices)}
    if doi:
        update["aliases"] = (*paper.aliases, f"doi:{doi}")
    gone = next((one for one in notices if one.kind == "retraction"), None)
    if gone:
        origin = f"{source}: {gone.doi}" if gone.doi else source
        update |= {"retracted": True, "origin": {**paper.origin, "retracted": origin}}
    return paper.model_copy(update=update)


def standings(papers: Collection[Paper]) -> dict[str, list[Standing]]:
    """Return what stands against citing papers as they are, by their ids, the gravest first.

    A preprint is superseded where another record here is the same work as published, or where its own record has
    the DOI under which it appeared.
    """
    published = {
        title_key(paper.title): paper.doi or ""
        for paper in papers
        if not _cited_as_preprint(paper) and _is_published(f"doi:{paper.doi or ''}".lower())
    }
    told = {paper.id: list(_standings(paper, published)) for paper in papers}
    return {key: found for key, found in told.items() if found}


def news_of(paper: Paper) -> str:
    """Say of a paper that `noticed_now` marked what was said of it since."""
    if paper.retracted:
        return f"“{paper.title}” has been retracted since"
    return f"“{paper.title}”: {'; '.join(one.detail for one in _standings(paper, {}))}"


def _standings(paper: Paper, published: Mapping[str, str]) -> Iterator[Standing]:
    dois: dict[NoticeKind, list[str]] = {}
    for notice in paper.notices:
        dois.setdefault(notice.kind, []).extend([notice.doi] if notice.doi else [])
    if paper.retracted:
        yield Standing(
            "retracted",
            f"retracted{_named(dois.get('retraction'))}",
            "do not cite it, or mention the retraction in the text",
        )
    for kind, cause, detail, remedy in _LIGHTER:
        if kind in dois:
            yield Standing(cause, f"{detail}{_named(dois[kind])}", remedy)
    doi = published_doi(paper) or published.get(title_key(paper.title), "")
    if doi and _cited_as_preprint(paper):
        yield Standing(
            "superseded",
            f"preprint of a published paper{_named([doi])}",
            "cite the published version",
        )


_LIGHTER: tuple[tuple[NoticeKind, VerdictReason, str, str], ...] = (
    (
        "partial_retraction",
        "concern",
        "a part of it was retracted",
        "read the notice: it may concern what you cite",
    ),
    (
        "concern",
        "concern",
        "its publisher issued an expression of concern",
        "read the notice before you rely on the paper",
    ),
    (
        "correction",
        "corrected",
        "a correction was published",
        "check that what you cite still stands",
    ),
)


def _named(dois: Collection[str] | None) -> str:
    return f" (doi:{', doi:'.join(dois)})" if dois else ""


def _cited_as_preprint(paper: Paper) -> bool:
    """Whether a paper goes by the id of a preprint, and its own record names no venue that published it.

    A venue that another record brought does not make it cited as published.
    """
    if not paper.id.startswith("arxiv:") and not is_preprint_doi(paper.id.removeprefix("doi:")):
        return False
    own = paper.origin.get("venue") == paper.origin.get("title")
    return not (paper.venue and own) or is_preprint_venue(paper.venue or "")


def published_doi(paper: Paper) -> str:
    """Return the DOI under which a work was published, the record's own before its aliases; empty if none is known."""
    keys = (f"doi:{(paper.doi or '').lower()}", *paper.aliases)
    return next((key.removeprefix("doi:") for key in keys if _is_published(key)), "")


def _is_published(key: str) -> bool:
    """Whether an id is a DOI, and no preprint's."""
    doi = key.removeprefix("doi:")
    return key.startswith("doi:") and bool(doi) and not is_preprint_doi(doi)
