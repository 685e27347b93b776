"""The one record of a work, made of the records of its sources and versions."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import reduce
from itertools import chain

from state.paper import Paper, canonical_id, id_rank, merge_papers

# Registrants of preprints, and of deposits that hold copies. 10.1101 is shared with journals.
_PREPRINT_DOI = re.compile(
    r"10\.(?:48550|64898|20944|36227|2139|21203|26434|22541|31(?:219|2[23]\d)|31730|35542|33774"
    r"|32388|51224|55458|5281|6084|13140|17605|47649)/"
    r"|10\.1101/(?:\d{4}\.\d\d\.\d\d\.)?\d{6,}"
    r"|10\.1002/essoar\.|10\.7287/peerj\.preprints|10\.2196/preprints\.|10\.1590/scielopreprints"
    r"|10\.14293/(?:s2199|pr2199)|10\.5194/\S*-discuss|10\.5194/egusphere-",
    re.IGNORECASE,
)
_PREPRINT_VENUE = re.compile(
    r"\b(?:\w*[Rr][Xx]iv\b|CoRR\b|SSRN|Preprints?\b|Research Square|Authorea|Zenodo|OSF\b)"
)
_ID_FIELDS = (
    ("doi", "doi:"),
    ("arxiv", "arxiv:"),
    ("openalex", "openalex:"),
    ("semantic_scholar", "s2:"),
)
_SOURCES = {"openalex": 1, "crossref": 2, "semantic_scholar": 3, "arxiv": 4, "google": 5}


def is_preprint_doi(doi: str) -> bool:
    """Whether a bare DOI is that of a preprint or of a deposit, not of a published version."""
    return bool(_PREPRINT_DOI.match(doi))


def is_preprint_venue(venue: str) -> bool:
    """Whether a venue is a server of preprints."""
    return bool(_PREPRINT_VENUE.search(venue))


def is_preprint(paper: Paper) -> bool:
    """Whether the record describes a preprint, even one whose published version is known."""
    if paper.doi and is_preprint_doi(paper.doi):
        return True
    if paper.venue:
        return is_preprint_venue(paper.venue)
    return paper.doi is None and paper.arxiv is not None


def ids_of(paper: Paper) -> list[str]:
    """Return every canonical id of a paper, DOIs first and those of published versions before."""
    fields = [
        canonical_id(prefix + value)
        for name, prefix in _ID_FIELDS
        if (value := getattr(paper, name))
    ]
    return sorted(dict.fromkeys([*fields, paper.id, *paper.aliases]), key=preference)


def preference(key: str) -> tuple[int, bool, str]:
    """Return where an id stands among those of a work; what is least is its canonical id."""
    return id_rank(key), is_preprint_doi(key.partition(":")[2]), key


def merge_order(records: Sequence[Paper]) -> list[int]:
    """Return the places of records in their order of precedence, which gives a work's fields first.

    It does not depend on their order: what is alike in all that counts is ordered by its content.
    """
    ranks = [
        (is_preprint(record), _SOURCES.get(record.origin.get("title", ""), 0), record.id)
        for record in records
    ]
    times = Counter(ranks)
    return sorted(
        range(len(records)),
        key=lambda at: (ranks[at], records[at].model_dump_json() if times[ranks[at]] > 1 else ""),
    )


def merge(records: Sequence[Paper], *, id: str | None = None) -> Paper:  # noqa: A002 - a field's name
    """Return the one record of a work: every field from the record that knows it best.

    Records of the published version come before those of a preprint, then the user's own library,
    OpenAlex, Crossref, Semantic Scholar, arXiv; the order of `records` does not matter. But the
    abstract is the longest one by the authors, `cited_by` the largest, retracted in one is
    retracted, notices and snippets are united, and `published` the earliest exact day of any version:
    what a cut-off asks is since when the work is known, so it may lie in an earlier year than `year`.
    A 1 January gives way to another day of its year, because sources write it where they know the
    year only.

    Args:
        records: At least one.
        id: The id to keep; without it the best one known, DOIs of published versions first. All
            other ids become aliases.
    """
    ordered = [records[at] for at in merge_order(records)]
    merged = reduce(merge_papers, ordered)
    origin = dict(merged.origin)
    values: dict[str, object] = {}
    for name, record in _exceptions(ordered):
        values[name] = getattr(record, name)
        if name in record.origin:
            origin[name] = record.origin[name]
    merged = merged.model_copy(update={**values, "origin": origin})
    ids = sorted(dict.fromkeys(chain.from_iterable(map(ids_of, ordered))), key=preference)
    best = id or (canonical_id(f"doi:{merged.doi}") if merged.doi else ids[0])
    aliases = tuple(key for key in ids if key != best)
    snippets = tuple(one.model_copy(update={"paper": best}) for one in merged.snippets)
    return merged.model_copy(update={"id": best, "aliases": aliases, "snippets": snippets})


def _exceptions(records: Sequence[Paper]) -> Iterator[tuple[str, Paper]]:
    if dois := [record for record in records if record.doi]:
        yield "doi", min(dois, key=lambda record: is_preprint_doi(record.doi or ""))
    if counted := [record for record in records if record.cited_by is not None]:
        yield "cited_by", max(counted, key=lambda record: record.cited_by or 0)
    texts = [record for record in records if record.abstract]
    if texts := [record for record in texts if record.abstract_kind == "abstract"]:
        longest = max(texts, key=lambda record: len(record.abstract or ""))
        yield from (("abstract", longest), ("abstract_kind", longest))
    if dated := [(record.published, record) for record in records if record.published]:
        exact = {day.year for day, _ in dated if not _is_new_year(day)}
        dated = [(day, r) for day, r in dated if not (_is_new_year(day) and day.year in exact)]
        yield "published", min(dated, key=lambda one: one[0])[1]


def _is_new_year(day: date) -> bool:
    return (day.month, day.day) == (1, 1)
