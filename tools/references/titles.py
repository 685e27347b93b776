"""Where the title of an entry begins and ends."""

import re

MOST_LETTERS = 400
"""A longer title is cut."""
_PAIRS = (("“", "”"), ("„", "[“”]"), ('"', '"'), ("«", "»"), ("‘", "’"), ("``", "''"))
QUOTED = re.compile(
    "|".join(
        # A quotation within the title, and an apostrophe, do not end it.
        rf"{one}(.{{3,600}}?)(?:(?<=[,.?!]){two}|{two}(?=\s*(?:[,.;:(]|$|[Ii]n\b)))"
        for one, two in _PAIRS
    )
)
"""A title in quotation marks."""
_MARK = re.compile(r"[.?!](?=[\"”’')\]]{0,2}(?:\s|$))")
_WORD_BEFORE = re.compile(r"[\w.'’-]{1,20}$")
_ABBREVIATED = frozenset(
    """vs dr st mr mrs prof no cf e.g i.e ca approx resp u.s u.k u.s.a vol ed eds etc jr sr int al
    ph.d m.sc d.c incl fig sec""".split()  # noqa: SIM905
)
_LOWER_VENUES = re.compile(
    r"(?:in|arxiv|preprint|ph\.?d|master|tech|unpublished|submitted|to appear|proceedings|https?|www|doi|"
    r"accessed|available|retrieved|pages|pp|vol|dissertation|thesis)\b|[a-z]{1,5}[A-Z]|[a-z]\w*:",
)
_IN = re.compile(r"(?:In\b|Proc|arXiv|ArXiv|CoRR|Ph\.?D|Technical [Rr]ep)")
_VENUE_NEXT = re.compile(
    r"\s*(?:In\b|in [A-Z]|arXiv|ArXiv|CoRR|Proc|Journal|Trans|Tech|Ph\.?D|Master"
    r"|[A-Z][\w&]*(?:\.? [\w&]{1,5}\.?| [\w&]{1,20}){0,8},? (?:\d|vol))"
)
_CUT = re.compile(
    r"\s//\s|,\s+(?=(?:In:? |in:? )?(?:Proc\b|Proceedings\b)|In (?:Proc|the Proc|[A-Z]{2})|arXiv:|ArXiv\b|CoRR\b)"
)
_COMMA_CUT = re.compile(
    r",\s+(?=vol\b|\d{1,2}(?:st|nd|rd|th) ed|pp?\.|(?:in|In):? (?:Proc|[A-Z\d])|Proc\b"
    r"|Tech(?:nical|\.)? [Rr]ep|[Pp]h\.?\s?D|[Mm]aster|[Dd]iss|arXiv"
    r"|CoRR|ArXiv|[Jj]ournal\b|[A-Z][\w.&-]*(?: [\w.&()-]+){0,9},? (?:[vV]ol(?:ume|\.)? ?)?\(?\d)"
)
_INITIALS = re.compile(r"[A-Z]|(?:[A-Za-z]\.)+[A-Za-z]")
_SENTENCE = re.compile(r"(?:[^\W\d]+[^\w,.?!]+){2,}[^\W\d]+[^\d,.?!]*[.?!](?=\s+\S)")
"""What goes on behind a question mark within a title: a sentence of its own."""
_LEAD = re.compile(r"^[\s.,:;)\]–—-]+")


def title_and_rest(text: str, *, comma: bool = False) -> tuple[str, str]:
    """Return the title with which `text` begins, and what follows it.

    Args:
        text: An entry behind its authors, and behind the year where this follows them.
        comma: Whether authors and title are parted by a comma, as with IEEE and SIAM; the title then
            ends at the comma before what it appeared in.
    """
    text = _LEAD.sub("", text)
    if found := QUOTED.match(text):
        return found[found.lastindex or 0].strip(" .,;"), text[found.end() :]
    end = _sentence_end(text)
    room = 2 * MOST_LETTERS if comma else min(end, 2 * MOST_LETTERS)
    cut = (_COMMA_CUT if comma else _CUT).search(text, 3, room)
    if cut and cut.start() < end:
        end = cut.start()
    title = text[:end].strip(" ,;:")
    if not title.endswith("..."):
        title = title.rstrip(" .")
    return title[:MOST_LETTERS], text[end:]


def _sentence_end(text: str) -> int:
    for found in _MARK.finditer(text, 0, 3 * MOST_LETTERS):
        before, after = text[: found.start()], text[found.end() :].lstrip("\"”’')] ")
        goes_on = _goes_on(before, after) if found[0] == "." else _SENTENCE.match(after)
        if not goes_on or (found[0] != "." and _VENUE_NEXT.match(after)):
            return found.end()
    return len(text)


def _goes_on(before: str, after: str) -> bool:
    """Whether a full stop is that of an abbreviation, or stands within the title."""
    word = _WORD_BEFORE.search(before)
    last = word[0] if word else ""
    if last.lower() in _ABBREVIATED or _INITIALS.fullmatch(last):
        return bool(after) and not _IN.match(after)
    return after[:1].islower() and not _LOWER_VENUES.match(after)
