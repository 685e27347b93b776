"""Records of Semantic Scholar, read by its package, as papers (api.semanticscholar.org/api-docs/graph)."""

from collections.abc import Mapping

from semanticscholar.Paper import Paper as Record

from state.paper import Author, Paper
from tools.scholar.fields import (
    address_of,
    bare_id,
    count_of,
    day_of,
    exact,
    mapping,
    mappings,
    paper_from,
    text_of,
    year_of,
)
from tools.text.markup import retracted_title

NAME = "semantic_scholar"
FIELDS = (
    "paperId", "externalIds", "url", "title", "abstract", "venue", "publicationVenue", "journal",
    "year", "publicationDate", "authors", "citationCount", "openAccessPdf",
)  # fmt: skip
"""What a whole record is asked for with."""
LINK_FIELDS = (
    "paperId", "externalIds", "title", "venue", "year", "publicationDate", "authors",
    "citationCount",
)  # fmt: skip
"""What the records at the other end of links are asked for with.

Without the abstract: it would make an answer of 100 papers exceed the 10 MB that the service
serves, and it is null there for most works that have one (danielnsilva/semanticscholar#109).
"""
DIMENSIONS = 768
"""Of a SPECTER2 vector."""


_TYPES: Mapping[str, type] = {
    "paperId": str, "externalIds": dict, "title": str, "abstract": str, "venue": str,
    "publicationVenue": dict, "journal": dict, "year": int, "citationCount": int,
    "openAccessPdf": dict,
}  # fmt: skip
"""The documented types of fields. A date is read here: the package drops a record for an odd one."""


def paper_of(record: object) -> Paper | None:
    """Return the paper of a record, or None for a record without a title.

    A field that is null, missing or not of its documented type is left out.
    """
    given = mapping(record)
    sound = {name: given[name] for name, kind in _TYPES.items() if type(given.get(name)) is kind}
    read = Record({**sound, "authors": list(mappings(given.get("authors")))})
    title = text_of(read.title)
    if not title:
        return None
    published = exact(day_of(given.get("publicationDate")))
    venues = [
        read.venue,
        *(place.name for place in (read.publicationVenue, read.journal) if place),
    ]
    place = mapping(given.get("journal"))
    names = [text_of(author.name) for author in read.authors]
    known = {
        "title": title,
        "abstract": text_of(read.abstract),
        "year": year_of(read.year) or (published.year if published else None),
        "published": published,
        "authors": tuple(Author(name=name) for name in names if name),
        "venue": next((name for value in venues if (name := text_of(value))), None),
        "volume": text_of(place.get("volume")),
        "pages": text_of(place.get("pages")),
        **_identifiers(read.paperId, read.externalIds or {}),
        "url": address_of(given.get("url")),
        "pdf": address_of((read.openAccessPdf or {}).get("url")),
        "cited_by": count_of(read.citationCount),
        "retracted": retracted_title(title),
    }
    return paper_from(NAME, known)


def vector_of(record: object) -> list[float] | None:
    """Return the SPECTER2 vector of a record asked for with embedding.specter_v2, if it has one."""
    embedding = mapping(mapping(record).get("embedding"))
    vector = embedding.get("vector")
    if "v2" not in str(embedding.get("model")) or not isinstance(vector, list):
        return None
    sound = len(vector) == DIMENSIONS and all(type(value) in {int, float} for value in vector)
    return vector if sound else None


def _identifiers(own: str | None, external: Mapping[str, object]) -> dict[str, str | None]:
    doi, arxiv = external.get("DOI"), external.get("ArXiv")
    return {
        "doi": bare_id(_written("doi", doi), "doi"),
        "arxiv": bare_id(_written("doi", doi), "arxiv")
        or bare_id(_written("arxiv", arxiv), "arxiv"),
        "semantic_scholar": bare_id(_written("s2", own), "s2"),
    }


def _written(kind: str, value: object) -> str | None:
    return f"{kind}:{value.strip()}" if isinstance(value, str) and value.strip() else None
