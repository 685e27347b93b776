"""What looking a reference up in the sources came to: confirmed, wrong in a field, not found, likely invented.

That nothing is found accuses nobody. A reference is called *likely invented* only where it was read with confidence
and two sources that would hold such a work answered without it; a source that failed leaves it *incomplete*.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp

from state.audit import ReferenceCheck, ReferenceFinding, ReferenceOutcome, WrongField
from state.merging import is_preprint, is_preprint_doi
from state.paper import Paper, title_key
from state.verify import Entry
from state.writing import VerdictReason
from tools.bibliography.read_csl import csl_of
from tools.scholar.agreement import LETTERS, wrong_fields
from tools.scholar.lookup import LookupResult, WorkToLookUp
from tools.scholar.venues import gives_dois, same_venue

_GENERAL = frozenset({"openalex", "semantic_scholar", "google"})
"""Sources that hold articles, papers of conferences and preprints of all fields."""
_NAMES = {
    "openalex": "OpenAlex",
    "semantic_scholar": "Semantic Scholar",
    "crossref": "Crossref",
    "arxiv": "arXiv",
    "google": "Google Scholar",
    "library": "the library",
}
_SURE = 0.8
"""Confidence in what was read of an entry from which its absence from the sources says something of the work."""
_ENOUGH = 2


@dataclass
class SourcesSaid:
    """What the sources said of one reference, by their names."""

    found: dict[str, Paper] = field(default_factory=dict)
    others: dict[str, Paper] = field(default_factory=dict)
    """What its identifier leads to, where that is another work."""
    missing: list[str] = field(default_factory=list)
    """Those that answered and do not have it."""
    unregistered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Identifiers of it that a source does not know and would, if they existed."""
    failed: dict[str, str] = field(default_factory=dict)

    def note(self, looked: LookupResult, place: int, *, general: bool) -> None:
        """Take in what a source said of the reference at a place of those asked about.

        Args:
            looked: Its answer.
            place: Of the reference.
            general: Whether that it does not have a work is worth telling; a library's silence is not.
        """
        name = looked.name
        if place in looked.found:
            self.found[name] = looked.found[place]
        elif (why := looked.failed.get(place)) is not None:
            self.failed[name] = why
        elif general:
            self.missing.append(name)
        if place in looked.others:
            self.others[name] = looked.others[place]
        if place in looked.unregistered:
            self.unregistered[name] = looked.unregistered[place]

    def settles(self, stated: Paper | None) -> bool:
        """Whether a source has it, and nothing stands against its record."""
        if not self.found or self.others or self.unregistered:
            return False
        return stated is None or not any(wrong_fields(stated, one) for one in self.found.values())


def wanted_of(entry: Entry, stated: Paper | None, *, local: bool = False) -> WorkToLookUp:
    """Return what is looked up of a reference; ids made of a title are known to libraries alone."""
    ids = (stated.id, *stated.aliases) if stated else (entry.wanted,)
    return WorkToLookUp(tuple(key for key in ids if local or not key.startswith("title:")), stated)


def check_reference(entry: Entry, stated: Paper | None, said: SourcesSaid) -> ReferenceCheck:
    """Return the outcome for one entry.

    Args:
        entry: The entry.
        stated: What it says of its work; None where only an id was given.
        said: What the sources answered.
    """
    wrong = _wrong(stated, said) if stated else []
    sure = entry.confidence >= _SURE
    if not sure:  # what differs may have been misread
        wrong = [one for one in wrong if one.field in {"doi", "arxiv"}]
    lacking = holders(said.missing, stated, entry)
    # A title of a word or two, read from a printed entry, may be the beginning of one.
    cut = bool(entry.raw and stated) and len(title_key(stated.title if stated else "")) < LETTERS
    outcome = _outcome(said, wrong, lacking, sure=sure and not cut)
    found = ReferenceCheck(
        key=_key(entry, stated),
        title=stated.title if stated else entry.wanted,
        outcome=outcome,
        wrong=tuple(wrong),
        found_in=tuple(said.found),
        missing_in=tuple(said.missing),
        failed_in=tuple(said.failed),
    )
    told = {
        name: value
        for one in reversed(said.found.values())
        for name in ("year", "venue", "cited_by")
        if (value := getattr(one, name)) is not None
    }
    return found.model_copy(
        update={
            **told,
            "p_valid": p_valid(found, signs_of(found, len(lacking), entry.confidence)),
        }
    )


def _key(entry: Entry, stated: Paper | None) -> str:
    """Return the key by which a file of references names an entry, or else its label in the text's own list."""
    ids = (stated.id, *stated.aliases) if stated else ()
    names = (name for name in ids if name.startswith("local:"))
    return entry.label if entry.raw else next(names, "").removeprefix("local:") or entry.label


def finding_on(
    check: ReferenceCheck, said: SourcesSaid, asked: Sequence[str], paper: str
) -> ReferenceFinding | None:
    """Return what is to be told of a reference; nothing where it is confirmed or nobody could know.

    Args:
        check: Its outcome.
        said: What the sources answered.
        asked: The sources that were named.
        paper: Id of the paper it leads to, if it leads to one.
    """
    named = f"“{check.title}”" if not check.title.startswith(("doi:", "arxiv:")) else check.title
    told = [*_told(check.wrong, said)]
    cause: VerdictReason = "metadata_error"
    if check.outcome in {"confirmed", "not_asked", "incomplete"}:
        return None
    if check.outcome == "wrong":
        right = [f"{one.field}: {one.right}" for one in check.wrong if one.right]
        remedy = f"the record has {'; '.join(right)}" if right else "check it, or remove it"
    elif check.outcome == "likely_invented":
        cause, remedy = (
            "fabricated",
            "check title and identifier; if there is no such work, remove it",
        )
        told.insert(0, f"{named}: no such work in {_listed(said.missing)}")
    else:
        cause = "not_found"
        others = [
            name for name in ("openalex", "crossref", "semantic_scholar") if name not in asked
        ]
        beside = f"; {_listed(others[:1])} was not searched" if others else ""
        told.insert(0, f"{named}: not found in {_listed(said.missing)}{beside}")
        remedy = "check title and identifier, or ask another source as well"
    return ReferenceFinding(
        key=check.key, paper=paper, cause=cause, detail="; ".join(told), remedy=remedy
    )


def no_source_holds(check: ReferenceCheck, stated: Paper | None, entry: Entry) -> bool:
    """Whether a reference was not found where works of its kind are not held anyway."""
    return check.outcome == "not_found" and not holders(check.missing_in, stated, entry)


def holders(names: Sequence[str], stated: Paper | None, entry: Entry) -> list[str]:
    """Return those of these sources that would hold such a work if there were one."""
    return [name for name in names if _holds(name, stated, entry)]


def _outcome(
    said: SourcesSaid, wrong: Sequence[WrongField], lacking: Sequence[str], *, sure: bool
) -> ReferenceOutcome:
    if said.found:
        return "wrong" if wrong else "confirmed"
    if len(lacking) >= _ENOUGH and sure and not said.failed:
        return "likely_invented"
    if said.others:
        return "wrong"
    if said.failed:
        return "incomplete"
    return "not_found" if said.missing else "not_asked"


def _wrong(stated: Paper, said: SourcesSaid) -> list[WrongField]:
    """Return the fields in which no record of the work agrees; without one, those of what its id leads to."""
    records = list(said.found.values())
    if not records:
        return [
            one for other in list(said.others.values())[:1] for one in wrong_fields(stated, other)
        ]
    found = {one.field: one for record in records for one in wrong_fields(stated, record)}
    kept = [one for name, one in found.items() if not _confirmed(name, stated, records)]
    if not any(one.field == "doi" for one in kept) and (lost := _lost_doi(stated, said, records)):
        kept.append(lost)
    if not any(one.field == "venue" for one in kept) and _only_preprint(stated, records):
        kept.append(WrongField(field="venue", stated=stated.venue or "", right="only a preprint"))
    return kept


def _confirmed(name: str, stated: Paper, records: Sequence[Paper]) -> bool:
    """Whether one of the records has a field as the reference has it."""
    if name == "venue":
        return any(one.venue and same_venue(stated.venue or "", one.venue) for one in records)
    return any(
        getattr(one, name) and name not in {wrong.field for wrong in wrong_fields(stated, one)}
        for one in records
    )


def _lost_doi(stated: Paper, said: SourcesSaid, records: Sequence[Paper]) -> WrongField | None:
    """Return what is wrong with a DOI that leads to another work, or that no source knows."""
    doi = (stated.doi or "").lower()
    if not doi or any((one.doi or "").lower() == doi for one in records):
        return None
    right = next((one.doi for one in records if one.doi), "") or ""
    if said.others:
        return WrongField(field="doi", stated=doi, right=right)
    deniers = [name for name, keys in said.unregistered.items() if f"doi:{doi}" in keys]
    # OpenAlex makes one work of a preprint and its publication, and then has one of their DOIs.
    merged = not is_preprint_doi(doi) and all(is_preprint(one) for one in records)
    if not deniers or (merged and deniers == ["openalex"]):
        return None
    return WrongField(field="doi", stated=doi, right=right)


def _only_preprint(stated: Paper, records: Sequence[Paper]) -> bool:
    """Whether a work is told as published at a venue whose papers have DOIs, and is known as a preprint alone."""
    if not stated.venue or is_preprint(stated) or not all(is_preprint(one) for one in records):
        return False
    return gives_dois(stated.venue)


def _holds(name: str, stated: Paper | None, entry: Entry) -> bool:
    """Whether a source would hold such a work if there were one."""
    if stated is None:
        kind = entry.wanted.partition(":")[0]
        return (name, kind) in {("crossref", "doi"), ("arxiv", "arxiv")} or (
            name in _GENERAL and kind in {"doi", "openalex", "s2"}
        )
    preprint = is_preprint(stated)
    if stated.record and csl_of(stated.record).get("type") in _SELDOM_HELD and not preprint:
        return False
    if name == "crossref":
        published = bool(stated.venue) and gives_dois(stated.venue or "")
        return not preprint and (bool(stated.doi) or published)
    if name == "arxiv":
        return bool(stated.arxiv)
    return name in _GENERAL


_SELDOM_HELD = frozenset(
    {
        "book",
        "thesis",
        "report",
        "software",
        "webpage",
        "document",
        "manuscript",
        "standard",
        "dataset",
        "patent",
    }
)
"""Types of CSL of which the sources hold some by chance."""


def _told(wrong: Sequence[WrongField], said: SourcesSaid) -> Iterator[str]:
    """Yield what is wrong, in words."""
    for one in wrong:
        if one.field == "title":
            yield f"its title is not that of the paper it leads to (“{one.stated}”)"
        elif one.field == "authors":
            yield f"its authors: {one.stated}"
        elif one.field == "doi" and said.found and said.others:
            other = next(iter(said.others.values()))
            yield f"its DOI {one.stated} leads to another paper, “{other.title}”"
        elif one.field == "doi" and not one.right:
            yield f"its DOI {one.stated} leads nowhere"
        elif one.field == "venue" and one.right == "only a preprint":
            yield f"its venue is {one.stated}, and nothing but a preprint of it is known"
        else:
            yield f"its {_FIELDS.get(one.field, one.field)} is {one.stated}"


_FIELDS = {"doi": "DOI", "arxiv": "arXiv id"}


def _listed(names: Sequence[str]) -> str:
    told = [_NAMES.get(name, name) for name in names]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


_OPEN = frozenset({"incomplete", "not_asked"})
"""Outcomes that say nothing: nobody who could know has answered."""
WEIGHTS: Mapping[str, float] = {
    "": 2.92,
    "wrong": -5.29,
    "not_found": -1.43,
    "likely_invented": -5.08,
    "other title": -1.46,
    "other authors": -1.35,
    "other year": -0.17,
    "other venue": -2.32,
    "other doi": -1.05,
    "a source lacks it": -1.31,
    "and would hold it": -3.46,
    "misread, confirmed": -0.7,
    "misread, not_found": 0.92,
}
"""By sign; of '', which is always there, the log odds of a confirmed reference."""


def signs_of(check: ReferenceCheck, lacking: int, confidence: float) -> dict[str, float]:
    """Return what of a check speaks for or against a reference, by name; what is not there is 0.

    Args:
        check: Its outcome, the fields that differ, and who answered.
        lacking: How many sources answered without it that would hold such a work.
        confidence: How surely it was read, from 0 to 1.
    """
    fields = {one.field for one in check.wrong}
    signs = {
        "": 1.0,
        **({} if check.outcome == "confirmed" else {check.outcome: 1.0}),
        **{f"other {name}": 1.0 for name in fields},
        f"misread, {check.outcome}": 1 - confidence,
    }
    if check.outcome == "not_found":
        signs |= {
            "a source lacks it": float(len(check.missing_in)),
            "and would hold it": float(lacking),
        }
    return signs


def p_valid(
    check: ReferenceCheck,
    signs: Mapping[str, float],
    weights: Mapping[str, float] = WEIGHTS,
) -> float | None:
    """Return the probability, from 0 to 1 with three digits; None where nobody who could know has answered."""
    if check.outcome in _OPEN:
        return None
    odds = sum(weights.get(name, 0.0) * value for name, value in signs.items())
    return round(1 / (1 + exp(-odds)), 3)
