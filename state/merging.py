"""Which record wins where records of one work become one: the rule of each field, for every caller.

`merge_papers` unites two of which the caller says which goes first; `merge` the records of all sources, in whatever
order: that of a published version goes first, then the user's library, OpenAlex, Crossref, Semantic Scholar, arXiv.

| field | `merge_papers` | `merge` |
|---|---|---|
| year, venue, volume, issue, pages, url, pdf, record, ids of sources | the first that has one | the same |
| title | the first's | the same |
| doi | the first that has one | the first of a published version, else the first |
| published | the first that has one | the earliest year's; in it an exact day, then 1 January |
| cited_by | the first that has one | the largest |
| abstract, abstract_kind | the first by the authors, else the first | the longest by the authors, else the first |
| authors, authors_complete | the first's; a longer list, or a complete one, wins over it | the same |
| retracted | yes if one says so | the same |
| references, notices, other_titles, snippets, aliases | all, each once | the same |
| references_missing | yes if one says so and there are no references | the same |
| origin | goes with each field | the same |
| id | the first's | the caller's, else the best: see `preference` |
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Any

from state.paper import Paper, canonical_id, id_rank, united_notices

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


_FIRST_WINS = (
    *("abstract", "year", "published", "venue", "volume", "issue", "pages", "doi", "arxiv"),
    *("openalex", "semantic_scholar", "url", "pdf", "cited_by", "record"),
)


def merge_papers(first: Paper, second: Paper) -> Paper:
    """Merge two records of one work field by field; `first` wins where both have a value, but for the rules above."""
    taken = [name for name in _FIRST_WINS if not getattr(first, name) and getattr(second, name)]
    if second.abstract and (first.abstract_kind, second.abstract_kind) == (
        "annotation",
        "abstract",
    ):
        taken.append("abstract")
    if "abstract" in taken:
        taken.append("abstract_kind")
    if len(second.authors) > len(first.authors) or (
        second.authors and second.authors_complete and not first.authors_complete
    ):
        taken += ["authors", "authors_complete"]
    if second.retracted and not first.retracted:
        taken.append("retracted")
    origin = {name: source for name, source in first.origin.items() if name not in taken}
    references = tuple(dict.fromkeys([*first.references, *second.references]))
    others = dict.fromkeys([*first.aliases, *second.aliases, second.id])
    titles = dict.fromkeys([*first.other_titles, *second.other_titles])
    snippets = {one.text: one for one in (*first.snippets, *second.snippets)}
    return first.model_copy(
        update={
            **{name: getattr(second, name) for name in taken},
            "references": references,
            "notices": united_notices(first.notices, second.notices),
            "other_titles": tuple(title for title in titles if title != first.title),
            "snippets": tuple(snippets.values()),
            "references_missing": not references
            and (first.references_missing or second.references_missing),
            "aliases": tuple(key for key in others if key != first.id),
            "origin": origin | {n: second.origin[n] for n in taken if n in second.origin},
        }
    )


_BEST: Mapping[tuple[str, ...], Callable[[Any], Any]] = {
    ("doi",): lambda one: is_preprint_doi(one.doi),
    ("cited_by",): lambda one: -one.cited_by,
    ("abstract", "abstract_kind"): lambda one: (
        -len(one.abstract) if one.abstract_kind == "abstract" else 0
    ),
    # Sources write a 1 January where they know the year only. A cut-off asks since when the work is known, so that
    # this may lie in an earlier year than `year`.
    ("published",): lambda one: (
        one.published.year,
        (one.published.month, one.published.day) == (1, 1),
        one.published,
    ),
}
"""What wins in `merge` whatever goes first: the fields that go together, and what is least for the best record."""


def merge(records: Sequence[Paper], *, id: str | None = None) -> Paper:  # noqa: A002 - a field's name
    """Return the one record of a work: every field from the record that knows it best; their order does not matter.

    Args:
        records: At least one.
        id: The id to keep; without it the best one known, DOIs of published versions first. All
            other ids become aliases.
    """
    ordered = [records[at] for at in merge_order(records)]
    merged = reduce(merge_papers, ordered)
    values: dict[str, object] = {}
    origin = dict(merged.origin)
    for names, rank in _BEST.items():
        if known := [one for one in ordered if getattr(one, names[0]) not in {None, ""}]:
            best = min(known, key=rank)
            values |= {name: getattr(best, name) for name in names}
            origin |= {name: best.origin[name] for name in names if name in best.origin}
    merged = merged.model_copy(update={**values, "origin": origin})
    ids = sorted(dict.fromkeys(chain.from_iterable(map(ids_of, ordered))), key=preference)
    key = id or (canonical_id(f"doi:{merged.doi}") if merged.doi else ids[0])
    aliases = tuple(other for other in ids if other != key)
    snippets = tuple(one.model_copy(update={"paper": key}) for one in merged.snippets)
    return merged.model_copy(update={"id": key, "aliases": aliases, "snippets": snippets})
