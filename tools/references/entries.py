"""Reads one entry of a list of references, of any common style, without models.

Three ways of printing are told apart: authors and then the year (ACM, ACL, APA, Chicago's author-date
style); a title in quotation marks (IEEE, Chicago's notes); and authors, title, where it appeared, and
the year last (Vancouver, Nature, LNCS, SIAM). A title can be had of each in its own way.
"""

import re
from typing import NamedTuple

from state.bibliography import ReferenceEntry
from tools.references.authors import PARTICLES, authors_end, split_authors
from tools.references.identifiers import find_identifiers
from tools.references.titles import QUOTED, title_and_rest

_NUMBER_LABEL = re.compile(
    r"\s*(?:\[\s?(\d{1,4})\s?\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s*[^\s\d]))[.:]?\s*"
)
_PLAIN_LABEL = re.compile(r"\s*(\d{1,4})\s+(?=[^\W\d_])")
_KEY_LABEL = re.compile(r"\s*\[([^\W\d_][^\[\]]{0,60})\]\s*(?=\S)")
_KEY = re.compile(r"[\w+*.:’'-]{1,24}|[^\[\]]{2,50}?[,( ]\s?(?:1[5-9]|20)\d\d[a-z]?\)?.{0,200}")
_YEAR = r"(?:1[5-9]|20)\d\d"
_DATED = re.compile(
    rf"(?<![\w/:–-])[(\[]?(?<![\d.])({_YEAR})([a-z])?(?![\w/]|\.\d|[-–]\d)"
    r"(?:,? (?:[A-Z][a-z]{2,8}\.?)(?:[ –/-](?:\d{1,2}|[A-Z][a-z]{2,8}))?(?:[–-]\d{1,2})?)?[)\]]?"
)
_UNDATED = re.compile(
    r"[(\[]?\b(n\.\s?d\.|in press|to appear|forthcoming|submitted|accepted)[)\]]?", re.IGNORECASE
)
_LOOKED_UP = re.compile(r"\b(?:accessed|retrieved|visited|last checked)\b.{0,40}", re.IGNORECASE)
_BODY = re.compile(
    r"\b(?:Committee|Association|Organi[sz]ation|Institute|University|Consortium|Group|Foundation|Society|Agency|Ministry"
    r"|Department|Inc|Ltd|Team|Collaboration|Office|Bureau|Council|Commission|Board)\b"
)
_INITIAL = re.compile(r"\b[^\W\d_a-zß-öø-ÿ]\.")
_DASHES = re.compile(r"\s*(?:[—–―_]{1,6}|-{2,6})(?:\s?[—–―_-]){0,6}\s*[.,;:]?\s*")
_SAME = "Idem, I"
"""Stands for authors who are printed as a dash."""
_UNTITLED = re.compile(
    r"[,\s]*(?:[A-Z][\w&]*\.? ?){1,6},? \d{1,4}(?:\(\d+\))?[,:] ?[\w–-]{1,15},? \(\d{4}\)\W*"
)
_QUOTE = re.compile(r"[“„«]|``|(?<![\w.])\"(?=\w)|(?<=[.,:)] )[‘'](?=[A-Z])")
_AUTHOR_WORD = re.compile(
    rf"(?:[^\W\d_a-zß-öø-ÿ][\w'’`´~^.-]*|(?i:{PARTICLES}|and|und|et|al|others|the|eds?|editors?|jr|sr)|&)\.?"
)
_NO_NAME = frozenset(
    "of in to on at by an as is it or we for with from using via into are how what when why".split()  # noqa: SIM905
)
_BETWEEN_NAMES = re.compile(r"[A-Z][\w'’-]+ [a-z]{3,10} [A-Z]")
_SMALL = re.compile(r"pages?|vol|volume|pp|no|number|ser|issue|art|article")
_VENUE_LEAD = re.compile(r"^[\s/.,;:”\"'’)]*(?:(?:to appear|published)\s+)?(?:[Ii]n\b:?\s*)?")
_VENUE_END = re.compile(
    r"(?:[,.;]\s*|\s\()(?:1[5-9]|20)\d\d"
    r"|(?:,|\.|;)?\s*(?:\b(?:pages?|pp|vol(?:ume)?|no)\b\.?\s?\d|\d+\s?[(:,]|\d{1,4}(?:[.,;]|$))"
    r"|(?<=[^\W\d_]{6})\.\s|[,;]? arXiv:",
    re.IGNORECASE,
)


class _Parts(NamedTuple):
    authors: str
    title: str
    rest: str
    year: int | None
    suffix: str = ""


def read_entry(text: str, place: int, page: int | None = None) -> ReferenceEntry:
    """Read one entry as printed, with its label; what cannot be told is left empty.

    Args:
        text: The entry; white space is folded.
        place: Its place in the list, from 0.
        page: The page on which it begins.
    """
    label, body = split_label(" ".join(text.split()), place)
    found = find_identifiers(body)
    dash = _DASHES.match(found.rest)
    parts = _parts(f"{_SAME}. {found.rest[dash.end() :]}" if dash else found.rest)
    named = parts.authors.replace(_SAME, "").strip(" ,.;") if dash else parts.authors
    authors, complete = split_authors(named) if named else ((), True)
    title = parts.title if any(map(str.isalpha, parts.title)) else ""
    return ReferenceEntry(
        place=place, label=label, text=body or label or "—", authors=authors,
        authors_complete=complete, title=title or None, year=parts.year, suffix=parts.suffix,
        venue=_venue(parts.rest) or None, doi=found.doi, arxiv=found.arxiv, url=found.url, page=page,
    )  # fmt: skip


def split_label(text: str, place: int) -> tuple[str, str]:
    """Return the label of an entry, and the entry without it."""
    found = _NUMBER_LABEL.match(text)
    number = found and (found[1] or found[2] or found[3])
    if found and number and (not found[3] or not re.fullmatch(_YEAR, number)):
        return str(int(number)), text[found.end() :].strip()
    key, bare = _KEY_LABEL.match(text), _PLAIN_LABEL.match(text)
    if key and _KEY.fullmatch(key[1]):
        return key[1].strip(), text[key.end() :].strip()
    if bare and int(bare[1]) == place + 1:
        return bare[1], text[bare.end() :].strip()
    return "", text.strip()


def repeats(text: str) -> bool:
    """Whether an entry has a dash where its authors, those of the entry before, would stand."""
    return bool(_DASHES.match(text))


def _parts(text: str) -> _Parts:
    if found := _year_second(text):
        return found
    year, suffix = _last_year(text)
    for mark in _QUOTE.finditer(text, 0, 1500):
        if (named := QUOTED.match(text, mark.start())) and len(named[0]) >= 10:
            title, rest = title_and_rest(text[mark.start() :])
            return _Parts(text[: mark.start()], title, rest, year, suffix)
    end = authors_end(text)
    after = text[end:].lstrip()
    if end and (not _wordy(after) or _UNTITLED.fullmatch(after)):
        authors = bool(_INITIAL.search(text, 0, end))
        return _Parts(*((text[:end], "") if authors else ("", text[:end])), after, year, suffix)
    title, rest = title_and_rest(after, comma=after.startswith(","))
    if not end and (" " not in title or _BODY.search(title)) and _wordy(rest) and rest[:1] != ",":
        return _Parts(title, *title_and_rest(rest), year, suffix)
    return _Parts(text[:end], title, rest, year, suffix)


def _year_second(text: str) -> _Parts | None:
    """Read an entry whose year follows its authors; None where it is printed otherwise."""
    dates = [*_DATED.finditer(text, 0, 6000), *_UNDATED.finditer(text, 0, 6000)][:6]
    for found in sorted(dates, key=lambda item: item.start()):
        before, after = text[: found.start()], text[found.end() :]
        if not _names(before):
            return None
        if _wordy(after) and (not after or after[0] in ' .,:;)"“'):
            year, suffix = (int(found[1]), found[2] or "") if found.re is _DATED else (None, "")
            return _Parts(before, *title_and_rest(after), year, suffix)
    return None


def _last_year(text: str) -> tuple[int | None, str]:
    """Return the year of an entry that ends in it; one in brackets is preferred."""
    years = list(_DATED.finditer(_LOOKED_UP.sub(" ", text)))
    years = [found for found in years if found[0][0] in "(["] or years
    return (int(years[-1][1]), years[-1][2] or "") if years else (None, "")


def _names(text: str) -> bool:
    """Whether a text is nothing but names; one word at most may be misprinted."""
    words = re.findall(r"[^\s,;:()\[\]]+", text)
    strange = [word for word in words if not _AUTHOR_WORD.fullmatch(word)]
    plain = any(re.fullmatch(r"[a-z]{3,}\W*", word) for word in strange)
    if not words or not _NO_NAME.isdisjoint(strange) or (plain and not _BETWEEN_NAMES.search(text)):
        return False
    return len(strange) <= (1 + len(words) // 6 if len(words) > 4 else 0)


def _wordy(text: str) -> bool:
    words = re.findall(r"[^\W\d_]{3,}", text)
    return any(not _SMALL.fullmatch(word.lower()) for word in words[:8])


def _venue(rest: str) -> str:
    """Return what the work appeared in, as far as it is printed before volume, pages and year."""
    text = _VENUE_LEAD.sub("", rest)
    found = _VENUE_END.search(text, 3)
    venue = (text[: found.start()] if found else text)[:200]
    venue = re.sub(r",?\s*(?:abs/?|\d+[–-]|\([^()]*)$", "", venue.strip(" .,;:()")).strip(" .,;:()")
    return venue if sum(map(str.isalpha, venue)) >= 3 else ""
