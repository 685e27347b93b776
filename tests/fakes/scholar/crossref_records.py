"""Crossref's record of a work."""

from datetime import date, timedelta

from tests.fakes.scholar.openalex_records import marked_up
from tests.fakes.scholar.world import Work, World


def record(world: World, work: Work, score: float) -> dict[str, object]:
    """Return the whole record."""
    doi = work.doi or ""
    references = _references(world, work)
    issued = {"date-parts": [[None]]} if work.number % 53 == 9 else _parts(work)
    title = marked_up(work)
    values: dict[str, object] = {
        "indexed": _moment(date(2026, 3, 1)),
        "reference-count": len(references),
        "publisher": "The Imagined Press",
        "content-domain": {"domain": [], "crossmark-restriction": False},
        "short-container-title": [],
        "DOI": doi.lower() if work.number % 2 else doi,
        "type": "journal-article" if work.kind == "article" else work.kind,
        "created": _moment(work.date),
        "source": "Crossref",
        "is-referenced-by-count": world.cited_by_count(work.number, "crossref"),
        "title": [title] if title else [],
        "prefix": doi.split("/", 1)[0],
        "member": "99999",
        "container-title": [work.venue] if work.venue else [],
        "original-title": [],
        "link": [_link(work)] if work.open_access else [],
        "deposited": _moment(work.date),
        "score": score,
        "resource": {"primary": {"URL": f"https://journals.loom.example/articles/{work.number}"}},
        "subtitle": ["A preliminary report"] if work.number % 37 == 6 else [],
        "short-title": [],
        "issued": issued,
        "references-count": len(references),
        "URL": f"https://doi.org/{doi}",
        "relation": {},
        "ISSN": ["0000-0000"],
        "subject": [],
    }
    if issued["date-parts"] != [[None]]:
        values["published"] = issued
        values["published-online" if work.number % 2 else "published-print"] = issued
    if work.authors:
        values["author"] = [_author(work, at) for at in range(len(work.authors))]
    if work.abstract:
        values["abstract"] = _jats(work)
    if references:
        values["reference"] = references
    if work.retracts is not None:
        values["update-to"] = [_update(world.works[work.retracts], work.date, work.notice_type)]
    notice = world.notices.get(work.number)
    if notice is not None and "crossref" in work.retraction_in:
        values["updated-by"] = [_update(notice, notice.date, notice.notice_type)]
    return values


def _parts(work: Work) -> dict[str, list[list[int | None]]]:
    if not work.day_known:
        return {"date-parts": [[work.year]]}
    whole: list[int | None] = [work.year, work.date.month, work.date.day]
    return {"date-parts": [whole[: 2 if work.number % 7 == 0 else 3]]}


def _moment(day: date) -> dict[str, object]:
    seconds = (day - date(1970, 1, 1)) // timedelta(seconds=1)
    return {
        "date-parts": [[day.year, day.month, day.day]],
        "date-time": f"{day.isoformat()}T00:00:00Z",
        "timestamp": 1000 * seconds,
    }


def _author(work: Work, at: int) -> dict[str, object]:
    given, family = work.authors[at]
    sequence = "additional" if at else "first"
    if not family:
        return {"name": "The Consortium", "sequence": sequence, "affiliation": []}
    return {"given": given, "family": family, "sequence": sequence, "affiliation": []}


def _jats(work: Work) -> str:
    text = (work.abstract or "").replace("&", "&amp;")
    first, _, rest = text.partition(" ")
    return (
        "<jats:title>Abstract</jats:title>\n               "
        f"<jats:p><jats:italic>{first}</jats:italic> {rest}</jats:p>"
    )


def _link(work: Work) -> dict[str, object]:
    return {
        "URL": f"https://papers.loom.example/{work.number}.pdf",
        "content-type": "application/pdf",
        "content-version": "vor",
        "intended-application": "text-mining",
    }


def _update(other: Work, day: date, kind: str) -> dict[str, object]:
    return {
        "updated": _moment(day),
        "DOI": other.doi,
        "type": kind,
        "source": "retraction-watch" if other.number % 2 else "publisher",
        "label": kind.replace("_", " ").capitalize(),
    }


def _references(world: World, work: Work) -> list[dict[str, object]]:
    """Return what a work cites; of those known by DOI the publisher left out one in six."""
    if "crossref" not in work.lists_references:
        return []
    found: list[dict[str, object]] = []
    for at, reference in enumerate(work.references, 1):
        entry: dict[str, object] = {"key": f"{work.number}_CR{at}"}
        if isinstance(reference, str):
            entry["unstructured"] = f"Someone. Untraced work {reference[1:]}. Unpublished, 1990."
            if at % 2:
                entry |= {
                    "doi-asserted-by": "crossref",
                    "DOI": f"10.99999/untraced.{reference[1:]}",
                }
        elif (other := world.works[reference]).doi and at % 6:
            entry |= {"doi-asserted-by": "publisher", "DOI": other.doi, "year": str(other.year)}
        else:
            names = other.authors[0][1] if other.authors else "Anonymous"
            entry |= {"article-title": other.title, "author": names, "year": str(other.year)}
        found.append(entry)
    return found
