"""Semantic Scholar's record of a paper, with the fields that were asked for."""

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tests.fakes.scholar.matching import stems
from tests.fakes.scholar.world import Work, World

FIELDS = frozenset(
    {
        "paperId",
        "corpusId",
        "externalIds",
        "url",
        "title",
        "abstract",
        "venue",
        "publicationVenue",
        "year",
        "referenceCount",
        "citationCount",
        "influentialCitationCount",
        "isOpenAccess",
        "openAccessPdf",
        "fieldsOfStudy",
        "s2FieldsOfStudy",
        "publicationTypes",
        "publicationDate",
        "journal",
        "citationStyles",
        "authors",
        "citations",
        "references",
        "embedding",
        "tldr",
        "textAvailability",
    }
)
WIDTH = 768


def fields_of(text: str | None) -> tuple[str, ...]:
    """Return the fields asked for.

    Raises:
        ValueError: One of them is unknown.
    """
    names = tuple((text or "title").split(","))
    if unknown := {part for name in names for part in name.split(".")} - FIELDS - {"specter_v2"}:
        raise ValueError(f"Unrecognized or unsupported fields: {sorted(unknown)}")
    return names


def record(world: World, work: Work, fields: tuple[str, ...]) -> dict[str, object]:
    """Return a record; the paper's id is always in it."""
    found: dict[str, object] = {"paperId": work.s2}
    for name in sorted(FIELDS & {field.split(".", 1)[0] for field in fields}):
        inner = tuple(field.split(".", 1)[1] for field in fields if field.startswith(f"{name}."))
        if name == "references":
            found[name] = references(world, work, inner)
        elif name == "citations":
            found[name] = citations(world, work, inner)
        else:
            found[name] = _embedding(work) if name == "embedding" else _plain(world, work, name)
    return found


def references(world: World, work: Work, fields: tuple[str, ...]) -> list[dict[str, object]] | None:
    """Return the papers that a paper cites, or None where the publisher withholds them."""
    if "semantic_scholar" not in work.lists_references:
        return None if work.references else []
    return [_reference(world, at, fields) for at in work.references]


def citations(world: World, work: Work, fields: tuple[str, ...]) -> list[dict[str, object]]:
    """Return the papers that cite a paper, the latest first."""
    numbers = reversed(world.citing(work.number, "semantic_scholar"))
    return [record(world, world.works[number], fields) for number in numbers]


def _reference(world: World, at: int | str, fields: tuple[str, ...]) -> dict[str, object]:
    if isinstance(at, int) and "semantic_scholar" in world.works[at].held_by:
        return record(world, world.works[at], fields)
    # A paper that could not be matched: a title, and nothing else.
    title = world.works[at].title if isinstance(at, int) else f"Untraced work {at[1:]}"
    return {**dict.fromkeys(("paperId", *fields)), "title": title, "authors": []}


def _plain(world: World, work: Work, name: str) -> object:
    year = None if work.bare else work.year
    date = work.date.isoformat() if work.day_known and not work.bare else None
    values: dict[str, object] = {
        "paperId": work.s2,
        "corpusId": work.corpus,
        "externalIds": _external(work),
        "url": f"https://www.semanticscholar.org/paper/{work.s2}",
        "title": work.title or None,
        "abstract": work.abstract,
        "venue": work.venue or ("arXiv.org" if work.kind == "preprint" else ""),
        "publicationVenue": None,
        "year": year,
        "isOpenAccess": work.open_access,
        "openAccessPdf": _pdf(work),
        "fieldsOfStudy": None if work.bare else ["Computer Science"],
        "s2FieldsOfStudy": [] if work.bare else [_FIELD],
        "publicationTypes": None if work.number % 5 == 0 else ["JournalArticle"],
        "publicationDate": date,
        "journal": {"name": work.venue} if work.venue else None,
        "citationStyles": {
            "bibtex": f"@Article{{Loom{work.number},\n title = {{{work.title}}}\n}}\n"
        },
        "authors": [_author(given, family) for given, family in work.authors],
        "tldr": None,
        "textAvailability": "abstract" if work.abstract else "none",
        "influentialCitationCount": 0,
    }
    values["citationCount"] = world.cited_by_count(work.number, "semantic_scholar")
    values["referenceCount"] = len(work.references)
    return values[name]


_FIELD = {"category": "Computer Science", "source": "s2-fos-model"}


def _external(work: Work) -> dict[str, object]:
    ids: dict[str, object] = {}
    if work.number % 3 == 0:
        ids["MAG"] = str(2_100_000_000 + work.number)
    if work.arxiv:
        ids["ArXiv"] = work.arxiv
    if work.doi:
        ids["DOI"] = work.doi
    elif work.arxiv and work.number % 2:
        ids["DOI"] = f"10.48550/arXiv.{work.arxiv}"
    ids["CorpusId"] = work.corpus
    return ids


def _pdf(work: Work) -> dict[str, object] | None:
    url = f"https://papers.loom.example/{work.number}.pdf"
    url = f"https://arxiv.org/pdf/{work.arxiv}" if work.arxiv else url
    free: dict[str, object] = {"url": url, "status": "GREEN", "license": "CCBY"}
    closed: dict[str, object] = {
        "url": "",
        "status": "CLOSED" if work.doi else None,
        "license": None,
    }
    return None if work.bare else free if work.open_access else closed


def _author(given: str, family: str) -> dict[str, object]:
    name = f"{given} {family}".strip() or None
    return {"authorId": str(sum(map(ord, name)) * 1009) if name else None, "name": name}


def _embedding(work: Work) -> dict[str, object] | None:
    if not work.title or work.number % 23 == 9:
        return None
    vector = np.sum([_direction(stem) for stem in stems(work.text)], axis=0)
    vector = 20 * vector / np.linalg.norm(vector)
    return {"model": "specter_v2", "vector": [round(float(value), 6) for value in vector]}


@lru_cache(maxsize=5000)
def _direction(stem: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(WIDTH)
