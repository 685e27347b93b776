"""References put to the check as a source would hold their works, and the fit of `p_valid` on what it found."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np

from evals.references.printed import Work, print_works
from evals.trials import json_lines
from nodes.verify.check_reference import (
    WEIGHTS,
    SourcesSaid,
    check_reference,
    holders,
    no_source_holds,
    p_valid,
    signs_of,
    wanted_of,
)
from state.audit import ReferenceCheck
from state.bibliography import ReferenceEntry
from state.paper import Author, Paper, canonical_id, identify, title_key
from state.search import SearchQuery
from state.verify import Entry
from tools.references.reference_list import read_reference
from tools.references.works import paper_of_entry
from tools.scholar.lookup import look_up
from tools.scholar.source import SearchAnswer, Source, terms
from tools.scholar.venues import NAMES

_NO_SUCH_WORK = frozenset({"plausible_fabrication", "chimeric_title", "hybrid_fabrication"})


class Held(Source):
    """A source that holds these papers, and finds those with half of a query's words in their titles."""

    def __init__(self, name: str, papers: Iterable[Paper]) -> None:
        self.name = name
        self._papers = list(papers)
        self._ids = {key: one for one in self._papers for key in (one.id, *one.aliases)}
        self._words: defaultdict[str, set[int]] = defaultdict(set)
        for at, one in enumerate(self._papers):
            for word in terms(one.title.casefold()):
                self._words[word].add(at)

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of these ids."""
        return {key: self._ids[key] for key in ids if key in self._ids}

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Return papers by how many words of the query their titles have."""
        words = terms(query.text.casefold())
        counts = Counter(at for word in words for at in self._words.get(word, ()))
        near = [
            self._papers[at] for at, many in counts.most_common(limit) if 2 * many >= len(words)
        ]
        return SearchAnswer(papers=near)


@dataclass(frozen=True)
class Checked:
    """What looking a reference up came to."""

    check: ReferenceCheck
    against: bool
    """Whether anything is told against it."""
    signs: Mapping[str, float]
    """Those that its `p_valid` is made of."""


async def check(
    stated: Paper, sources: Sequence[Source], read: ReferenceEntry | None = None
) -> Checked:
    """Look a reference up, as a record or as it was read from print."""
    entry, said = Entry(label="1", paper=stated.id), SourcesSaid()
    if read:
        entry = entry.model_copy(update={"raw": read.text, "confidence": read.confidence})
    for source in sources:
        if not said.settles(stated):
            said.note(
                (await look_up(source, {0: wanted_of(entry, stated)}, loosely=True)),
                0,
                general=True,
            )
    found = check_reference(entry, stated, said)
    silent = found.outcome == "confirmed" or no_source_holds(found, stated, entry)
    return Checked(
        found,
        not silent,
        signs_of(found, len(holders(found.missing_in, stated, entry)), entry.confidence),
    )


Fabricated = tuple[Paper, str]
"""One entry of HALLMARK: what it states, and the kind of fabrication; empty for a valid entry."""


def load_hallmark(path: Path) -> tuple[list[Fabricated], list[Paper], int]:
    """Return the entries that can be checked, the works as sources would hold them, and how many are left out.

    What a source holds is made of the valid entries. A fabricated entry is left out where it changes a
    work that is not among them: of that the set does not say what is right.
    """
    rows = [row for _, row in json_lines(path)]
    valid = [row for row in rows if row["label"] == "VALID"]
    known = {title_key(row["fields"]["title"]) for row in valid}
    kept = [
        (_paper(row["fields"]), str(row.get("hallucination_type") or ""))
        for row in rows
        if row["fields"].get("title")
        and (
            row["label"] == "VALID"
            or row["hallucination_type"] in _NO_SUCH_WORK
            or title_key(row["fields"]["title"]) in known
            or title_key(
                str(row.get("explanation", "")).partition("original: '")[2].partition("'")[0]
            )
            in known
        )
    ]
    stated = [_paper(row["fields"]) for row in valid]
    # A source holds a work with its venue's name in full.
    works = [
        one.model_copy(update={"venue": NAMES.get((one.venue or "").casefold()) or one.venue})
        for one in stated
    ]
    return kept, list({paper.id: paper for paper in works}.values()), len(rows) - len(kept)


ARMS: Mapping[str, Callable[[Sequence[Paper]], Sequence[Source]]] = {
    "OpenAlex and Crossref": lambda works: [Held("openalex", works), _crossref(works)],
    "OpenAlex": lambda works: [Held("openalex", works)],
    "Crossref": lambda works: [_crossref(works)],
}
"""Which sources are asked."""


def _crossref(works: Sequence[Paper]) -> Held:
    return Held("crossref", [paper for paper in works if paper.doi])


async def measure_hallmark(path: Path) -> tuple[dict[str, dict[str, float]], int]:
    """Return by arm and kind the percentage of entries that something is told against, and how many were left out."""
    entries, works, left = load_hallmark(path)
    told: dict[str, dict[str, float]] = {}
    for arm, make in ARMS.items():
        sources = make(works)
        of, flagged = Counter[str](), Counter[str]()
        for stated, fabricated in entries:
            against = (await check(stated, sources)).against
            for kind in ("all fabricated", fabricated) if fabricated else ("valid",):
                of[kind] += 1
                flagged[kind] += against
        told[arm] = {f"{kind} ({of[kind]})": 100 * flagged[kind] / of[kind] for kind in of}
    return told, left


async def measure_styles(works: Sequence[Work]) -> dict[str, dict[str, float]]:
    """Return by style what looking up each printed reference of works that two sources hold came to."""
    held = [
        Paper(
            id=f"title:{at}", title=one.title, authors=one.authors, year=one.year, venue=one.venue
        )
        for at, one in enumerate(works)
    ]
    sources = [Held("openalex", held), Held("crossref", held)]
    told: dict[str, dict[str, float]] = {}
    for style, references in print_works(works).items():
        outcomes = dict.fromkeys(("confirmed", "wrong", "not_found", "likely_invented"), 0.0)
        for one in references:
            entry = read_reference(one.text)
            outcomes[(await check(paper_of_entry(entry), sources, entry)).check.outcome] += 1
        told[style] = outcomes
    return told


def _paper(fields: Mapping[str, str]) -> Paper:
    names = [name.strip() for name in fields.get("author", "").split(" and ") if name.strip()]
    digits = fields.get("year", "")
    year = int(digits) if digits.isdigit() and 1000 <= int(digits) <= 2200 else None
    doi = fields.get("doi") or ""
    arxiv = None
    if doi and (key := canonical_id(doi)).startswith("arxiv:"):
        doi, arxiv = "", key.removeprefix("arxiv:")
    title = fields["title"].replace("{", "").replace("}", "")
    key, aliases = identify(
        doi=doi or None,
        arxiv=arxiv,
        title=title,
        year=year,
        first_author=names[0] if names else None,
    )
    return Paper(
        id=key,
        aliases=aliases,
        title=title,
        year=year,
        doi=doi or None,
        arxiv=arxiv,
        authors=tuple(Author(name=name) for name in names if name != "others"),
        authors_complete="others" not in names,
        venue=fields.get("booktitle") or fields.get("journal"),
    )


_OF_IDS = frozenset({"fabricated_doi", "nonexistent_doi"})
"""Kinds of fabrication that a reference printed without a DOI does not show."""
_RIDGE = 1.0
"""Penalty of squared weights: few references have some of the signs."""
_STEPS = 50
_BINS = (0.0, 0.05, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class Case:
    """A checked reference of which the truth is known."""

    title: str
    check: ReferenceCheck
    signs: Mapping[str, float]
    right: bool

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that measures; all references of one title are in one half."""
        return bool(crc32(title_key(self.title).encode()) % 2)


async def cases_of(path: Path) -> list[Case]:
    """Return HALLMARK's references, checked as records with each arm's sources, and printed in ten styles with two."""
    entries, works, _ = load_hallmark(path)
    cases: list[Case] = []
    for make in ARMS.values():
        sources = make(works)
        for stated, kind in entries:
            found = await check(stated, sources)
            cases.append(Case(stated.title, found.check, found.signs, not kind))
    return [*cases, *await _printed(entries, works)]


async def _printed(entries: Sequence[Fabricated], works: Sequence[Paper]) -> list[Case]:
    whole = [
        (not kind, Work(paper.title, paper.authors, paper.year, paper.venue))
        for paper, kind in entries
        if paper.authors and paper.year and paper.venue and kind not in _OF_IDS
    ]
    styles = list(print_works([work for _, work in whole]).values())
    sources = next(iter(ARMS.values()))(works)
    cases: list[Case] = []
    for place, (right, work) in enumerate(whole):
        read = read_reference(styles[place % len(styles)][place].text)
        found = await check(paper_of_entry(read), sources, read)
        cases.append(Case(work.title, found.check, found.signs, right))
    return cases


def fitted(cases: Sequence[Case]) -> dict[str, float]:
    """Return the weight of each sign that a case has, by Newton's method with a ridge."""
    names = sorted({name for case in cases for name in case.signs})
    signs = np.array([[case.signs.get(name, 0.0) for name in names] for case in cases])
    right = np.array([float(case.right) for case in cases])
    weights = np.zeros(len(names))
    ridge = np.diag([0.0 if not name else _RIDGE for name in names])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (chance - right) + ridge @ weights
        weights -= np.linalg.solve((signs.T * (chance * (1 - chance))) @ signs + ridge, slope)
    return dict(zip(names, map(float, weights.round(2)), strict=True))


def measure_fit(cases: Sequence[Case]) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the weights fitted on one half, and on the other half Brier scores and calibration, by way."""
    seen = [case for case in cases if not case.held_out]
    kept = [case for case in cases if case.held_out]
    weights = fitted(seen)
    of: defaultdict[str, list[float]] = defaultdict(list)
    for case in seen:
        of[case.check.outcome].append(float(case.right))
    mean = float(np.mean([case.right for case in seen]))
    ways = {
        "fitted now": [p_valid(one.check, one.signs, weights) or 0.0 for one in kept],
        "as it comes with CiteLoom": [
            p_valid(one.check, one.signs, WEIGHTS) or 0.0 for one in kept
        ],
        "share right of each outcome": [
            float(np.mean(of.get(one.check.outcome) or [mean])) for one in kept
        ],
        "share right of all": [mean] * len(kept),
    }
    return weights, {
        way: {
            "n": float(len(kept)),
            "Brier score": float(
                np.mean([(p - case.right) ** 2 for case, p in zip(kept, chances, strict=True)])
            ),
            **_calibration(kept, chances),
        }
        for way, chances in ways.items()
    }


def _calibration(cases: Sequence[Case], chances: Sequence[float]) -> dict[str, float]:
    told: dict[str, float] = {}
    for low, high in pairwise(_BINS):
        of = [
            (p, case.right)
            for case, p in zip(cases, chances, strict=True)
            if low <= p < high or p == high == 1
        ]
        if of:
            name = f"{low} to {high}"
            told |= {
                f"{name}: n": float(len(of)),
                f"{name}: foretold, %": 100 * float(np.mean([p for p, _ in of])),
                f"{name}: right, %": 100 * float(np.mean([right for _, right in of])),
            }
    return told
