"""OpenAlex's record of a work."""

from tests.fakes.scholar.world import Work, World

_SITE = "https://openalex.org/"
FIELDS = (
    "id", "doi", "title", "display_name", "relevance_score", "publication_year", "publication_date",
    "ids", "language", "primary_location", "type", "type_crossref", "indexed_in", "open_access",
    "authorships", "institution_assertions", "countries_distinct_count",
    "institutions_distinct_count", "corresponding_author_ids", "corresponding_institution_ids",
    "apc_list", "apc_paid", "fwci", "has_fulltext", "fulltext_origin", "cited_by_count",
    "citation_normalized_percentile", "cited_by_percentile_year", "biblio", "is_retracted",
    "is_paratext", "primary_topic", "topics", "keywords", "concepts", "mesh", "locations_count",
    "locations", "best_oa_location", "sustainable_development_goals", "grants", "datasets",
    "versions", "referenced_works_count", "referenced_works", "related_works",
    "abstract_inverted_index", "abstract_inverted_index_v3", "cited_by_api_url", "counts_by_year",
    "updated_date", "created_date",
)  # fmt: skip
"""The fields of a whole record, which are also those that may be selected."""


def doi_of(work: Work) -> str | None:
    """Return the DOI that OpenAlex gives: its own, or the one that arXiv registers."""
    doi = work.doi or (f"10.48550/arxiv.{work.arxiv}" if work.arxiv else None)
    return f"https://doi.org/{doi.lower()}" if doi else None


def marked_up(work: Work) -> str | None:
    """Return the title as publishers deposit it: now and then with markup and entities."""
    if not work.title:
        return None
    if work.number % 29 == 4:
        first, _, rest = work.title.partition(" ")
        return f"<i>{first}</i> {rest}"
    if work.number % 31 == 5:
        return work.title.replace(" and ", " &amp; ")
    return work.title


def record(world: World, work: Work) -> dict[str, object]:
    """Return the whole record, without the relevance that only a search knows."""
    title, doi = marked_up(work), doi_of(work)
    references = _references(world, work)
    place = None if work.bare else _location(work, doi)
    values: dict[str, object] = dict.fromkeys(FIELDS)
    del values["relevance_score"]
    values |= {
        "id": _SITE + work.openalex,
        "doi": doi,
        "title": title,
        "display_name": title,
        "publication_year": None if work.bare else work.year,
        "publication_date": None if work.bare else work.date.isoformat(),
        "ids": {"openalex": _SITE + work.openalex, **({"doi": doi} if doi else {})},
        "language": None if work.bare else "en",
        "primary_location": place,
        "type": "preprint" if work.doi is None and work.arxiv else "article",
        "type_crossref": None if work.bare else "journal-article",
        "indexed_in": ["crossref"] if work.doi else [],
        "open_access": {
            "is_oa": work.open_access,
            "oa_status": "green" if work.open_access else "closed",
            "oa_url": _pdf(work),
            "any_repository_has_fulltext": work.open_access,
        },
        "authorships": [_authorship(work, at) for at in range(len(work.authors))],
        "cited_by_count": world.cited_by_count(work.number, "openalex"),
        "is_retracted": "openalex" in work.retraction_in,
        "is_paratext": False,
        "has_fulltext": False,
        "biblio": dict.fromkeys(("volume", "issue", "first_page", "last_page")),
        "locations_count": int(place is not None),
        "locations": [place] if place else [],
        "best_oa_location": place if work.open_access else None,
        "referenced_works_count": len(references),
        "referenced_works": references,
        "abstract_inverted_index": _inverted(work.abstract),
        "cited_by_api_url": f"https://api.openalex.org/works?filter=cites:{work.openalex}",
        "updated_date": "2026-02-03T01:02:03.456789",
        "created_date": "2026-01-02",
    }
    return values


def _references(world: World, work: Work) -> list[str]:
    known = work.references if work.openalex_lists_references else ()
    cited = (one if isinstance(one, str) else world.works[one] for one in known)
    return [
        _SITE + (one if isinstance(one, str) else one.openalex)
        for one in cited
        if isinstance(one, str) or "openalex" in one.held_by
    ]


def _pdf(work: Work) -> str | None:
    own = f"https://papers.loom.example/{work.number}.pdf"
    place = f"https://arxiv.org/pdf/{work.arxiv}" if work.arxiv else own
    return place if work.open_access else None


def _location(work: Work, doi: str | None) -> dict[str, object]:
    return {
        "is_oa": work.open_access,
        "landing_page_url": doi,
        "pdf_url": _pdf(work),
        "source": _source(work),
        "license": "cc-by" if work.open_access else None,
        "license_id": "https://openalex.org/licenses/cc-by" if work.open_access else None,
        "version": "publishedVersion" if work.open_access else None,
        "is_accepted": work.open_access,
        "is_published": work.open_access,
    }


def _source(work: Work) -> dict[str, object] | None:
    kind = "conference" if work.kind == "proceedings-article" else "journal"
    number = 4_300_000_000 + sum(map(ord, work.venue or ""))
    named: dict[str, object] = {
        "id": f"{_SITE}S{number}",
        "display_name": work.venue,
        "issn_l": None,
        "type": kind,
    }
    return named if work.venue else None


def _authorship(work: Work, at: int) -> dict[str, object]:
    given, family = work.authors[at]
    name = f"{given} {family}".strip() or None
    place = "first" if at == 0 else "last" if at == len(work.authors) - 1 else "middle"
    number = sum(map(ord, name or ""))
    return {
        "author_position": place,
        "author": {
            "id": f"{_SITE}A50000{number}" if name else None,
            "display_name": name,
            "orcid": None,
        },
        "institutions": [],
        "countries": [],
        "is_corresponding": False,
        "raw_author_name": name,
        "raw_affiliation_strings": [],
        "affiliations": [],
    }


def _inverted(abstract: str | None) -> dict[str, list[int]] | None:
    words = (abstract or "").split()
    places = {
        word: [at for at, one in enumerate(words) if one == word] for word in dict.fromkeys(words)
    }
    return None if abstract is None else places
