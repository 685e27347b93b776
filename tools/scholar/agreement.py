"""Whether a reference and a record are of one work, and in which fields they differ.

A reference is a `Paper` too: what a `.bib` file or an entry of a list says. What one of the two does not say is
not compared; what is written in two ways (initials, accents, abbreviated venues, a subtitle left out) is the same.
"""

from collections.abc import Sequence
from datetime import date

from rapidfuzz import fuzz

from state.audit import WrongField
from state.merging import is_preprint, is_preprint_doi
from state.paper import Author, Paper, known_since, title_key
from tools.errors import counted
from tools.scholar.same_work import NEAR_LETTERS, near_titles
from tools.scholar.venues import is_meeting, same_venue
from tools.text.markup import without_mark

LETTERS = 15
"""Fewest letters of a title that stands in another one by more than chance."""
_ALIKE = 75.0
"""Percent of equal letters from which a title with slips may be another, where authors and year agree."""
_SAME_NAME = 80.0


def same_title(one: Paper, two: Paper) -> bool:
    """Whether two records have one title, the same but for spelling, or for a subtitle of one of them."""
    return any(
        near_titles(first, second) or _main(first, second) or _main(second, first)
        for first in _titles(one)
        for second in _titles(two)
    )


def same_work(own: Paper, found: Paper) -> bool:
    """Whether a record that an id leads to is of that work; an id may have been printed or read wrongly.

    A work of which only the printed entry is known has that entry as its title, with the title in it.
    """
    return same_title(own, found) or any(_holds(own.title, title) for title in _titles(found))


def slips_in_title(stated: Paper, record: Paper) -> bool:
    """Whether a record is what a reference means though its title is another: authors and year say so."""
    known = [_known(author, record.authors) for author in stated.authors]
    if not known or not record.authors or 2 * sum(known) < len(known) or not known[0]:
        return False
    if stated.year and record.year and abs(stated.year - record.year) > 1:
        return False
    first = title_key(stated.title)
    return any(
        fuzz.ratio(first, title_key(part)) >= _ALIKE or _holds(stated.title, title)
        for title in _titles(record)
        for part in (title, title.partition(":")[0])
    )


def wrong_fields(stated: Paper, record: Paper) -> list[WrongField]:
    """Return the fields in which a reference differs from a record of the work: title, authors, year, venue, ids."""
    found = [
        None if same_title(stated, _unmarked(record)) else ("title", stated.title, record.title),
        _authors(stated, record),
        _year(stated, record),
        _venue(stated, record),
        _id("doi", stated, record),
        _id("arxiv", stated, record),
    ]
    return [WrongField(field=one[0], stated=one[1], right=one[2]) for one in found if one]  # type: ignore[arg-type]


def _unmarked(record: Paper) -> Paper:
    """Return a record without 'Expression of concern:' before its title."""
    title = without_mark(record.title, concern=True)
    return record if title == record.title else record.model_copy(update={"title": title})


def _titles(paper: Paper) -> list[str]:
    return [paper.title, *paper.other_titles]


def _main(short: str, long: str) -> bool:
    """Whether a title is another one up to its subtitle."""
    places = (at for at, char in enumerate(long) if char in ":.?!–—-(")
    own = title_key(short)
    return len(own) >= LETTERS and any(title_key(long[:at]) == own for at in places)


def _holds(first: str, second: str) -> bool:
    """Whether one of two titles stands in the other by more than chance."""
    one, other = sorted((title_key(first), title_key(second)), key=len)
    return len(one) >= LETTERS and one in other


def _authors(stated: Paper, record: Paper) -> tuple[str, str, str] | None:
    ours = [author for author in stated.authors if not _is_body(author)]
    theirs = record.authors
    if not ours or not theirs:
        return None
    right = _listed(theirs, complete=record.authors_complete)
    strange = [author for author in ours if not _known(author, theirs)]
    if strange and record.authors_complete:
        return "authors", _listed(strange), right
    if not _same_person(ours[0], theirs[0]):
        return "authors", f"{ours[0].name} first", right
    missing = [
        author for author in theirs if not _is_body(author) and not _known(author, stated.authors)
    ]
    if missing and stated.authors_complete:
        return "authors", f"{len(stated.authors)} of {counted(len(theirs), 'author')}", right
    return None


def _listed(authors: Sequence[Author], *, complete: bool = True) -> str:
    names = [author.name for author in authors[:8]]
    return ", ".join(names) + ("" if complete and len(authors) <= 8 else ", and others")


def _is_body(author: Author) -> bool:
    """Whether an author is an organisation, as a name of four words without comma or initials is."""
    words = author.name.split()
    return "," not in author.name and len(words) > 3 and not any("." in word for word in words)


def _known(author: Author, others: Sequence[Author]) -> bool:
    return any(_same_person(author, other) for other in others)


def _same_person(one: Author, two: Author) -> bool:
    """Whether two names may be of one person: family names the same but for spelling, parts, or order."""
    first, second = title_key(one.family), title_key(two.family)
    if not first or not second or first.isascii() != second.isascii():
        return True  # in another script nothing can be compared
    if fuzz.ratio(first, second) >= _SAME_NAME:
        return True
    ours, theirs = _parts(one.name), _parts(two.name)
    last, other = _parts(one.family)[-1], _parts(two.family)[-1]
    return last in theirs or other in ours


def _parts(name: str) -> list[str]:
    words = "".join(char if char.isalpha() else " " for char in name.replace("'", "")).split()
    return [title_key(word) for word in words] or [""]


def _year(stated: Paper, record: Paper) -> tuple[str, str, str] | None:
    """Compare years; a preprint and its publication, or an issue and its first day online, may be one apart."""
    if stated.year is None or record.year is None:
        return None
    since = known_since(record.published, record.year, record.arxiv)
    years = {day.year for day in (record.published, since) if day} | {record.year}
    if stated.year in years:
        return None
    venue = stated.venue and record.venue and same_venue(stated.venue, record.venue)
    held = bool(venue) and is_meeting(f"{stated.venue}") and not is_preprint(record)
    same_doi = bool(stated.doi and record.doi and stated.doi.lower() == record.doi.lower())
    apart = min(abs(stated.year - year) for year in years)
    # Within one series a year is another volume, and under one DOI nothing else is meant.
    if apart <= (0 if held or same_doi else 1) and stated.year <= date.today().year + 1:
        return None
    return "year", str(stated.year), str(record.year)


def _venue(stated: Paper, record: Paper) -> tuple[str, str, str] | None:
    if not stated.venue or not record.venue or is_preprint(record) or is_preprint(stated):
        return None
    if same_venue(stated.venue, record.venue) is not False:
        return None
    return "venue", stated.venue, record.venue


def _id(name: str, stated: Paper, record: Paper) -> tuple[str, str, str] | None:
    """Compare identifiers; a preprint's DOI and that of what was published of it are both right."""
    ours, theirs = (getattr(one, name) or "" for one in (stated, record))
    if not ours or not theirs or ours.lower() == theirs.lower():
        return None
    if f"{name}:{ours.lower()}" in record.aliases:
        return None
    if name == "doi" and is_preprint_doi(ours) != is_preprint_doi(theirs):
        return None
    return name, ours, theirs


def named_alone(paper: Paper) -> bool:
    """Whether a title is long enough to name a work by itself."""
    return len(title_key(paper.title)) >= NEAR_LETTERS
