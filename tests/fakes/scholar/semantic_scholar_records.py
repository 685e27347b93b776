"""Semantic Scholar's record of a paper, with the fields that were asked for."""

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tests.fakes.scholar.matching import stems
from tests.fakes.scholar.world import Work, World

FIELDS = frozenset(
    {
        "paperId", "corpusId", "externalIds", "url", "title", "abstract", "venue", "publicationVenue",
        "year", "referenceCount", "citationCount", "influentialCitationCount", "isOpenAccess",
        "openAccessPdf", "fieldsOfStudy", "s2FieldsOfStudy", "publicationTypes", "publicationDate",
        "journal", "citationStyles", "authors", "citations", "references", "embedding", "tldr",
        "textAvailability",
    }
)  # fmt: skip
AUTHOR_FIELDS = frozenset(
    {
        "authorId", "externalIds", "url", "name", "affiliations", "homepage", "paperCount",
        "citationCount", "hIndex",
    }
)  # fmt: skip
_MODELS = {"specter_v1": "specter@v0.1.1", "specter_v2": "specter_v2"}
WIDTH = 768


class BadFieldsError(ValueError):
    """Fields that the service does not know."""


def fields_of(text: str | None, extra: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the fields asked for.

    Raises:
        BadFieldsError: One of them is unknown.
    """
    names = tuple(name.strip() for name in (text or "title").split(",") if name.strip())
    unknown = [name for name in names if not _known(name) and name not in extra]
    if unknown:
        raise BadFieldsError(f"Unrecognized or unsupported fields: [{', '.join(unknown)}]")
    return names


def _known(name: str) -> bool:
    first, dot, rest = name.partition(".")
    if not dot:
        return first in FIELDS
    if first in {"references", "citations"}:
        inner, _, last = rest.partition(".")
        return inner in FIELDS and (not last or last in AUTHOR_FIELDS)
    if first == "embedding":
        return rest in _MODELS
    return first == "authors" and rest in AUTHOR_FIELDS


def record(world: World, work: Work, fields: tuple[str, ...]) -> dict[str, object]:
    """Return a record; the paper's id is always in it."""
    found: dict[str, object] = {"paperId": work.s2}
    for name in sorted(FIELDS & {field.split(".", 1)[0] for field in fields}):
        inner = tuple(field.split(".", 1)[1] for field in fields if field.startswith(f"{name}."))
        if name == "references":
            found[name] = references(world, work, inner or ("title",))
        elif name == "citations":
            found[name] = citations(world, work, inner or ("title",))
        elif name == "embedding":
            found[name] = _embedding(work, inner[0] if inner else "specter_v1")
        else:
            found[name] = _plain(world, work, name)
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
    names = FIELDS & {field.split(".", 1)[0] for field in fields}
    empty: dict[str, object] = {"paperId": None, **dict.fromkeys(sorted(names - {"paperId"}))}
    if "title" in names:
        empty["title"] = world.works[at].title if isinstance(at, int) else f"Untraced work {at[1:]}"
    if "authors" in names:
        empty["authors"] = []
    return empty


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
    if name == "citationCount":
        return world.cited_by_count(work.number, "semantic_scholar")
    if name == "referenceCount":
        return len(work.references)
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
    if work.bare:
        return None
    if not work.open_access:
        return {"url": "", "status": "CLOSED" if work.doi else None, "license": None}
    url = f"https://papers.loom.example/{work.number}.pdf"
    if work.arxiv:
        url = f"https://arxiv.org/pdf/{work.arxiv}"
    return {"url": url, "status": "GREEN", "license": "CCBY"}


def _author(given: str, family: str) -> dict[str, object]:
    name = f"{given} {family}".strip() or None
    return {"authorId": str(sum(map(ord, name)) * 1009) if name else None, "name": name}


def _embedding(work: Work, model: str) -> dict[str, object] | None:
    if not work.title or work.number % 23 == 9:
        return None
    vector = np.sum([_direction(stem) for stem in stems(work.text)], axis=0)
    vector = 20 * vector / np.linalg.norm(vector)
    return {"model": _MODELS[model], "vector": [round(float(value), 6) for value in vector]}


@lru_cache(maxsize=5000)
def _direction(stem: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(WIDTH)
