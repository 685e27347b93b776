"""What stands before the text: title, names of the authors, abstract, and the narrow column beside it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from state.paper import known_since
from tools.pdf.headings import NUMBERED, Profile
from tools.pdf.lines import TextLine
from tools.pdf.page_furniture import DROPPED
from tools.pdf.upright_pages import PageWord
from tools.text.headings import is_known
from tools.text.identifiers import arxiv_in, find_identifiers

SIDE, ABSTRACT = 3, 4
"""Columns of the lines beside an abstract, and of its own."""
_LEAST = 3
"""Rows that each of the two has at least."""


class Beside(NamedTuple):
    """The words of the two columns, and where they begin on the page."""

    top: float
    side: list[PageWord]
    abstract: list[PageWord]


_INNER = str.maketrans("", "", "'’.‐-")
_PARTICLES = frozenset(
    "d da de di do du das dos del della van von der den des la le el al bin ibn ten ter zu zur y e af".split()  # noqa: SIM905
)
_SET_ASIDE = re.compile(
    r"\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|^\s*by\s|\b(?:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|dr|prof|professor|mph|jr|sr)\b\.?",
    re.I,
)
"""What stands among names: marks in brackets, degrees, 'by'."""
_BETWEEN = re.compile(r"[*∗†‡§¶♠♣♥♦⋆,;·•|]|\b(?:and|AND)\b|&|\d+|\s[a-z](?=\s*(?:[*∗,;]|$))")
_GOES_ON = (",", ";", "&", " and", " AND")
_NOT_NAMES = re.compile(
    r"universit|institut|depart|laborator|school|college|research|center|centre|inc\b|corp|group|"
    r"\bof\b|\band\b|street|@|\d|academy|faculty|google|microsoft|facebook|science|abstract|"
    r"avenue|linguistic|comput|applied|usa\b|china|germany|japan|technolog",
    re.I,
)
TITLE, AUTHOR = "title", "author"
"""Kinds of the lines of the title, and of what stands between it and the text."""
_YEAR = re.compile(r"(?<![\d./-])(?:19[5-9]\d|20\d\d)(?![\d/]|\.\d)")  # 2007.03225 is of July 2020
_STATES_YEAR = ("©", "(c)", "copyright")
_ABSTRACTS = ("abstract", "summary")
_OPENS = (
    *_ABSTRACTS,
    "introduction",
    "1 ",
    "1. ",
    "i ",
    "i. ",
    "1 introduction",
    "1. introduction",
)
"""How the text of a paper begins."""
_LONGEST = 300
"""Characters of a title; what is longer is prose."""
_ARTICLE = re.compile(
    r"(?:(?:original|research|review|short|full|regular|invited|feature|position|survey)\s+)?"
    r"(?:articles?|papers?|reports?|letters?|reviews?|communications?|contributions?|surveys?)|"
    r"squibs?(?: and discussions?)?|editorial|perspectives?|commentary|technical (?:note|report)|"
    r"brief (?:report|communication)|book reviews?|letters? to the editor|tutorial|proceedings",
    re.I,
)
_MASTHEAD = re.compile(
    r"^(?:international |european |american )?(?:journal|proceedings|transactions|annals|archives|bulletin|"
    r"advances|lecture notes|contents lists)\b|\bvol(?:ume|\.)\s*\d|^\W*https?:|^www\.",
    re.I,
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the first page tells of the paper."""

    title: str | None
    authors: tuple[str, ...]
    year: int | None
    doi: str | None
    arxiv: str | None
    title_share: float = 0.0
    """How well the title is set off, 0..1: 1 where the file names what is printed there."""


def read_front(
    lines: Sequence[TextLine], margin: str, named: str, profile: Profile, before: Sequence[str]
) -> FrontMatter:
    """Return what the first page tells, and mark the lines that are title and authors.

    Args:
        lines: Those of the document.
        margin: What stands in other directions on the first page.
        named: The title that the file gives itself; believed only where it is printed.
        profile: What is usual in the document.
        before: Texts of the lines on the first page that are furniture.
    """
    first = lines[0].page if lines else 0
    page = [line for line in lines if line.page == first and line.kind != DROPPED]
    region, title, authors = _head(page, named, profile)
    found = _text_of(title).rstrip("*∗†‡§¶ ") or None
    titled = set(map(id, title))
    for line in region:
        line.kind = TITLE if id(line) in titled else AUTHOR if title else ""
    said = [margin, *before, *(line.text for line in region)]
    year = _year(said, before, margin)
    share = _title_share(title, region, named, profile)
    return FrontMatter(found, authors, year, _doi(said, page), _arxiv(said), share)


def _head(
    page: Sequence[TextLine], named: str, profile: Profile
) -> tuple[list[TextLine], list[TextLine], tuple[str, ...]]:
    """Return what stands before the text of a page, the title in it, and the authors below that."""
    region = _region(page, profile)
    title = _title(region, named, profile)
    rest = region[region.index(title[-1]) + 1 :] if title else []
    return region, title, authors_in(rest)


def begins_paper(page: Sequence[TextLine], profile: Profile) -> str:
    """Return the title where a page begins as a paper does; else "".

    It has a title at its top, in type larger than prose, then authors, and then an abstract or a first section.
    """
    if not any(line.place < 0.4 and line.size > 1.12 * profile.size for line in page):
        return ""
    region, title, authors = _head(page, "", profile)
    first = next((line for line in page if line not in region), None)
    large = title and authors and title[0].place < 0.4 and title[0].size > 1.12 * profile.size
    if not large or first is None or first.place > 0.75 or not opens_text(first.text):
        return ""
    found = _text_of(title)
    return found if len(found) <= _LONGEST else ""


def opens_text(text: str) -> bool:
    """Whether a line or a heading is the first of a paper's text, or of its abstract."""
    return text.lower().startswith(_OPENS)


def _region(page: Sequence[TextLine], profile: Profile) -> list[TextLine]:
    """Return the lines before the abstract; also those at the top of a second column."""
    end = _end(page, profile)
    region = list(page[:end])
    if end < len(page) and page[end].column == 1:
        beside = [x for x in page[end:] if x.column == 2 and x.y < page[end].y - 0.5 * x.size]
        prose = [_is_prose(line, profile) for line in beside]
        first = (i for i, pair in enumerate(pairwise([*prose, True])) if all(pair))
        region += beside[: next(first, None)] if len(beside) <= 12 else []
    return sorted(region, key=lambda line: (round(line.y / 3), line.x0))


def _end(page: Sequence[TextLine], profile: Profile) -> int:
    """Return how many lines stand before the abstract, or before the text where there is none."""
    prose = 0
    for index, line in enumerate(page):
        if line.column == SIDE:
            continue
        text = line.text.strip()
        match = NUMBERED.match(text)
        opens = match and match["number"] == "1" and profile.is_marked(line)
        label = next(filter(text.lower().startswith, _ABSTRACTS), "")
        run_in = label and text[len(label) :].lstrip()[:1] in tuple(".:—–-")
        if opens or is_known(text) or run_in:
            return index
        prose = prose + 1 if _is_prose(line, profile) else 0
        if prose == 3:
            return _first_of(page, index - 2)
        if line.place > 0.75 and line.column != 2:
            break
    return min(len(page), 12)


def _is_prose(line: TextLine, profile: Profile) -> bool:
    words = line.text.split()
    lower = sum(word[0].islower() for word in words)
    like = profile.size * 0.8 < line.size <= profile.size * 1.2 and not line.gaps
    wide = line.x1 - line.x0 > 0.75 * line.width and len(words) >= 6
    return like and wide and lower > 0.45 * len(words)


def _first_of(page: Sequence[TextLine], index: int) -> int:
    """Return where the paragraph of a line begins, whose first lines may be in capitals."""
    while index > 0:
        line, before = page[index], page[index - 1]
        full = before.x1 - before.x0 > 0.9 * before.width and not before.gaps
        alike = abs(before.size - line.size) <= 0.1 * line.size and before.bold < 0.5
        if not (full and alike and 0 < line.above <= 1.5 * line.size):
            break
        index -= 1
    return index


def _title(region: Sequence[TextLine], named: str, profile: Profile) -> list[TextLine]:
    groups: list[list[TextLine]] = []
    for line in region:
        last = groups[-1][-1] if groups else None
        same = last is not None and abs(last.size - line.size) <= 0.6
        near = last is not None and 0 < line.y - last.y <= 2.4 * line.size
        if same and near and last is not None and abs(last.bold - line.bold) < 0.5:
            groups[-1].append(line)
        else:
            groups.append([line])
    fit = [g for g in groups if sum(c.isalpha() for x in g for c in x.text) >= 8]
    wanted = _normal(named)
    for group in fit:
        if len(wanted) > 12 and _normal(_text_of(group)) == wanted:
            return group
    fit = [g for g in fit if not _ARTICLE.fullmatch(_text_of(g))] or fit
    fit = [
        g for g in fit if not _MASTHEAD.search(_text_of(g)) and _text_of(g).count(" ") > 1
    ] or fit
    large = [g for g in fit if g[0].size > 1.12 * profile.size] or [
        g for g in fit if g[0].bold > 0.8
    ]
    return max(large, key=lambda g: g[0].size) if large else []


def _title_share(
    title: Sequence[TextLine], region: Sequence[TextLine], named: str, profile: Profile
) -> float:
    if not title:
        return 0.0
    if _normal(_text_of(title)) == _normal(named):
        return 1.0
    if title[0].size <= 1.12 * profile.size:
        return 0.5
    others = [x.size for x in region if x not in title and sum(map(str.isalpha, x.text)) >= 8]
    return 0.9 if title[0].size > max(others, default=0.0) else 0.6


def _text_of(group: Sequence[TextLine]) -> str:
    return " ".join(line.text for line in group)


def _normal(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _year(said: Sequence[str], notices: Sequence[str], margin: str) -> int | None:
    for text in map(str.lower, said):
        sign = next((sign for sign in _STATES_YEAR if sign in text), "")
        if sign and (stated := _YEAR.search(text.partition(sign)[2][:30])):
            return int(stated[0])
    years = Counter(int(year) for text in (*notices, margin) for year in _YEAR.findall(text))
    if years:
        return max(years, key=lambda year: (years[year], -year))
    since = known_since(None, None, _arxiv(said))
    return since.year if since else None


def _doi(said: Sequence[str], page: Sequence[TextLine]) -> str | None:
    foot = (line.text for line in page if line.place > 0.6 and "doi" in line.text.lower())
    return next((doi for text in (*said, *foot) if (doi := find_identifiers(text).doi)), None)


def _arxiv(said: Sequence[str]) -> str | None:
    return next(filter(None, map(arxiv_in, said)), None)


def beside_abstract(rows: Sequence[Sequence[PageWord]]) -> Beside | None:
    """Return what stands beside an abstract and the abstract, if the rows of a page have such columns.

    They begin where the word "abstract" stands right of the page's edge, and end with the first row
    of which a word stands in both.
    """
    edge = min((row[0].x0 for row in rows if row), default=0.0)
    for at, row in enumerate(rows):
        start = _label(row)
        if start is None or start < edge + 6 * row[-1].style.size:
            continue
        band = _band(rows[at:], start)
        side = [[word for word in row if word.x1 <= start] for row in band]
        own = [[word for word in row if word.x1 > start] for row in band]
        if min(sum(map(bool, side)), sum(map(bool, own))) >= _LEAST:
            return Beside(
                row[0].y,
                [word for row in side for word in row],
                [word for row in own for word in row],
            )
    return None


def _label(row: Sequence[PageWord]) -> float | None:
    """Return where the word "abstract" begins at the end of a row, whose letters may be set apart."""
    text = ""
    for word in reversed(row):
        text = word.text.casefold() + text
        if text == "abstract":
            return word.x0 - 2
        if not "abstract".endswith(text):
            return None
    return None


def _band(rows: Sequence[Sequence[PageWord]], start: float) -> Sequence[Sequence[PageWord]]:
    """Return the rows of two columns: to the last of the abstract, and what goes on beside it."""
    free = next((at for at, row in enumerate(rows) if _crosses(row, start)), len(rows))
    last = max((at for at, row in enumerate(rows[:free]) if row[-1].x1 > start), default=0)
    for before, row in pairwise(rows[last:free]):
        if row[0].y - before[0].y > 1.6 * row[0].style.size:
            break
        last += 1
    return rows[: last + 1]


def _crosses(row: Sequence[PageWord], start: float) -> bool:
    """Whether a row goes on across the edge of a column: a word stands there, or no more than a space."""
    if any(word.x0 < start < word.x1 for word in row):
        return True
    return any(
        before.x1 <= start <= word.x0 and word.x0 - before.x1 < 0.75 * word.style.size
        for before, word in pairwise(row)
    )


def authors_in(lines: Sequence[TextLine]) -> tuple[str, ...]:
    """Return the names on the lines below the title.

    Names go on in the next line where the list is open or the lines are alike; behind an affiliation
    only in a face that is the names' and not the affiliation's.
    """
    found: list[str] = []
    first: TextLine | None = None
    last: TextLine | None = None
    """The last line of names before one that has none."""
    other: TextLine | None = None
    for line in _whole(lines):
        names = _names(line)
        if first is None:
            found, first = names, line if names else None
        elif not names or not _alike(line, first):
            other = line
            continue
        elif (other is not None and not _alike(line, other)) or (
            other is None and last is not None and _follows(line, names, last)
        ):
            found += names
        else:
            other = line
        last = line
    unique = list(dict.fromkeys(found))
    mixed = [name for name in unique if not name.isupper()]
    unique = mixed or unique  # a few words in capitals among names are words of a figure
    return tuple(unique) if len(unique) <= 60 else ()


def _whole(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines below a title with letters in them, a name that two lines part as one line."""
    found: list[TextLine] = []
    for line in lines:
        if line.column == SIDE or not any(map(str.isalpha, line.text)):
            continue
        last = found[-1] if found else None
        if last and last.text.split()[-1] in _PARTICLES and _alike(line, last):
            shift = len(last.text) + 1
            found[-1] = replace(
                last,
                text=f"{last.text} {line.text}",
                raised=(*last.raised, *((a + shift, b + shift) for a, b in line.raised)),
                cuts=(*last.cuts, *(at + shift for at in line.cuts)),
                loose=(*last.loose, *(at + shift for at in line.loose)),
            )
        else:
            found.append(line)
    return found


def _alike(one: TextLine, other: TextLine) -> bool:
    size = abs(one.size - other.size) <= 0.6
    return size and abs(one.bold - other.bold) < 0.5 and abs(one.italic - other.italic) < 0.5


def _follows(line: TextLine, names: Sequence[str], last: TextLine) -> bool:
    """Whether a line of names goes on with the list of the line above it."""
    if len(names) > 1 or line.raised or line.cuts or last.text.rstrip().endswith(_GOES_ON):
        return True
    return len(_names(last)) == 1 or line.text.lower().startswith(("and ", "& "))


def _names(line: TextLine) -> list[str]:
    text = list(line.text)
    for start, end in line.raised:
        text[start:end] = "," * (end - start)
    for cut in (*line.cuts, *line.loose):
        if cut < len(text) and text[cut] == " ":
            text[cut] = ","
    plain = _BETWEEN.sub(",", _SET_ASIDE.sub(",", "".join(text)))
    parts = [" ".join(part.split()) for part in plain.split(",") if part.strip(" .")]
    return parts if all(map(_is_name, parts)) else []


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or _NOT_NAMES.search(text) or not words[-1][0].isupper():
        return False
    return all(
        word.translate(_INNER).isalpha() and (word[0].isupper() or word in _PARTICLES)
        for word in words
    )
