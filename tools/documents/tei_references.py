"""Entries of a list of references in TEI, as a person would print them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from tools.documents.blocks import clean
from tools.documents.html_head import year_of
from tools.documents.markup import Element, attribute, children, find_all, first, local

_NUMBER = re.compile(r"[\[(]?\s*(\d{1,4})\s*[\]),;.]?")
_NUMBERS = re.compile(r"[\d\s\[\](),;–—-]+")
_INITIALS = re.compile(r"[A-Z]{1,3}")
_SCOPES = {"volume": "", "issue": "no. ", "page": "pp. "}


def labels_of(root: Element) -> dict[str, str]:
    """Return the number of each entry, by its id, where the text cites by numbers.

    GROBID takes the number off an entry; the citations that lead to it still have it.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    plain = 0
    for one in find_all(root, "ref"):
        target = attribute(one, "target").removeprefix("#")
        text = clean("".join(one.itertext()))
        if attribute(one, "type") != "bibr" or not target or not text:
            continue
        if not _NUMBERS.fullmatch(text):
            plain += 1
        elif found := _NUMBER.fullmatch(text):
            votes[target][found[1]] += 1
    if sum(map(Counter.total, votes.values())) <= plain:
        return {}
    cited = {key: counter.most_common(1)[0][0] for key, counter in votes.items()}
    entries = (
        one for listed in find_all(root, "listbibl") for one in find_all(listed, "biblstruct")
    )
    places = {attribute(one, "id"): str(place) for place, one in enumerate(entries, start=1)}
    taken = set(cited.values())
    return {
        key: cited.get(key) or place
        for key, place in places.items()
        if key in cited or place not in taken
    }


def reference_text(entry: Element, label: str = "") -> str:
    """Return a biblStruct as one line: authors. (year). title. venue. identifiers.

    What could not be taken apart is as printed, where the file has it so.
    """
    analytic, monograph = first(entry, "analytic"), first(entry, "monogr")
    works = [one for one in (analytic, monograph) if one is not None]
    titles = [title for work in works for title in _titles(work)]
    authors = next((names for work in works if (names := _names(work))), [])
    if not titles:
        text = _note(entry, "raw_reference") or _sentences(authors)
        return f"[{label}] {text}" if label and text else text
    year = _year(entry)
    venue = titles[1:2] or [_note(entry, "")]
    parts = [
        ", ".join(authors), f"({year})" if year else "", titles[0],
        ", ".join(filter(None, [*venue, *_scopes(entry)])),
    ]  # fmt: skip
    text = " ".join([_sentences(parts), *_identifiers(entry)])
    return f"[{label}] {text}" if label else text


def _sentences(parts: list[str]) -> str:
    """Join parts, a full stop behind each that ends in no mark of its own."""
    return " ".join(
        part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part.strip(" .")
    )


def _titles(work: Element) -> Iterator[str]:
    for one in children(work, "title"):
        if words := clean("".join(one.itertext())):
            yield words


def _names(work: Element) -> list[str]:
    """Return authors as 'Given Family'; initials have their points."""
    names = []
    for author in children(work, "author"):
        person = first(author, "persname")
        if person is None:
            names.append(clean("".join(author.itertext())))
            continue
        parts = [clean("".join(one.itertext())) for one in find_all(person, "forename", "surname")]
        kinds = [local(one) for one in find_all(person, "forename", "surname")]
        names.append(
            " ".join(
                ". ".join(part) + "." if kind == "forename" and _INITIALS.fullmatch(part) else part
                for part, kind in sorted(zip(parts, kinds, strict=True), key=_surname_last)
                if part
            )
        )
    return [name for name in names if name]


def _surname_last(part: tuple[str, str]) -> bool:
    return part[1] == "surname"


def _year(entry: Element) -> int | None:
    dates = find_all(entry, "date")
    years = (year_of(attribute(one, "when") or "".join(one.itertext())) for one in dates)
    return next((year for year in years if year), None)


def _scopes(entry: Element) -> Iterator[str]:
    for one in find_all(entry, "biblscope"):
        unit = attribute(one, "unit")
        if unit in _SCOPES:
            ends = [attribute(one, "from"), attribute(one, "to")]
            words = clean("".join(one.itertext())) or "–".join(filter(None, ends))
            if words:
                yield _SCOPES[unit] + words


def _note(entry: Element, kind: str) -> str:
    notes = (one for one in children(entry, "note") if attribute(one, "type") == kind)
    return next((words for one in notes if (words := clean("".join(one.itertext())))), "")


def _identifiers(entry: Element) -> Iterator[str]:
    for one in find_all(entry, "idno", "ptr"):
        words = clean("".join(one.itertext())) or attribute(one, "target")
        kind = attribute(one, "type").lower()
        if kind == "doi":
            yield f"doi:{words.lower().rpartition('doi.org/')[2].removeprefix('doi:')}"
        elif kind == "arxiv":
            yield f"arXiv:{words.split('[')[0].strip().removeprefix('arXiv:')}"
        elif local(one) == "ptr" and words:
            yield words
